package ledger_test

import (
	"testing"
	"time"

	"mcpproxy/internal/ledger"
)

// FuzzATimeIsReadToTheLetter checks that every accepted time is valid according to RFC 3339, so that other programs
// read the same time.
func FuzzATimeIsReadToTheLetter(f *testing.F) {
	for _, s := range []string{
		"2026-01-31T15:04:05Z", "2026-01-31T15:04:05.5+23:59", "2026-01-31T5:04:05Z", "2026-01-31T15:04:05,5Z",
		"2026-01-31T15:04:05+24:00", "2026-01-31T15:04:05-01:60", "2026-01-31T15:04:05", "+", "",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at, err := ledger.ParseTime(s)
		if err != nil {
			return
		}
		_, offset := at.Zone()
		if offset >= 24*3600 || offset <= -24*3600 {
			t.Errorf("%q has a zone of %d seconds", s, offset)
		}
		if again, err := time.Parse(time.RFC3339Nano, at.Format(time.RFC3339Nano)); err != nil || !again.Equal(at) {
			t.Errorf("%q is read as %s, which is read as %s (%v)", s, at, again, err)
		}
		if s[:len("2006-01-02T15:04:05")] != at.Format("2006-01-02T15:04:05") {
			t.Errorf("%q is read as %s", s, at)
		}
	})
}
