package sqlite_test

import (
	"context"
	"crypto/ed25519"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mcpproxy"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/ledger/sqlite"
)

const (
	cutOff = 2 // records that retention has removed
	total  = 6 // records in a tampered log; the first two have lost their bodies
)

func idOf(i int) string { return fmt.Sprintf("record-%d", i) }

// seqOf is the place of a record in the log.
func seqOf(i int) int { return i + cutOff + 1 }

// tables are all that a forger could change.
var tables = []string{"records", "bodies", "kinds", "scopes", "blocks", "checkpoints", "head"}

// victim is a file with a log of total records, and a way past its store.
type victim struct {
	*sqlite.Store
	db *sql.DB
}

func newVictim(t *testing.T) *victim {
	path := filepath.Join(t.TempDir(), "activity.db")
	v := &victim{Store: open(t, path)}
	for i := range cutOff + total {
		r := ledgertest.Full()
		r.ID = idOf(i - cutOff)
		r.Arguments, r.Response = fmt.Appendf(nil, `{"n":%d}`, i), fmt.Appendf(nil, `"result %d"`, i)
		r.Timestamp = r.Timestamp.Add(time.Duration(i) * time.Hour)
		if i%2 == 1 {
			r.ServerName, r.SessionID = "", ""
		}
		if err := v.Append(t.Context(), []*mcpproxy.Record{r}); err != nil {
			t.Fatal(err)
		}
	}
	now := ledgertest.Full().Timestamp.Add((cutOff + 2) * time.Hour)
	done, err := v.Tidy(t.Context(), now, ledger.Rules{MaxRecords: total, RedactAfter: time.Minute})
	if err != nil || done.Removed != cutOff || done.Redacted != 2 {
		t.Fatalf("tidying up: %+v, %v", done, err)
	}
	if v.db, err = sql.Open("sqlite", path+"?_pragma=synchronous(0)"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.db.Close() })
	for _, table := range tables {
		if _, err := v.db.Exec("CREATE TABLE " + table + "_was AS SELECT * FROM " + table); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

// heal undoes every change.
func (v *victim) heal(t *rapid.T) {
	all := "BEGIN"
	for _, table := range tables {
		all += "; DELETE FROM " + table + "; INSERT INTO " + table + " SELECT * FROM " + table + "_was"
	}
	if _, err := v.db.Exec(all + "; COMMIT"); err != nil {
		t.Fatal(err)
	}
	if rep, err := v.Verify(context.Background()); err != nil || !rep.OK || rep.Records != total || rep.Redacted != 2 || rep.Removed != cutOff {
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
	if len(ids) > 0 && !slices.Contains(ids, rep.BadID) {
		t.Fatalf("found %q at %q, want one of %q", rep.Problem, rep.BadID, ids)
	}
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

// change is one cell of the file, changed a little.
type change struct{ table, column string }

// mutate changes one cell of one row, and returns the row's number.
func (v *victim) mutate(t *rapid.T, table string) (c change, rowid int64) {
	key := map[string]string{"checkpoints": "seq", "head": "one", "kinds": "kind", "scopes": "scope", "blocks": "block"}[table]
	if key == "" {
		key = "seq"
	}
	columns := v.strings(t, "SELECT name FROM pragma_table_info(?) WHERE name <> 'one' ORDER BY cid", table)
	rows := v.strings(t, "SELECT "+key+" FROM "+table+" ORDER BY 1")
	row := rapid.SampledFrom(rows).Draw(t, "row of "+table)
	c = change{table, rapid.SampledFrom(columns).Draw(t, "column")}
	var was any
	if err := v.db.QueryRow("SELECT "+c.column+" FROM "+table+" WHERE "+key+" = ?", row).Scan(&was); err != nil {
		t.Fatal(err)
	}
	now := mutated(t, was, strings.Contains("body salt arguments response proof signature counts", c.column))
	t.Logf("%s.%s of %s: %.80q becomes %.80q", table, c.column, row, was, now)
	res, err := v.db.Exec("UPDATE "+table+" SET "+c.column+" = ? WHERE rowid = (SELECT rowid FROM "+table+" WHERE "+key+" = ? LIMIT 1)", now, row)
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := res.RowsAffected(); n == 0 {
		t.Fatal("nothing was changed")
	}
	_, _ = fmt.Sscan(row, &rowid)
	return c, rowid
}

func mutated(t *rapid.T, was any, blob bool) any {
	switch was := was.(type) {
	case nil:
		return []byte{'x'}
	case int64:
		return was + rapid.Int64Range(1, 3).Draw(t, "by")*rapid.SampledFrom([]int64{100, -100}).Draw(t, "sign")
	case []byte:
		at := rapid.IntRange(0, len(was)-1).Draw(t, "byte")
		was[at] ^= byte(1 << rapid.IntRange(0, 7).Draw(t, "bit"))
		return was
	case string:
		if was == "" {
			return "x"
		}
		at := rapid.IntRange(0, len(was)-1).Draw(t, "byte")
		letter := byte('y')
		if was[at] == letter {
			letter = 'z'
		}
		return was[:at] + string(letter) + was[at+1:]
	}
	t.Fatalf("%T", was)
	return nil
}

func (v *victim) strings(t *rapid.T, query string, args ...any) (all []string) {
	rows, err := v.db.Query(query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

func TestVerifyFinds(t *testing.T) {
	property(t, "a change of any cell of any table", func(t *rapid.T, v *victim) {
		table := rapid.SampledFrom(tables).Draw(t, "table")
		c, row := v.mutate(t, table)
		switch {
		case c.column == "seq", table != "records" && table != "bodies":
			v.caught(t)
		default:
			v.caught(t, idOf(int(row)-cutOff-1))
		}
	})
	property(t, "bodies taken away", func(t *rapid.T, v *victim) {
		i := sequence(t, "record", 2, total-1)
		what := rapid.SampledFrom([]string{"arguments = NULL", "response = NULL", "salt = NULL", "salt = NULL, arguments = NULL, response = NULL",
			"arguments = response", "salt = NULL, arguments = NULL, response = NULL, form = 3"}).Draw(t, "what")
		v.exec(t, "UPDATE bodies SET "+what+" WHERE seq = ?", seqOf(i))
		v.caught(t, idOf(i))
	})
	property(t, "bodies exchanged between records", func(t *rapid.T, v *victim) {
		a := sequence(t, "first", 2, total-2)
		b := sequence(t, "second", a+1, total-1)
		what := rapid.SampledFrom([]string{"arguments", "response", "salt, arguments, response"}).Draw(t, "what")
		v.exec(t, "UPDATE bodies SET ("+what+") = (SELECT "+what+" FROM bodies_was WHERE seq = ?) WHERE seq = ?", seqOf(b), seqOf(a))
		v.caught(t, idOf(a))
	})
	property(t, "a removal from any table", func(t *rapid.T, v *victim) {
		table := rapid.SampledFrom(tables).Draw(t, "table")
		v.exec(t, "DELETE FROM "+table)
		v.caught(t)
	})
	property(t, "a removal from one of the tables of records", func(t *rapid.T, v *victim) {
		i := sequence(t, "record", 0, total-1)
		v.exec(t, "DELETE FROM "+rapid.SampledFrom([]string{"records", "bodies"}).Draw(t, "table")+" WHERE seq = ?", seqOf(i))
		v.caught(t, idOf(i))
	})
	property(t, "a removal of records that others follow", func(t *rapid.T, v *victim) {
		from := sequence(t, "from", 0, total-2)
		to := sequence(t, "to", from, total-2)
		for _, table := range []string{"records", "bodies"} {
			v.exec(t, "DELETE FROM "+table+" WHERE seq BETWEEN ? AND ?", seqOf(from), seqOf(to))
		}
		v.caught(t, idOf(to+1))
	})
	property(t, "a removal of the last records, with the head set back", func(t *rapid.T, v *victim) {
		from := sequence(t, "from", 1, total-1)
		for _, table := range []string{"records", "bodies"} {
			v.exec(t, "DELETE FROM "+table+" WHERE seq >= ?", seqOf(from))
		}
		if rapid.Bool().Draw(t, "head") {
			v.exec(t, "UPDATE head SET (seq, hash) = (SELECT seq, hash FROM bodies ORDER BY seq DESC LIMIT 1)")
		}
		v.caught(t, idOf(from-1), idOf(total-1))
	})
	property(t, "a removal of everything", func(t *rapid.T, v *victim) {
		for _, table := range tables {
			if table != "checkpoints" && table != "head" {
				v.exec(t, "DELETE FROM "+table)
			}
		}
		v.exec(t, "DELETE FROM "+rapid.SampledFrom([]string{"checkpoints", "head"}).Draw(t, "table"))
		v.caught(t)
	})
	property(t, "a swap in one table or both", func(t *rapid.T, v *victim) {
		a := sequence(t, "first", 0, total-2)
		b := sequence(t, "second", a+1, total-1)
		tables := rapid.SampledFrom([][]string{{"records"}, {"bodies"}, {"records", "bodies"}}).Draw(t, "tables")
		for _, table := range tables {
			for _, move := range [][2]int{{seqOf(a), -1}, {seqOf(b), seqOf(a)}, {-1, seqOf(b)}} {
				v.exec(t, "UPDATE "+table+" SET seq = ? WHERE seq = ?", move[1], move[0])
			}
		}
		v.caught(t, idOf(a), idOf(b))
	})
	property(t, "an insertion", func(t *rapid.T, v *victim) {
		v.insert(t)
	})
	property(t, "a chain written anew from some record on", func(t *rapid.T, v *victim) {
		v.rewrite(t)
	})
}

// insert puts a copy of a record, under another id, in another place.
func (v *victim) insert(t *rapid.T) {
	i := sequence(t, "copied", 0, total-1)
	at := rapid.SampledFrom([]int{-5, 0, 1, cutOff, seqOf(total), seqOf(total + 100)}).Draw(t, "place")
	sealed := rapid.Bool().Draw(t, "sealed")
	r, err := v.Get(context.Background(), idOf(i))
	if err != nil {
		t.Fatal(err)
	}
	prev := r.PrevHash
	if at == seqOf(total) { // where it would fit
		last, err := v.Get(context.Background(), idOf(total-1))
		if err != nil {
			t.Fatal(err)
		}
		prev = last.Hash
	}
	r.ID = "inserted"
	s, err := ledger.Seal(prev, r)
	if err != nil {
		t.Fatal(err)
	}
	if !sealed { // a forger who does not know how the chain is made
		s.Hash = strings.Repeat("0", 64)
	}
	v.store(t, at, s)
	v.exec(t, "INSERT INTO records SELECT ?, 'inserted', ts, kind, session, flow, request_id, parent_id FROM records WHERE seq = ?", at, seqOf(i))
	v.caught(t, "inserted", idOf(0), idOf(total-1))
}

func (v *victim) store(t *rapid.T, seq int, s ledger.Sealed) {
	v.exec(t, "INSERT OR REPLACE INTO bodies (seq, form, body, prev, hash, salt, arguments, response) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		seq, int(s.Form), s.Body, s.Prev, s.Hash, s.Salt, s.Arguments, s.Response)
}

// rewrite changes a record and works out every hash after it, as somebody can who
// has all but the key.
func (v *victim) rewrite(t *rapid.T) {
	i := sequence(t, "record", 2, total-1)
	prev := ""
	for n := i; n < total; n++ {
		r, err := v.Get(context.Background(), idOf(n))
		if err != nil {
			t.Fatal(err)
		}
		if n == i {
			r.Metadata.Reason, prev = "another", r.PrevHash
		}
		s, err := ledger.Seal(prev, r)
		if err != nil {
			t.Fatal(err)
		}
		v.store(t, seqOf(n), s)
		prev = s.Hash
	}
	if rapid.Bool().Draw(t, "head") {
		v.exec(t, "UPDATE head SET hash = ?", prev)
	}
	if rapid.Bool().Draw(t, "another key") {
		v.resign(t)
	}
	v.caught(t)
}

// resign signs the end with a key of the forger's own.
func (v *victim) resign(t *rapid.T) {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := ledger.Checkpoint{Seq: int64(seqOf(total - 1)), ID: idOf(total - 1), Count: total, Reason: ledger.ReasonHead}
	if err := v.db.QueryRow("SELECT hash FROM bodies WHERE seq = ?", c.Seq).Scan(&c.Hash); err != nil {
		t.Fatal(err)
	}
	c = ledger.NewSigner(key).Sign(c, time.Now())
	v.exec(t, "UPDATE head SET hash = ?, time = ?, key = ?, signature = ?", c.Hash, c.Time.UnixMicro(), c.Key, c.Signature)
}
