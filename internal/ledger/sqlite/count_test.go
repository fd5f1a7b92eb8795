package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// Every way of counting gives the same result as counting the records one by one.
func TestCountsAreThoseOfAScan(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "activity.db"))
	const records = 3000
	fill(t, s, 0, records, 1)
	if _, err := s.Tidy(t.Context(), time.Now(), ledger.Rules{MaxRecords: records - 700}); err != nil {
		t.Fatal(err)
	}
	at := func(n int) time.Time {
		return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * 3 * time.Second)
	}
	rapid.Check(t, func(rt *rapid.T) {
		pick := func(name string) bool { return rapid.IntRange(0, 3).Draw(rt, name) == 0 }
		q := ledger.Filter{OldestFirst: pick("oldest")}
		if !pick("no start") {
			q.Start = at(rapid.IntRange(-10, records+10).Draw(rt, "start"))
		}
		if !pick("no end") {
			q.End = at(rapid.IntRange(-10, records+10).Draw(rt, "end"))
		}
		if pick("server") {
			q.Server = "server-7"
		}
		if pick("status") {
			q.Status = mcpproxy.StatusSuccess
		}
		if pick("session") {
			q.Session = rapid.SampledFrom([]string{"session-1", "flow-0", "none"}).Draw(rt, "name")
		}
		scanned := 0
		err := s.Scan(t.Context(), q, func(r *mcpproxy.Record) error {
			scanned++
			if !q.Start.IsZero() && r.Timestamp.Before(q.Start) || !q.End.IsZero() && r.Timestamp.After(q.End) ||
				q.Server != "" && r.ServerName != q.Server {
				rt.Errorf("%+v does not match", r)
			}
			return nil
		})
		if err != nil {
			rt.Fatal(err)
		}
		counted, err := s.Count(t.Context(), q)
		if err != nil || counted != scanned {
			rt.Errorf("%+v: %d counted, %d scanned, %v", q, counted, scanned, err)
		}
		sum, err := s.Summarize(t.Context(), q)
		if err != nil || sum.Total != scanned {
			rt.Errorf("%+v: %d summed up, %d scanned, %v", q, sum.Total, scanned, err)
		}
	})
}
