package detect

import (
	"slices"

	"mcpproxy/internal/detect/personal"
)

// PersonalRules lists the kinds of personal data that can be found.
func PersonalRules() []Rule {
	var out []Rule
	for _, r := range personal.Rules() {
		out = append(out, Rule{
			ID:         r.ID,
			Category:   r.Category,
			Severity:   r.Severity,
			Confidence: r.Confidence,
		})
	}
	return out
}

// personalKinds returns the kinds of personal data with the given ids or categories, or all of them if none is given.
func personalKinds(named []string) map[string]*Rule {
	kinds := map[string]*Rule{}
	for _, r := range PersonalRules() {
		if len(named) == 0 || slices.Contains(named, r.ID) || slices.Contains(named, r.Category) {
			kinds[r.ID] = &r
		}
	}
	return kinds
}
