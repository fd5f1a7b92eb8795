package sqlite_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// A page with an offset contains exactly the records at that offset in a complete scan, although records before it are
// skipped without being read.
func TestAPageAtAnyOffsetIsAPartOfAScan(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "activity.db"))
	const records = 4000
	fill(t, s, 0, records, 1)
	if _, err := s.Tidy(t.Context(), time.Now(), ledger.Rules{MaxRecords: records - 700}); err != nil {
		t.Fatal(err)
	}
	at := func(n int) time.Time {
		return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * 3 * time.Second)
	}
	ids := func(rt *rapid.T, q ledger.Filter) (out []string) {
		err := s.Scan(t.Context(), q, func(r *mcpproxy.Record) error { out = append(out, r.ID); return nil })
		if err != nil {
			rt.Fatal(err)
		}
		return out
	}
	rapid.Check(t, func(rt *rapid.T) {
		pick := func(name string) bool { return rapid.IntRange(0, 2).Draw(rt, name) == 0 }
		q := ledger.Filter{OldestFirst: pick("oldest")}
		if pick("start") {
			q.Start = at(rapid.IntRange(-10, records+10).Draw(rt, "from"))
		}
		if pick("end") {
			q.End = at(rapid.IntRange(-10, records+10).Draw(rt, "until"))
		}
		if pick("status") {
			q.Status = mcpproxy.StatusSuccess
		}
		if pick("session") {
			q.Session = rapid.SampledFrom([]string{"session-1", "flow-0", "none"}).Draw(rt, "name")
		}
		if pick("cursor") {
			id := fmt.Sprintf("01J%023d", rapid.IntRange(700, records-1).Draw(rt, "cursor"))
			if q.OldestFirst {
				q.After = id
			} else {
				q.Before = id
			}
		}
		all := ids(rt, q)
		q.Offset, q.Limit = rapid.IntRange(0, records).Draw(rt, "offset"), rapid.IntRange(1, 100).Draw(rt, "limit")
		first := min(q.Offset, len(all))
		if want, got := all[first:min(first+q.Limit, len(all))], ids(rt, q); !slices.Equal(got, want) {
			rt.Errorf(
				"%+v: %d records from %v on, want %d from %v on",
				q,
				len(got),
				got[:min(1, len(got))],
				len(want),
				want[:min(1, len(want))],
			)
		}
	})
}
