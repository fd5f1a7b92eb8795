package sqlite_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/sqlite"
)

// segment is how many records share a row of segments.
const segment = 512 * 64

// longLog returns a log with n records, and the records.
func longLog(t *testing.T, long int) (path string, s *sqlite.Store, all []*mcpproxy.Record) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "activity.db")
	s = open(t, path)
	rng := rand.New(rand.NewPCG(1, 0))
	for i := range long {
		r := sample(i, 1, rng)
		if i%10_000 == 77 {
			r.ServerName, r.ToolName = "rare", fmt.Sprint("tool-", i)
		}
		if i%5000 == 3 {
			r.ToolName, r.Metadata.Kind = fmt.Sprint("file:///", i), mcpproxy.KindResource
		}
		all = append(all, r)
	}
	for at := 0; at < len(all); at += 2048 {
		if err := s.Append(t.Context(), all[at:min(at+2048, len(all))]); err != nil {
			t.Fatal(err)
		}
	}
	return path, s, all
}

// matching returns the ids of the records that match, in the order of a filter.
func matching(all []*mcpproxy.Record, q ledger.Filter) (ids []string) {
	for _, r := range all {
		switch {
		case q.Server != "" && r.ServerName != q.Server, q.Tool != "" && r.ToolName != q.Tool,
			q.Session != "" && r.SessionID != q.Session && r.FlowSessionID != q.Session,
			q.RequestID != "" && r.RequestID != q.RequestID, q.ParentID != "" && r.ParentID != q.ParentID,
			q.Status != "" && r.Status != q.Status, q.Types != nil && !slices.Contains(q.Types, r.Type),
			!q.Start.IsZero() && r.Timestamp.Before(q.Start), !q.End.IsZero() && r.Timestamp.After(q.End),
			q.Before != "" && r.ID >= q.Before, q.After != "" && r.ID <= q.After:
			continue
		}
		ids = append(ids, r.ID)
	}
	if !q.OldestFirst {
		slices.Reverse(ids)
	}
	return ids
}

// In a log of more than one segment, every search finds the same records as checking every record does, before and
// after the oldest records were removed. Changes that hide records from searches are found.
func TestALongLog(t *testing.T) {
	const long, gone = segment + 1400, 700
	path, s, all := longLog(t, long)
	searches(t, s, all)
	hiding(t, path, s)
	if done, err := s.Tidy(
		t.Context(),
		time.Now(),
		ledger.Rules{MaxRecords: long - gone},
	); err != nil ||
		done.Removed != gone {
		t.Fatalf("%+v, %v", done, err)
	}
	searches(t, s, all[gone:])
	if rep, err := s.Verify(t.Context()); err != nil || !rep.OK || rep.Records != long-gone {
		t.Fatalf("%+v, %v", rep, err)
	}
}

