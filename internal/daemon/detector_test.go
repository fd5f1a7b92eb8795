package daemon

import (
	"testing"

	"mcpproxy"
	"mcpproxy/internal/config"
)

func TestConfigurationsWithTheSameRulesShareADetector(t *testing.T) {
	of := func(change func(*config.Config)) any {
		t.Helper()
		c := config.Default()
		change(c)
		d, err := DetectorFor("", c)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	word := func(word string) func(*config.Config) {
		return func(c *config.Config) { c.Security.PIIDetection.SensitiveKeywords = []string{word} }
	}
	pattern := func(regex string) func(*config.Config) {
		return func(c *config.Config) {
			c.Security.PIIDetection.CustomPatterns = []config.CustomPattern{{
				Name:     "badge",
				Regex:    regex,
				Severity: mcpproxy.SeverityHigh,
			}}
		}
	}
	first := of(word("bluebird"))
	if of(word("bluebird")) != first {
		t.Error("equal settings have a detector each")
	}
	if of(word("redbird")) == first {
		t.Error("another word is not looked for")
	}
	if of(pattern(`badge-\d+`)) == of(pattern(`badge-[a-f]+`)) {
		t.Error("another pattern is not looked for")
	}
}
