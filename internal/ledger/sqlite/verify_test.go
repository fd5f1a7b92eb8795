package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcpproxy"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/ledger/sqlite"
)

const total = 6 // records in a tampered log

func idOf(i int) string { return fmt.Sprintf("record-%d", i) }

// columns of both tables that a forger could change, with a value that no
// record of the test has.
var columns = map[string]string{
	"records.id": `'forged'`, "records.ts": `ts + 1`, "records.type": `'flow_summary'`, "records.server": `'forged'`,
	"records.tool": `'forged'`, "records.session": `'forged'`, "records.flow_session": `'forged'`,
	"records.request_id": `'forged'`, "records.parent_id": `'forged'`, "records.status": `'rejected'`,
	"records.decision": `'warn'`, "records.risk": `risk - 1`, "records.flow_type": `'forged'`,
	"records.sensitive": `1 - sensitive`, "records.detections": `',forged,'`, "records.severity": `severity - 1`,
	"bodies.hash": `replace(hash, substr(hash, 1, 1), '_')`, "bodies.prev": `prev || '0'`,
	"bodies.body": `CAST(replace(CAST(body AS TEXT), '"status":"', '"status": "') AS BLOB)`,
}

// victim is a file with a log of total records, and a way past its store.
type victim struct {
	*sqlite.Store
	db *sql.DB
}

func newVictim(t *testing.T) *victim {
	path := filepath.Join(t.TempDir(), "activity.db")
	v := &victim{Store: open(t, path)}
	var records []*mcpproxy.Record
	for i := range total {
		r := ledgertest.Full()
		r.ID = idOf(i)
		records = append(records, r)
	}
	if err := v.Append(t.Context(), records); err != nil {
		t.Fatal(err)
	}
	var err error
	if v.db, err = sql.Open("sqlite", path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.db.Close() })
	_, err = v.db.Exec("CREATE TABLE records_was AS SELECT * FROM records; CREATE TABLE bodies_was AS SELECT * FROM bodies")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// heal undoes every change.
func (v *victim) heal(t *rapid.T) {
	for _, table := range []string{"records", "bodies"} {
		if _, err := v.db.Exec("DELETE FROM " + table + "; INSERT INTO " + table + " SELECT * FROM " + table + "_was"); err != nil {
			t.Fatal(err)
		}
	}
	if rep, err := v.Verify(context.Background()); err != nil || !rep.OK || rep.Records != total {
		t.Fatalf("before any change: %+v, %v", rep, err)
	}
}

func (v *victim) exec(t *rapid.T, statement string, args ...any) {
	t.Logf("%s %v", statement, args)
	res, err := v.db.Exec(statement, args...)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		t.Fatalf("%s changed nothing (%v)", statement, err)
	}
}

