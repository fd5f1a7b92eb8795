package mcpproxy

import "slices"

// Source is the kind of detector that reported a signal. It determines the signal's weight in the
// risk score (RFC-004, Risk Scoring Engine).
type Source string

// The sources of RFC-004.
const (
	SourceFlow       Source = "flow"
	SourcePII        Source = "pii" // secrets and personal data
	SourceStatic     Source = "static"
	SourceBehavioral Source = "behavioral"
	SourceAgentHint  Source = "agent_hint"
)

// Severity says how much harm is done if the signal is right.
type Severity string

// The severities, mildest first.
const (
	SeverityLow      Severity = "low"
	SeverityMedium   Severity = "medium"
	SeverityHigh     Severity = "high"
	SeverityCritical Severity = "critical"
)

// Severities lists the severities, mildest first.
var Severities = []Severity{SeverityLow, SeverityMedium, SeverityHigh, SeverityCritical}

// Rank orders severities: a higher rank is worse. An unknown severity ranks -1.
func (s Severity) Rank() int { return slices.Index(Severities, s) }

// Signal is one observation about a call or its result.
type Signal struct {
	Source     Source   `json:"source"`
	Kind       string   `json:"kind"`     // the rule that matched, such as aws_access_key
	Category   string   `json:"category"` // the rule's family: cloud_credentials, api_token, …
	Severity   Severity `json:"severity"`
	Confidence float64  `json:"confidence"` // 0 to 1
	Evidence   string   `json:"evidence,omitempty"`
	Path       string   `json:"location,omitempty"` // JSON path of the string in which it was found
	Example    bool     `json:"is_likely_example,omitempty"`
	// Said says that the user's own words contain the value, so the call discloses only what the user wanted to send.
	Said bool `json:"said,omitempty"`
	// Suppressed says that security.suppressions turns off signals of this kind for the tool. A suppressed signal
	// does not affect the decision or the score.
	Suppressed bool `json:"suppressed,omitempty"`
}

// Kinds of signals that policies use in their decisions.
const (
	KindOpaquePayload    = "opaque_payload"    // a payload that cannot be read
	KindUnexplained      = "unexplained_text"  // addresses that contain more information than their known sources explain
	KindExternalVolume   = "external_volume"   // more bytes sent out than usual work needs
	KindManyDestinations = "many_destinations" // more destinations than usual work has
	KindRapidSends       = "rapid_external_sends"
)

// Rapid reports whether the signal says that a session sends more often than allowed. It returns false if the signal
// is suppressed for the tool.
func (s Signal) Rapid() bool { return s.Kind == KindRapidSends && !s.Suppressed }

// minSensitive is the lowest confidence at which a finding counts as sensitive data.
const minSensitive = 0.6

// Sensitive reports whether the signal is about data whose disclosure does harm: secrets, and personal data such as
// card or social security numbers. E-mail addresses and file names are not sensitive.
func (s Signal) Sensitive() bool {
	return s.Source == SourcePII && s.Category != "sensitive_file" && !s.Example && !s.Suppressed &&
		s.Confidence >= minSensitive &&
		(s.Severity == SeverityHigh || s.Severity == SeverityCritical)
}
