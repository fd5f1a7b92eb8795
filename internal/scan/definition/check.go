package definition

import (
	"mcpproxy"
	"mcpproxy/internal/scan"
)

// Signal is one observation of a check about a definition.
type Signal struct {
	CheckID    string            `json:"check_id"`
	Tier       scan.Tier         `json:"tier"` // hard or soft
	ThreatType string            `json:"threat_type"`
	Confidence float64           `json:"confidence"` // 0 to 1, reduced according to its position
	Severity   mcpproxy.Severity `json:"severity"`
	Evidence   string            `json:"evidence,omitempty"` // the matched text, safe to print, at most 160 characters
	Detail     string            `json:"detail,omitempty"`   // one sentence
	Path       string            `json:"location,omitempty"` // JSON path in the definition
}

// Check looks for one kind of threat in a definition. Inspect must have no side effects and no state: equal
// definitions give equal signals in equal order. It may panic; [Scan] counts that as a failed check.
type Check interface {
	ID() string
	Inspect(tool *ToolView, reg *RegistryView) []Signal
}

// The threats, in the words of the scan report.
const (
	threatPoisoning = "tool_poisoning"
	threatInjection = "prompt_injection"
	threatTheft     = "exfiltration"
	threatCode      = "malicious_code"
	threatOther     = "uncategorized"
)

// check implements Check with a name and a function.
type check struct {
	id      string
	inspect func(tool *ToolView, reg *RegistryView) []Signal
}

// ID returns the name of the check.
func (c check) ID() string { return c.id }

// Inspect runs the check.
func (c check) Inspect(tool *ToolView, reg *RegistryView) []Signal { return c.inspect(tool, reg) }

// Checks returns all checks, in the order in which they run. It does not include the check for embedded secrets,
// which needs a detector; see [Scanner].
func Checks() []Check {
	return []Check{
		check{idHidden, inspectHidden},
		check{idEscape, inspectEscape},
		shadowCheck{},
		check{idPayload, inspectPayload},
		check{idPhrase, inspectPhrase},
		check{idImperative, inspectImperative},
		check{idCapability, inspectCapability},
		check{idSchema, inspectSchema},
		check{idPreference, inspectPreference},
		check{idWording, inspectWording},
	}
}