// caught fails unless Verify finds the log wrong and names one of ids.
func (v *victim) caught(t *rapid.T, ids ...string) {
	rep, err := v.Verify(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if rep.OK || rep.Problem == "" {
		t.Fatalf("the change was not found: %+v", rep)
	}
	for _, id := range ids {
		if rep.BadID == id {
			return
		}
	}
	t.Fatalf("found %q at %q, want one of %q", rep.Problem, rep.BadID, ids)
}

func sequence(t *rapid.T, name string, from, to int) int {
	return rapid.IntRange(from, to).Draw(t, name)
}

// property checks a law on a log that is whole each time.
func property(t *testing.T, name string, law func(*rapid.T, *victim)) {
	t.Run(name, func(t *testing.T) {
		v := newVictim(t)
		rapid.Check(t, func(t *rapid.T) {
			v.heal(t)
			law(t, v)
		})
	})
}

func TestVerifyFinds(t *testing.T) {
	property(t, "an edit of any column of any record", func(t *rapid.T, v *victim) {
		i := sequence(t, "record", 0, total-1)
		column := rapid.SampledFrom(sorted(columns)).Draw(t, "column")
		table, name, _ := strings.Cut(column, ".")
		v.exec(t, "UPDATE "+table+" SET "+name+" = "+columns[column]+" WHERE seq = ?", i+1)
		v.caught(t, idOf(i))
	})
	property(t, "any changed byte of any body", func(t *rapid.T, v *victim) {
		i := sequence(t, "record", 0, total-1)
		var body []byte
		if err := v.db.QueryRow("SELECT body FROM bodies WHERE seq = ?", i+1).Scan(&body); err != nil {
			t.Fatal(err)
		}
		at := rapid.IntRange(0, len(body)-1).Draw(t, "byte")
		body[at] ^= byte(1 << rapid.IntRange(0, 7).Draw(t, "bit"))
		v.exec(t, "UPDATE bodies SET body = ? WHERE seq = ?", body, i+1)
		v.caught(t, idOf(i))
	})
	property(t, "a removal from one table", func(t *rapid.T, v *victim) {
		i := sequence(t, "record", 0, total-1)
		v.exec(t, "DELETE FROM "+rapid.SampledFrom([]string{"records", "bodies"}).Draw(t, "table")+" WHERE seq = ?", i+1)
		v.caught(t, idOf(i))
	})
	property(t, "a removal of records that others follow", func(t *rapid.T, v *victim) {
		from := sequence(t, "from", 0, total-2)
		to := sequence(t, "to", from, total-2)
		for _, table := range []string{"records", "bodies"} {
			v.exec(t, "DELETE FROM "+table+" WHERE seq BETWEEN ? AND ?", from+1, to+1)
		}
		v.caught(t, idOf(to+1))
	})
	property(t, "a removal of the last records", func(t *rapid.T, v *victim) {
		from := sequence(t, "from", 0, total-1)
		for _, table := range []string{"records", "bodies"} {
			v.exec(t, "DELETE FROM "+table+" WHERE seq >= ?", from+1)
		}
		rep, err := v.Verify(context.Background())
		if err != nil || rep.OK {
			t.Fatalf("nobody misses the last %d records: %+v, %v", total-from, rep, err)
		}
	})
	property(t, "a swap in one table or both", func(t *rapid.T, v *victim) {
		a := sequence(t, "first", 0, total-2)
		b := sequence(t, "second", a+1, total-1)
		tables := rapid.SampledFrom([][]string{{"records"}, {"bodies"}, {"records", "bodies"}}).Draw(t, "tables")
		for _, table := range tables {
			for _, move := range [][2]int{{a + 1, -1}, {b + 1, a + 1}, {-1, b + 1}} {
				v.exec(t, "UPDATE "+table+" SET seq = ? WHERE seq = ?", move[1], move[0])
			}
		}
		v.caught(t, idOf(a), idOf(b))
	})
	property(t, "an insertion", func(t *rapid.T, v *victim) {
		v.insert(t)
	})
}

// insert puts a copy of a record, under another id, in another place.
func (v *victim) insert(t *rapid.T) {
	i := sequence(t, "copied", 0, total-1)
	at := rapid.SampledFrom([]int{-5, 0, total + 1, total + 100}).Draw(t, "place")
	sealed := rapid.Bool().Draw(t, "sealed")
	r, err := v.Get(context.Background(), idOf(i))
	if err != nil {
		t.Fatal(err)
	}
	prev := r.PrevHash
	r.ID = "inserted"
	body, hash, err := ledger.Seal(prev, r)
	if err != nil {
		t.Fatal(err)
	}
	if !sealed { // a forger who does not know how the chain is made
		hash = strings.Repeat("0", 64)
	}
	v.exec(t, "INSERT INTO bodies (seq, body, prev, hash) VALUES (?, ?, ?, ?)", at, body, prev, hash)
	v.exec(t, `INSERT INTO records SELECT ?, 'inserted', ts, type, server, tool, session, flow_session, request_id,
		parent_id, status, decision, risk, flow_type, sensitive, detections, severity FROM records WHERE seq = ?`, at, i+1)
	v.caught(t, "inserted", idOf(0), idOf(total-1))
}

func sorted(m map[string]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	// Rapid replays by position, so the order must not change between runs.
	slices.Sort(keys)
	return keys
}
