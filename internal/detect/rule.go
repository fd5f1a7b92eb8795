package detect

import (
	"math"
	"strings"

	"mcpproxy"
)

// Rule describes one kind of secret.
type Rule struct {
	ID       string
	Category string // the family: cloud_credentials, api_token, …
	Severity mcpproxy.Severity
	// Pattern is RE2 syntax. Its first group, or else the whole match, is the
	// secret value.
	Pattern string
	// Entropy is the Shannon entropy, in bits per character, below which a
	// match is a placeholder; 0 for formats that cannot be mistaken.
	Entropy float64
	// Confidence that a match is what it looks like, 0 to 1.
	Confidence float64
}

// Rules lists every rule, family by family.
func Rules() []Rule {
	var rules []Rule
	for _, family := range [][]Rule{cloudRules, tokenRules, modelRules, keyRules, databaseRules} {
		rules = append(rules, family...)
	}
	return rules
}

// entropy is the Shannon entropy of s in bits per byte.
func entropy(s string) float64 {
	var count [256]int
	for i := 0; i < len(s); i++ {
		count[s[i]]++
	}
	h, n := 0.0, float64(len(s))
	for _, c := range count {
		if c > 0 {
			p := float64(c) / n
			h -= p * math.Log2(p)
		}
	}
	return h
}

// placeholders are words that only stand in for a secret.
var placeholders = []string{"example", "placeholder", "your_", "your-", "yourkey", "changeme", "xxxxxx", "dummy", "redacted", "insert"}

// isExample reports whether a value looks like documentation, not a secret.
func isExample(value string) bool {
	v := strings.ToLower(value)
	for _, p := range placeholders {
		if strings.Contains(v, p) {
			return true
		}
	}
	return false
}
