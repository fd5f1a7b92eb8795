package cli

import (
	"testing"
	"time"

	"mcpproxy"
)

func TestARecordOfAConnectionNamesItsHost(t *testing.T) {
	for name, c := range map[string]struct {
		rule   string
		detail map[string]any
		want   string
	}{
		"a refused connection":    {mcpproxy.NetworkRule, map[string]any{"host": "example.com", "port": 443.0}, "net → example.com:443"},
		"an observed one":         {"", map[string]any{"host": "::1", "port": 80.0, "network": "observed"}, "net → [::1]:80"},
		"another record":          {"", map[string]any{"host": "laptop"}, "net"},
		"a record without a host": {mcpproxy.NetworkRule, map[string]any{"port": 443.0}, "net"},
	} {
		r := &mcpproxy.Record{ServerName: "net", Rule: c.rule}
		r.Metadata.Detail = c.detail
		if got := ranCell(r, nil); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestATimeIsGivenAsPeopleGiveIt(t *testing.T) {
	now := time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)
	for given, want := range map[string]string{
		"10m":                  "2026-03-15T11:50:00Z",
		"1h30m":                "2026-03-15T10:30:00Z",
		"7d":                   "2026-03-08T12:00:00Z",
		"1.5d":                 "2026-03-14T00:00:00Z",
		"2w":                   "2026-03-01T12:00:00Z",
		"0s":                   "2026-03-15T12:00:00Z",
		"2026-01-01T00:00:00Z": "2026-01-01T00:00:00Z",
		"":                     "",
		"d":                    "",
		"-5m":                  "",
		"-1d":                  "",
		"yesterday":            "",
		"10":                   "",
		"NaNd":                 "",
		"999999999999d":        "",
	} {
		at, err := moment(given, now)
		got := ""
		if err == nil {
			got = at.UTC().Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%q is %q (%v), want %q", given, got, err, want)
		}
	}
}
