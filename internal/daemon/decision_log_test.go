package daemon

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/config"
)

// Shows: RFC-25.
func TestDecisionsAreLoggedAsLoudlyAsConfigured(t *testing.T) {
	before := slog.Default()
	defer slog.SetDefault(before)
	for name, c := range map[string]struct {
		least, log string
		want       map[mcpproxy.Decision]string // level of the log line; "" if none is expected
	}{
		"the default": {"", "info", map[mcpproxy.Decision]string{
			mcpproxy.Deny:  "ERROR",
			mcpproxy.Warn:  "WARN",
			mcpproxy.Ask:   "WARN",
			mcpproxy.Allow: "",
			"":             "",
		}},
		"denials alone":  {"error", "info", map[mcpproxy.Decision]string{mcpproxy.Deny: "ERROR", mcpproxy.Warn: ""}},
		"everything":     {"info", "info", map[mcpproxy.Decision]string{mcpproxy.Deny: "ERROR", mcpproxy.Allow: "INFO"}},
		"whoever debugs": {"error", "debug", map[mcpproxy.Decision]string{mcpproxy.Warn: "DEBUG", mcpproxy.Allow: "DEBUG"}},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := LogTo(&out, c.log); err != nil {
				t.Fatal(err)
			}
			var d decisionLog
			settings := config.Default()
			if c.least != "" {
				settings.Security.ToolPolicy.LogLevel = c.least
			}
			d.configure(settings)
			for decision, want := range c.want {
				out.Reset()
				d.hear(&mcpproxy.Record{
					ID:           "01",
					ServerName:   "slack",
					ToolName:     "post_message",
					Decision:     decision,
					ErrorMessage: "what was said",
					Arguments:    []byte(`{"text":"what was said"}`),
					DurationMS:   12.5,
				})
				line := out.String()
				if (line == "") != (want == "") || want != "" && !strings.Contains(line, "level="+want) {
					t.Errorf("%q: %q, want %q", decision, line, want)
				}
				if strings.Contains(line, "what was said") || line != "" && !strings.Contains(line, "duration_ms=12.5") {
					t.Errorf("%q: %q", decision, line)
				}
			}
		})
	}
}
