package detect

import (
	"regexp"
	"strings"

	"mcpproxy"
)

// customConfidence is how sure a match of a user's own pattern is taken to be.
const customConfidence = 0.95

// Custom is the rule for a pattern of the user's own, in RE2 syntax.
func Custom(name, pattern string, severity mcpproxy.Severity) Rule {
	return Rule{
		ID:         name,
		Category:   "custom",
		Severity:   severity,
		Confidence: customConfidence,
		Pattern:    "(" + pattern + ")",
	}
}

// Keywords is the rule for words of the user's own, such as the names of secret
// projects: found as whole words, in any case.
func Keywords(words []string) Rule {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strings.Join(strings.Fields(regexp.QuoteMeta(w)), `\s+`)
	}
	r := Custom("sensitive_keyword", "", mcpproxy.SeverityHigh)
	r.Pattern = `(?i)(?:^|[^\pL\pN_])(` + strings.Join(quoted, "|") + `)(?:[^\pL\pN_]|$)`
	return r
}
