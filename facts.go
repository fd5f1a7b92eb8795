package mcpproxy

import "encoding/json"

// Facts are what was known about a call when its verdict was made. The policy decides by
// them, the record of the call keeps them, and replay, explain, the API and the page read
// them there. Evidence and addresses in a record's facts are masked.
//
// A new fact is a field here, and a line where the inspection of a call fills it in. Facts
// that follow from others, such as the risk score of the signals, are not kept here.
type Facts struct {
	Operation      Operation             `json:"operation,omitempty"`
	Classification *Class                `json:"classification,omitempty"` // nil for what is no call
	Signals        []Signal              `json:"signals,omitempty"`        // a record also holds those of the result
	Edges          []Edge                `json:"flow_edges,omitempty"`     // movements of data into the call
	Contradictions []ContradictionResult `json:"contradictions,omitempty"` // the gravest first
	Destinations   []Destination         `json:"destinations,omitempty"`   // where the call sends something
	Legs           Legs                  `json:"legs,omitzero"`            // what the session had met before the call
	// Endpoint is the suspicious endpoint that the call was stopped for; empty in records
	// of versions that did not keep it.
	Endpoint string `json:"endpoint,omitempty"`

	Effect    Effect     `json:"effect,omitempty"`    // what the call does, as people would ask for it
	Wish      Wish       `json:"wish,omitempty"`      // whether the user's words ask for that
	Audience  Audience   `json:"audience,omitempty"`  // who can read what the call writes
	Dictation *Dictation `json:"dictation,omitempty"` // the text of a result that spells the call; nil when none does
	Secrets   []Secret   `json:"secrets,omitempty"`   // the secrets that the call carries, and whose they are
}

// Class is the classification, or the zero Class when there is none.
func (f *Facts) Class() Class {
	if f.Classification == nil {
		return Class{}
	}
	return *f.Classification
}

// metadataJSON is [Metadata] with its members in the order in which logs have always had
// them, so that a record of an earlier version is written again byte for byte. Facts that
// are not named here come last.
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
	Facts
}

// MarshalJSON writes the members in the order of metadataJSON.
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
		Facts:          m.Facts,
	})
}