func searches(t *testing.T, s *sqlite.Store, all []*mcpproxy.Record) {
	t.Helper()
	at := func(n int) *mcpproxy.Record { return all[n*len(all)/100] }
	resource := ""
	for _, r := range all {
		if r.Metadata.Kind == mcpproxy.KindResource {
			resource = r.ToolName
		}
	}
	for name, q := range map[string]ledger.Filter{
		"everything":                  {},
		"a server":                    {Server: "server-7"},
		"a server with few records":   {Server: "rare"},
		"a tool":                      {Tool: at(50).ToolName},
		"a resource":                  {Tool: resource},
		"a session":                   {Session: at(30).SessionID},
		"a flow session":              {Session: at(60).FlowSessionID},
		"a session and a status":      {Session: at(30).SessionID, Status: mcpproxy.StatusBlocked},
		"a request":                   {RequestID: at(20).RequestID},
		"a request of the last block": {RequestID: at(99).RequestID},
		"a parent":                    {ParentID: at(40).ID},
		"a request and its session":   {RequestID: at(70).RequestID, Session: at(70).SessionID},
		"a request, another session":  {RequestID: at(70).RequestID, Session: at(10).SessionID},
		"a status":                    {Status: mcpproxy.StatusBlocked},
		"a span":                      {Start: at(20).Timestamp, End: at(80).Timestamp},
		"a short span":                {Start: at(20).Timestamp, End: at(20).Timestamp.Add(time.Minute)},
		"a span of a server":          {Start: at(5).Timestamp, End: at(95).Timestamp, Server: "rare"},
		"before one":                  {Before: at(50).ID, Server: "server-3"},
		"after one":                   {After: at(45).ID, Server: "server-3"},
		"before one, all":             {Before: at(2).ID},
		"nothing":                     {Server: "none"},
	} {
		q.OldestFirst = len(name)%2 == 0 // so one half of them
		want := matching(all, q)
		if q.Before == "" && q.After == "" {
			if n, err := s.Count(t.Context(), q); n != len(want) || err != nil {
				t.Errorf("%s: %d counted, %v, want %d", name, n, err, len(want))
			}
			if sum, err := s.Summarize(t.Context(), q); sum.Total != len(want) || err != nil {
				t.Errorf("%s: %d summed up, %v, want %d", name, sum.Total, err, len(want))
			}
		}
		q.Limit = 60
		q.Offset = len(want) * 2 / 3
		q.Brief = true
		var got []string
		if err := s.Scan(
			t.Context(),
			q,
			func(r *mcpproxy.Record) error { got = append(got, r.ID); return nil },
		); err != nil {
			t.Fatal(err)
		}
		if want = want[q.Offset:min(q.Offset+q.Limit, len(want))]; !slices.Equal(got, want) {
			t.Errorf("%s, oldest first %v: found %v, want %v", name, q.OldestFirst, got, want)
		}
	}
	for n := range 10 {
		if r, err := s.Get(t.Context(), at(n*10).ID); err != nil || r.ID != at(n*10).ID {
			t.Errorf("Get(%s) is %v, %v", at(n*10).ID, r, err)
		}
	}
}

// hiding checks that Verify finds every change that hides records from searches.
func hiding(t *testing.T, path string, s *sqlite.Store) {
	t.Helper()
	db, err := sql.Open("sqlite", path+"?_pragma=synchronous(0)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	problem, err := sqlite.Walked(t.Context(), s)
	if err != nil || problem() != "" {
		t.Fatalf("%v, or %q, before any change", err, problem())
	}
	for _, change := range []string{
		"UPDATE segments SET low = low + 1", "UPDATE segments SET high = high - 1", "UPDATE segments SET high_id = ''",
		"UPDATE segments SET counts = x''", "DELETE FROM segments", "INSERT INTO segments SELECT 1, low, high, high_id, counts FROM segments",
		"DELETE FROM terms", "DELETE FROM terms WHERE part = 17", "UPDATE terms SET entries = substr(entries, 5) WHERE part = 99",
		"UPDATE terms SET part = part + 256", "UPDATE terms SET entries = zeroblob(length(entries)) WHERE part = 3",
		"INSERT INTO terms SELECT part + 256, entries FROM terms", "UPDATE blocks SET terms = substr(terms, 5) WHERE block = 65",
		"UPDATE blocks SET terms = NULL", "UPDATE blocks SET terms = x'00000000' WHERE block = 3", "UPDATE blocks SET terms = x'00000000' WHERE block = 66",
		"UPDATE blocks SET high_id = 'z' WHERE block = 5", "UPDATE blocks SET counts = x'' WHERE block = 60",
	} {
		var undo []string
		for _, table := range []string{"segments", "terms", "blocks"} {
			undo = append(
				undo,
				"DELETE FROM "+table,
				"INSERT INTO "+table+" SELECT * FROM "+table+"_was",
				"DROP TABLE "+table+"_was",
			)
			run(t, db, "CREATE TABLE "+table+"_was AS SELECT * FROM "+table)
		}
		run(t, db, change)
		if problem() == "" {
			t.Errorf("%s: nothing is wrong", change)
		}
		run(t, db, undo...)
	}
	if problem() != "" {
		t.Errorf("%q after every change was undone", problem())
	}
}

func run(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}
