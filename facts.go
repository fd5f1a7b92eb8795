package mcpproxy

import "encoding/json"

// Facts are what the gate knew about a call when it made the verdict. The policy decides from
// them, and the record stores them, where replay, explain, the API and the page read them.
// Evidence and addresses in a record's facts are masked.
//
// To add a fact, add a field here and a line in package inspect that fills it in. Values that
// can be computed from other facts, such as the risk score, are not stored here.
type Facts struct {
	Operation      Operation             `json:"operation,omitempty"`
	Classification *Class                `json:"classification,omitempty"` // nil for events that are not calls
	Signals        []Signal              `json:"signals,omitempty"`        // a record also holds those of the result
	Edges          []Edge                `json:"flow_edges,omitempty"`     // data that moved into the call
	Contradictions []ContradictionResult `json:"contradictions,omitempty"` // the most serious first
	Destinations   []Destination         `json:"destinations,omitempty"`   // where the call sends data
	Legs           Legs                  `json:"legs,omitzero"`            // what the session had read and sent before the call
	// Endpoint is the suspicious endpoint because of which the call was stopped. Records of
	// early versions do not have it.
	Endpoint string `json:"endpoint,omitempty"`

	Effect    Effect     `json:"effect,omitempty"`    // what the call does, as a user would ask for it
	Wish      Wish       `json:"wish,omitempty"`      // whether the user's words ask for the effect
	Audience  Audience   `json:"audience,omitempty"`  // who can read what the call writes
	Dictation *Dictation `json:"dictation,omitempty"` // the passage of a result that the call was copied from; nil if none
	Secrets   []Secret   `json:"secrets,omitempty"`   // the secrets in the call, with their owners
}

// Class returns the classification, or the zero Class if there is none.
func (f *Facts) Class() Class {
	if f.Classification == nil {
		return Class{}
	}
	return *f.Classification
}

// metadataJSON has the fields of [Metadata] in the order that earlier versions wrote. A record of such a version
// therefore encodes to the same bytes again. Facts without a field here are written last.
type metadataJSON struct {
	Kind           Kind                  `json:"kind,omitempty"`
	Reason         string                `json:"reason,omitempty"`
	Operation      Operation             `json:"operation,omitempty"`
	Classification *Class                `json:"classification,omitempty"`
	Intent         *Intent               `json:"intent,omitempty"`
	Signals        []Signal              `json:"signals,omitempty"`
	Edges          []Edge                `json:"flow_edges,omitempty"`
	Sensitive      *SensitiveData        `json:"sensitive_data_detection,omitempty"`
	Detail         map[string]any        `json:"detail,omitempty"`
	Approval       string                `json:"approval,omitempty"`
	Contradictions []ContradictionResult `json:"contradictions,omitempty"`
	InspectionMS   float64               `json:"inspection_ms,omitempty"`
	ParentSpan     string                `json:"parent_span_id,omitempty"`
	ServerTrace    string                `json:"server_trace_id,omitempty"`
	Destinations   []Destination         `json:"destinations,omitempty"`
	Legs           Legs                  `json:"legs,omitzero"`
	Flagged        bool                  `json:"flagged,omitempty"`
	ErrorRedacted  bool                  `json:"error_redacted,omitempty"`
	Ruled          *Ruled                `json:"ruled,omitempty"`
	Boundary       *Boundary             `json:"boundary,omitempty"`
	Remembered     Remembered            `json:"remembered,omitempty"`
	Agent          *SessionAgent         `json:"agent,omitempty"`
	PersonalMasked bool                  `json:"personal_masked,omitempty"`
	Facts
}

// MarshalJSON writes the members in the order of the fields of metadataJSON.
func (m Metadata) MarshalJSON() ([]byte, error) {
	return json.Marshal(metadataJSON{
		Kind:           m.Kind,
		Reason:         m.Reason,
		Operation:      m.Operation,
		Classification: m.Classification,
		Intent:         m.Intent,
		Signals:        m.Signals,
		Edges:          m.Edges,
		Sensitive:      m.Sensitive,
		Detail:         m.Detail,
		Approval:       m.Approval,
		Contradictions: m.Contradictions,
		InspectionMS:   m.InspectionMS,
		ParentSpan:     m.ParentSpan,
		ServerTrace:    m.ServerTrace,
		Destinations:   m.Destinations,
		Legs:           m.Legs,
		Flagged:        m.Flagged,
		ErrorRedacted:  m.ErrorRedacted,
		Ruled:          m.Ruled,
		Boundary:       m.Boundary,
		Remembered:     m.Remembered,
		Agent:          m.Agent,
		PersonalMasked: m.PersonalMasked,
		Facts:          m.Facts,
	})
}
