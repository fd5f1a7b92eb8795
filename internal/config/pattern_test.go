package config_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mcpproxy/internal/config"
)

// detection returns a configuration whose pii_detection is this.
func detection(t *testing.T, pii map[string]any) error {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"security": map[string]any{"pii_detection": pii}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = config.Parse("f.json", raw, nil)
	return err
}

func pattern(name, regex, severity string) map[string]any {
	return map[string]any{"name": name, "regex": regex, "severity": severity}
}

func TestPatternsOfTheUser(t *testing.T) {
	long := strings.Repeat("x", 300)
	cases := []struct {
		name  string
		regex string
		says  string // what the error says; "" when the pattern holds
	}{
		{"an identifier holds", `\bEMP-[0-9]{6}\b`, ""},
		{"a group holds", `\b(?:EMP|CON)-([0-9]{6})\b`, ""},
		{"an alternation holds", `EMP-[0-9]{6}|CON-[0-9]{6}`, ""},
		{"a pattern without regard to case holds", `(?i)emp-[0-9]{6}`, ""},
		{"a Unicode class holds", `№ ?\p{Nd}{4}`, ""},
		{"an anchored pattern holds", `^EMP-[0-9]{6}$`, ""},
		{"a long pattern holds", long, ""},
		{"any text is too much", `.+`, "nearly everything"},
		{"any character is too much", `.`, "nearly everything"},
		{"any word is too much", `\w+`, "nearly everything"},
		{"any letter is too much", `[[:alpha:]]`, "nearly everything"},
		{"any letter of any script is too much", `\pL`, "nearly everything"},
		{"anything but a letter that is rare is too much", `[^q]`, "nearly everything"},
		{"an alternative that matches all is too much", `EMP-[0-9]{6}|.`, "nearly everything"},
		{"word boundaries are too much", `\b`, "nearly everything"},
		{"what can be empty is too much", `(EMP-[0-9]{6})?`, "empty text"},
		{"a star is too much", `[0-9]*`, "empty text"},
		{"an alternative that is empty is too much", `EMP-[0-9]{6}|`, "empty text"},
		{"a line's beginning is too much", `(?m)^`, "empty text"},
		{"nothing at all is too much", ``, "empty text"},
		{"an open group is no pattern", `EMP-([0-9]{6}`, "missing closing )"},
		{"an open class is no pattern", `[0-9`, "missing closing ]"},
		{"a lookahead is not in RE2", `EMP(?=-)`, "(?="},
		{"a back reference is not in RE2", `(a)\1`, `\1`},
		{"a repetition that is too long is refused", `a{1001}`, "repeat"},
		{"a repetition that is nested and too long is refused", `(?:a{100}){100}`, "repeat"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := detection(t, map[string]any{"custom_patterns": []any{pattern("mine", c.regex, "high")}})
			switch {
			case c.says == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "security.pii_detection.custom_patterns")):
				t.Errorf("the error does not say %q: %v", c.says, err)
			}
		})
	}
}

func TestNamesAndSeveritiesOfPatterns(t *testing.T) {
	good := `EMP-[0-9]{6}`
	cases := []struct {
		name     string
		patterns []any
		says     string
	}{
		{"two names hold", []any{pattern("a", good, "low"), pattern("b", good, "critical")}, ""},
		{
			"one name twice is refused",
			[]any{pattern("a", good, "low"), pattern("a", `CON-[0-9]{6}`, "low")},
			"two patterns are called a",
		},
		{"an empty name is refused", []any{pattern("", good, "low")}, "needs a name"},
		{"a severity that is none is refused", []any{pattern("a", good, "huge")}, `"huge"`},
		{
			"the second pattern is looked at too",
			[]any{pattern("a", good, "low"), pattern("b", `.`, "low")},
			"b matches nearly everything",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := detection(t, map[string]any{"custom_patterns": c.patterns})
			if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("the error does not say %q: %v", c.says, err)
			}
		})
	}
}

func TestSensitiveKeywords(t *testing.T) {
	for word, holds := range map[string]bool{
		"Project Falcon":         true,
		"фсб":                    true,
		"C++":                    true,
		"abc":                    true,
		strings.Repeat("x", 500): true,
		"ab":                     false,
		"":                       false,
		"   ":                    false,
		" ab ":                   false,
		"\t\na":                  false,
	} {
		err := detection(t, map[string]any{"sensitive_keywords": []string{"a word that holds", word}})
		if (err == nil) != holds {
			t.Errorf("%.20q: %v", word, err)
		}
		if err != nil &&
			(!strings.Contains(err.Error(), "sensitive_keywords") || !strings.Contains(err.Error(), "too short")) {
			t.Errorf("%.20q: the error says neither where nor why: %v", word, err)
		}
	}
}
