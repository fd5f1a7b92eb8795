package config

import (
	"regexp"
	"strings"

	"mcpproxy"
)

// ordinary are unrelated harmless texts. A pattern that matches several of them matches nearly
// everything.
var ordinary = []string{
	"hello",
	"Thank you for your order.",
	"42",
	"{}",
	"/tmp/report.txt",
	"été",
	"2026-01-31",
	"true",
}

// tooMany is the number of ordinary texts at which a pattern is refused.
const tooMany = 3

// checkPatterns refuses invalid patterns, and patterns that match nearly every text and would
// therefore mask and stop everything.
func (p *PIIDetection) checkPatterns() error {
	const at = "security.pii_detection.custom_patterns"
	names := map[string]bool{}
	for _, c := range p.CustomPatterns {
		re, err := regexp.Compile(c.Regex)
		switch {
		case c.Name == "":
			return bad(at, "a pattern needs a name")
		case names[c.Name]:
			return bad(at, "two patterns are called %s", c.Name)
		case err != nil:
			return bad(at, "%s: %v", c.Name, err)
		case re.MatchString(""):
			return bad(at, "%s matches the empty text, and so everything", c.Name)
		}
		names[c.Name] = true
		if matched := matches(re); len(matched) >= tooMany {
			return bad(
				at,
				"%s matches nearly everything, such as %s: make the pattern more specific",
				c.Name,
				quoteAll(matched[:tooMany]),
			)
		}
		if err := oneOf(at, c.Severity, mcpproxy.Severities...); err != nil {
			return err
		}
	}
	for _, w := range p.SensitiveKeywords {
		if len(strings.TrimSpace(w)) < 3 {
			return bad(
				"security.pii_detection.sensitive_keywords",
				"%q is too short: it would be found nearly everywhere",
				w,
			)
		}
	}
	return nil
}

func matches(re *regexp.Regexp) (matched []string) {
	for _, s := range ordinary {
		if re.MatchString(s) {
			matched = append(matched, s)
		}
	}
	return matched
}

func quoteAll(list []string) string { return `"` + strings.Join(list, `", "`) + `"` }
