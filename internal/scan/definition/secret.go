package definition

import (
	"strings"

	"mcpproxy"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/text"
)

const idSecret = "secret.embedded"

// secretCheck reports secrets that were left in a definition. They are hints: everyone with the definition has the
// secret, but the tool may be legitimate.
type secretCheck struct {
	find func(*text.Document) ([]mcpproxy.Signal, error)
}

// ID returns the name of the check.
func (secretCheck) ID() string { return idSecret }

// Inspect runs the check. It panics when the detector fails, so that the
// failure is counted.
func (c secretCheck) Inspect(tool *ToolView, _ *RegistryView) []Signal {
	found, err := c.find(tool.read().doc)
	if err != nil {
		panic(err)
	}
	var out []Signal
	for _, f := range found {
		if !f.Sensitive() {
			continue
		}
		out = append(out, Signal{
			Tier:       scan.TierSoft,
			ThreatType: threatOther,
			Severity:   f.Severity,
			Confidence: f.Confidence,
			Evidence:   f.Evidence,
			Detail:     "The definition holds a secret (" + f.Kind + ").",
			Path:       strings.TrimPrefix(f.Path, "."),
		})
	}
	return out
}
