// Package ledgertest holds the contract that every ledger.Store must keep.
package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// Open returns an empty store, which the test's cleanup closes.
type Open func(t *testing.T) ledger.Store

// Run tests the stores that open returns against the contract of ledger.Store.
func Run(t *testing.T, open Open) {
	for name, check := range map[string]func(*testing.T, ledger.Store){
		"a record is returned unchanged":                 comesBack,
		"an unknown id is ErrNotFound":                   notFound,
		"every field of a filter selects":                filters,
		"the order is that of writing":                   order,
		"limit, offset and cursor page through":          paging,
		"a scan ends when its callback returns an error": scanStops,
		"a batch is stored completely or not at all":     wholeBatches,
		"records form a chain":                           chain,
		"an empty log is in order":                       emptyIsFine,
		"a reader may read while another one does":       nestedReads,
		"a cancelled reader gets an error":               cancelled,
		"verifying beside a writer raises no alarm":      verifyBeside,
		"old records go, and the chain holds":            retention,
		"old bodies go, and the chain holds":             redaction,
		"tidying up goes on beside a writer":             beside,
		"a breakdown adds up":                            breakdown,
		"the values of a field are those in use":         values,
		"a brief scan leaves bodies out":                 brief,
	} {
		t.Run(name, func(t *testing.T) { check(t, open(t)) })
	}
}

