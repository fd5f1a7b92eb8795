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

// Severity says how much harm follows if the signal is right.
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
	Kind       string   `json:"kind"`     // what was seen: a rule id such as aws_access_key
	Category   string   `json:"category"` // its family: cloud_credentials, api_token, …
	Severity   Severity `json:"severity"`
	Confidence float64  `json:"confidence"` // 0 to 1
	Evidence   string   `json:"evidence,omitempty"`
	Path       string   `json:"location,omitempty"` // JSON path of the string it was seen in
	Example    bool     `json:"is_likely_example,omitempty"`
	// Said says that the user's own words contain the value, so the call discloses nothing that
	// the user did not want to send.
	Said bool `json:"said,omitempty"`
	// Suppressed says that security.suppressions turns signals of this kind off for the tool. A
	// suppressed signal has no influence on the decision or the score.
	Suppressed bool `json:"suppressed,omitempty"`
}

// Kinds of signals that policies decide by.
const (
	KindOpaquePayload    = "opaque_payload"    // a payload that cannot be read
	KindUnexplained      = "unexplained_text"  // addresses that tell a site more than anything explains
	KindExternalVolume   = "external_volume"   // more bytes sent out than usual work needs
	KindManyDestinations = "many_destinations" // more destinations than usual work has
	KindRapidSends       = "rapid_external_sends"
)

// Rapid reports whether the signal says that a session sends more often than it may, unless that
// is suppressed for the tool.
func (s Signal) Rapid() bool { return s.Kind == KindRapidSends && !s.Suppressed }

// minSensitive is the confidence from which a finding counts as sensitive data.
const minSensitive = 0.6

// Sensitive reports whether the signal is about data that does harm when it leaves: secrets, and
// personal data such as card or social security numbers. E-mail addresses and names of files are
// not sensitive.
func (s Signal) Sensitive() bool {
	return s.Source == SourcePII && s.Category != "sensitive_file" && !s.Example && !s.Suppressed &&
		s.Confidence >= minSensitive &&
		(s.Severity == SeverityHigh || s.Severity == SeverityCritical)
}
