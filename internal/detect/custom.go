package detect

import (
	"regexp"
	"strings"

	"mcpproxy"
)

// customConfidence is the confidence of a match of a user's own pattern.
const customConfidence = 0.95

// Custom returns the rule for a user's own pattern in RE2 syntax.
func Custom(name, pattern string, severity mcpproxy.Severity) Rule {
	return Rule{
		ID:         name,
		Category:   "custom",
		Severity:   severity,
		Confidence: customConfidence,
		Pattern:    "(" + pattern + ")",
	}
}

// Keywords returns the rule for a user's own words, such as the names of secret projects. They are found as whole
// words, in any case.
func Keywords(words []string) Rule {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strings.Join(strings.Fields(regexp.QuoteMeta(w)), `\s+`)
	}
	r := Custom("sensitive_keyword", "", mcpproxy.SeverityHigh)
	r.Pattern = `(?i)(?:^|[^\pL\pN_])(` + strings.Join(quoted, "|") + `)(?:[^\pL\pN_]|$)`
	return r
}