// ids returns the ids of the matching records in the order of the scan.
func ids(t *testing.T, s ledger.Store, q ledger.Filter) []string {
	t.Helper()
	got := []string{}
	err := s.Scan(t.Context(), q, func(r *mcpproxy.Record) error { got = append(got, r.ID); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func add(t *testing.T, s ledger.Store, records ...*mcpproxy.Record) {
	t.Helper()
	if err := s.Append(t.Context(), records); err != nil {
		t.Fatal(err)
	}
}

// Record returns a minimal record with the id.
func Record(id string) *mcpproxy.Record {
	return &mcpproxy.Record{
		ID:        id,
		Type:      mcpproxy.RecordToolCall,
		Source:    "mcp",
		Status:    mcpproxy.StatusSuccess,
		Timestamp: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		RiskLevel: mcpproxy.RiskNone,
	}
}

// numbered adds n records, in batches, and returns their ids.
func numbered(t *testing.T, s ledger.Store, n int) []string {
	t.Helper()
	var all []string
	var batch []*mcpproxy.Record
	for i := range n {
		r := Record(fmt.Sprintf("record-%03d", i))
		r.Timestamp = r.Timestamp.Add(time.Duration(i) * time.Second)
		all, batch = append(all, r.ID), append(batch, r)
		if i%3 == 0 || i == n-1 {
			add(t, s, batch...)
			batch = nil
		}
	}
	return all
}

func comesBack(t *testing.T, s ledger.Store) {
	r := Full()
	want := *r
	add(t, s, r)
	got, err := s.Get(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got.Hash == "" {
		t.Error("the record came back without its hash")
	}
	got.PrevHash, got.Hash = "", ""
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Error(diff)
	}
}

func notFound(t *testing.T, s ledger.Store) {
	add(t, s, Record("here"))
	for _, id := range []string{"there", "", "HERE", "her_", "%"} {
		if r, err := s.Get(t.Context(), id); !errors.Is(err, ledger.ErrNotFound) {
			t.Errorf("Get(%q) gave %v, %v", id, r, err)
		}
	}
}

func order(t *testing.T, s ledger.Store) {
	// The clock may go backwards; the log keeps the order of writing.
	a := Record("zz")
	b := Record("mm")
	c := Record("aa")
	b.Timestamp = b.Timestamp.Add(-time.Hour)
	add(t, s, a, b)
	add(t, s, c)
	if got := ids(t, s, ledger.Filter{}); !slices.Equal(got, []string{"aa", "mm", "zz"}) {
		t.Errorf("newest first: %v", got)
	}
	if got := ids(t, s, ledger.Filter{OldestFirst: true}); !slices.Equal(got, []string{"zz", "mm", "aa"}) {
		t.Errorf("oldest first: %v", got)
	}
}

func paging(t *testing.T, s ledger.Store) {
	oldest := numbered(t, s, 10)
	newest := slices.Clone(oldest)
	slices.Reverse(newest)
	for name, c := range map[string]struct {
		q    ledger.Filter
		want []string
	}{
		"a limit takes the newest":                     {ledger.Filter{Limit: 3}, newest[:3]},
		"a limit takes the oldest if asked":            {ledger.Filter{Limit: 3, OldestFirst: true}, oldest[:3]},
		"a limit above the number is not an error":     {ledger.Filter{Limit: 100}, newest},
		"an offset skips":                              {ledger.Filter{Limit: 3, Offset: 4}, newest[4:7]},
		"an offset without a limit skips":              {ledger.Filter{Offset: 4}, newest[4:]},
		"an offset beyond the end leaves nothing":      {ledger.Filter{Limit: 3, Offset: 10}, []string{}},
		"a cursor takes what is older":                 {ledger.Filter{Before: newest[2]}, newest[3:]},
		"a cursor and a limit make a page":             {ledger.Filter{Before: newest[2], Limit: 2}, newest[3:5]},
		"a cursor at the oldest leaves nothing":        {ledger.Filter{Before: newest[9]}, []string{}},
		"a cursor keeps its side when read from there": {ledger.Filter{Before: newest[6], OldestFirst: true}, oldest[:3]},
		"a cursor takes what is newer":                 {ledger.Filter{After: oldest[6], OldestFirst: true}, oldest[7:]},
		"a cursor between two":                         {ledger.Filter{After: oldest[2], Before: oldest[5]}, newest[5:7]},
		"a cursor that nobody has leaves nothing":      {ledger.Filter{Before: "nobody"}, []string{}},
	} {
		if got := ids(t, s, c.q); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
	if n, err := s.Count(t.Context(), ledger.Filter{Limit: 3, Offset: 4}); n != 10 || err != nil {
		t.Errorf("Count with a limit and an offset is %d, %v; want 10", n, err)
	}
}

func scanStops(t *testing.T, s ledger.Store) {
	numbered(t, s, 5)
	enough, seen := errors.New("enough"), 0
	err := s.Scan(t.Context(), ledger.Filter{}, func(*mcpproxy.Record) error {
		if seen++; seen == 2 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || seen != 2 {
		t.Errorf("after %d records: %v", seen, err)
	}
}

func wholeBatches(t *testing.T, s ledger.Store) {
	add(t, s, Record("a"))
	unwritable := Record("c")
	unwritable.Arguments = []byte("{not JSON")
	for name, batch := range map[string][]*mcpproxy.Record{
		"a record that is not JSON": {Record("b"), unwritable, Record("d")},
		"an id that is there":       {Record("b"), Record("a"), Record("d")},
	} {
		if err := s.Append(t.Context(), batch); err == nil {
			t.Errorf("%s was appended without an error", name)
		}
		if got := ids(t, s, ledger.Filter{}); !slices.Equal(got, []string{"a"}) {
			t.Errorf("%s: the log holds %v", name, got)
		}
	}
	add(t, s, Record("e"))
	if got := ids(t, s, ledger.Filter{}); !slices.Equal(got, []string{"e", "a"}) {
		t.Errorf("after a failure the log holds %v", got)
	}
	verified(t, s, 2)
}

func verified(t *testing.T, s ledger.Store, records int) ledger.Report {
	t.Helper()
	rep, err := s.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !rep.OK || rep.Records != records {
		t.Fatalf("the chain does not hold: %+v, want %d good records", rep, records)
	}
	return rep
}

func chain(t *testing.T, s ledger.Store) {
	all := numbered(t, s, 7)
	head := ""
	for _, id := range all {
		r, err := s.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if r.PrevHash != head || len(r.Hash) != 64 || r.Hash == head {
			t.Errorf("%s has the hash %q and follows %q, not the record before it (%q)", id, r.Hash, r.PrevHash, head)
		}
		head = r.Hash
	}
	err := s.Scan(t.Context(), ledger.Filter{Limit: 1}, func(r *mcpproxy.Record) error {
		if r.Hash != head {
			t.Errorf("Scan gives the hash %s, Get gave %s", r.Hash, head)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if rep := verified(t, s, 7); rep.Head != head {
		t.Errorf("Verify ends at %s, the newest record has %s", rep.Head, head)
	}
}

func emptyIsFine(t *testing.T, s ledger.Store) {
	verified(t, s, 0)
	if n, err := s.Count(t.Context(), ledger.Filter{}); n != 0 || err != nil {
		t.Errorf("Count is %d, %v", n, err)
	}
	if err := s.Append(t.Context(), nil); err != nil {
		t.Errorf("appending nothing: %v", err)
	}
}

func nestedReads(t *testing.T, s ledger.Store) {
	numbered(t, s, 3)
	err := s.Scan(t.Context(), ledger.Filter{}, func(r *mcpproxy.Record) error {
		again, err := s.Get(t.Context(), r.ID)
		if err == nil && again.ID != r.ID {
			err = errors.New("another record")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func cancelled(t *testing.T, s ledger.Store) {
	numbered(t, s, 3)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Scan(ctx, ledger.Filter{}, func(*mcpproxy.Record) error { return nil }); err == nil {
		t.Error("Scan took no notice")
	}
	if _, err := s.Count(ctx, ledger.Filter{}); err == nil {
		t.Error("Count took no notice")
	}
}

func verifyBeside(t *testing.T, s ledger.Store) {
	done := make(chan error, 1)
	go func() {
		var err error
		for i := 0; i < 200 && err == nil; i++ {
			err = s.Append(context.Background(), []*mcpproxy.Record{Record(fmt.Sprint("r", i))})
		}
		done <- err
	}()
	for {
		rep, err := s.Verify(t.Context())
		if err != nil || !rep.OK {
			t.Errorf("while records are written: %+v, %v", rep, err)
		}
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			verified(t, s, 200)
			return
		default:
			if t.Failed() {
				t.Logf("the writer ended with %v", <-done)
				return
			}
		}
	}
}
