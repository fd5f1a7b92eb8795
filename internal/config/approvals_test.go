package config_test

import (
	"testing"
	"time"

	"mcpproxy/internal/config"
)

func TestHowLongACallWaits(t *testing.T) {
	for file, want := range map[string]struct{ always, watched time.Duration }{
		`{}`: {0, 45 * time.Second},
		`{"security": {"approvals": {"wait": ""}}}`:      {0, 45 * time.Second},
		`{"security": {"approvals": {"wait": "0"}}}`:     {0, 0},
		`{"security": {"approvals": {"wait": "0s"}}}`:    {0, 0},
		`{"security": {"approvals": {"wait": "20s"}}}`:   {20 * time.Second, 0},
		`{"security": {"approvals": {"expiry": "30s"}}}`: {0, 30 * time.Second},
	} {
		c, err := config.Parse("f.json", []byte(file), nil)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		a := c.Security.Approvals
		if a.Waits() != want.always || a.WaitsWatched() != want.watched {
			t.Errorf("%s: waits %s, and %s while somebody looks", file, a.Waits(), a.WaitsWatched())
		}
	}
}
