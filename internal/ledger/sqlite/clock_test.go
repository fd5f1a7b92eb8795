package sqlite_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/ledger/sqlite"
)

const day = 24 * time.Hour

// aged opens a log with one record for each of the last days, the newest at noon.
func aged(t *testing.T, days int) (s *sqlite.Store, noon time.Time) {
	t.Helper()
	noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s = open(t, filepath.Join(t.TempDir(), "activity.db"))
	for i := range days {
		record(t, s, fmt.Sprintf("day-%03d", i), noon.Add(time.Duration(i-days+1)*day))
	}
	return s, noon
}

// record adds a record with the given time.
func record(t *testing.T, s *sqlite.Store, id string, at time.Time) {
	t.Helper()
	r := ledgertest.Full()
	r.ID, r.Timestamp = id, at
	if err := s.Append(t.Context(), []*mcpproxy.Record{r}); err != nil {
		t.Fatal(err)
	}
}

var byAge = ledger.Rules{MaxAge: 30 * day, RedactAfter: 10 * day}

func tidied(t *testing.T, s *sqlite.Store, now time.Time, rules ledger.Rules) ledger.Tidied {
	t.Helper()
	done, err := s.Tidy(t.Context(), now, rules)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// Starts with a clock that is far ahead remove nothing by age, although each start writes records. When the clock is
// right again, removal continues.
func TestAWrongClockRemovesNoRecord(t *testing.T) {
	s, noon := aged(t, 40)
	ahead := noon.Add(365 * day)
	for start := range 3 {
		at := ahead.Add(time.Duration(start) * time.Hour)
		record(t, s, fmt.Sprint("start-", start), at)
		done := tidied(t, s, at, byAge)
		if done.Removed != 0 || done.Redacted != 0 || done.Doubt == nil || !done.Doubt.Last.Equal(noon) ||
			!done.Doubt.Now.Equal(at) {
			t.Fatalf("start %d: %+v", start, done)
		}
	}
	if done := tidied(t, s, noon.Add(time.Hour), byAge); done.Removed != 10 || done.Redacted == 0 || done.Doubt != nil {
		t.Errorf("with the right clock: %+v", done)
	}
}

// The other limits apply whatever the clock says.
func TestTheOtherLimitsApplyWithAWrongClock(t *testing.T) {
	s, noon := aged(t, 40)
	rules := byAge
	rules.MaxRecords = 25
	if done := tidied(t, s, noon.Add(365*day), rules); done.Removed != 15 || done.Doubt == nil {
		t.Errorf("%+v", done)
	}
}

// After a long pause, records are removed again once the current time has been in use for a day, according to the
// records or to the daemon's own run.
func TestAClockIsTrustedOnceItsTimeWasInUseForADay(t *testing.T) {
	for name, later := range map[string]func(t *testing.T, s *sqlite.Store, back time.Time) time.Time{
		"by a record of yesterday": func(t *testing.T, s *sqlite.Store, back time.Time) time.Time {
			record(t, s, "yesterday", back)
			return back.Add(day + time.Hour)
		},
		"by a day of running without records": func(t *testing.T, s *sqlite.Store, back time.Time) time.Time {
			for at := back; at.Before(back.Add(day)); at = at.Add(time.Hour) {
				if done := tidied(t, s, at, byAge); done.Doubt == nil {
					t.Fatalf("%s after the pause: %+v", at.Sub(back), done)
				}
			}
			return back.Add(day)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, noon := aged(t, 40)
			back := noon.Add(60 * day)
			if done := tidied(t, s, back, byAge); done.Doubt == nil || done.Removed != 0 {
				t.Fatalf("right after the pause: %+v", done)
			}
			if done := tidied(t, s, later(t, s, back), byAge); done.Doubt != nil || done.Removed != 40 {
				t.Errorf("a day later: %+v", done)
			}
		})
	}
}

// After pauses of up to a week, and in new logs, records are removed at once.
func TestAPlausibleClockIsTrustedAtOnce(t *testing.T) {
	s, noon := aged(t, 40)
	if done := tidied(t, s, noon.Add(7*day), byAge); done.Doubt != nil || done.Removed != 16 {
		t.Errorf("after a week: %+v", done)
	}
	s, noon = aged(t, 1)
	if done := tidied(
		t,
		s,
		noon.Add(2*time.Hour),
		ledger.Rules{MaxAge: time.Hour},
	); done.Doubt != nil ||
		done.Removed != 1 {
		t.Errorf("a new log: %+v", done)
	}
}
