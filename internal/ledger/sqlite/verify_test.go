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

// seqOf returns the sequence number of a record in the log.
func seqOf(i int) int { return i + cutOff + 1 }

// tables are the tables that an attacker could change.
var tables = []string{"pieces", "kinds", "scopes", "blocks", "checkpoints", "head"}

// tamperedLog is a file with a log of total records, which the test can change without using the store.
type tamperedLog struct {
	*sqlite.Store
	db *sql.DB
}

func newVictim(t *testing.T) *tamperedLog {
	path := filepath.Join(t.TempDir(), "activity.db")
	v := &tamperedLog{Store: open(t, path)}
	var batch []*mcpproxy.Record // two pieces with three, one with two
	for i := range cutOff + total {
		r := ledgertest.Full()
		r.ID = idOf(i - cutOff)
		r.Arguments, r.Response = fmt.Appendf(nil, `{"n":%d}`, i), fmt.Appendf(nil, `"result %d"`, i)
		r.Timestamp = r.Timestamp.Add(time.Duration(i) * time.Hour)
		if i%2 == 1 {
			r.ServerName, r.SessionID = "", ""
		}
		if batch = append(batch, r); len(batch) < 3 && i < cutOff+total-1 {
			continue
		}
		if err := v.Append(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
		batch = nil
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

// repair undoes every change.
func (v *tamperedLog) repair(t *rapid.T) {
	all := "BEGIN"
	for _, table := range tables {
		all += "; DELETE FROM " + table + "; INSERT INTO " + table + " SELECT * FROM " + table + "_was"
	}
	if _, err := v.db.Exec(all + "; COMMIT"); err != nil {
		t.Fatal(err)
	}
	if rep, err := v.Verify(
		context.Background(),
	); err != nil || !rep.OK || rep.Records != total || rep.Redacted != 2 ||
		rep.Removed != cutOff {
		t.Fatalf("before any change: %+v, %v", rep, err)
	}
}

func (v *tamperedLog) exec(t *rapid.T, statement string, args ...any) {
	t.Logf("%s %v", statement, args)
	res, err := v.db.Exec(statement, args...)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		t.Fatalf("%s changed nothing (%v)", statement, err)
	}
}

// caught checks that Verify finds the log damaged and names one of ids.
func (v *tamperedLog) caught(t *rapid.T, ids ...string) {
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

// property checks a property with a log that is intact at the beginning of each case.
func property(t *testing.T, name string, law func(*rapid.T, *tamperedLog)) {
	t.Run(name, func(t *testing.T) {
		v := newVictim(t)
		rapid.Check(t, func(t *rapid.T) {
			v.repair(t)
			law(t, v)
		})
	})
}

// Shows: RFC-30.
func TestVerifyFinds(t *testing.T) {
	property(t, "a change of any cell of any table", func(t *rapid.T, v *tamperedLog) {
		table := rapid.SampledFrom(tables).Draw(t, "table")
		c, seq := v.mutate(t, table)
		switch {
		case c.column == "first", table != "pieces":
			v.caught(t)
		default:
			v.caught(t, idOf(int(seq)-cutOff-1))
		}
	})
	property(t, "bodies taken away", func(t *rapid.T, v *tamperedLog) {
		i := sequence(t, "record", 2, total-1)
		all := v.read(t)
		switch s := all[i].Sealed; rapid.IntRange(0, 5).Draw(t, "what") {
		case 0:
			s.Arguments = nil
		case 1:
			s.Response = nil
		case 2:
			s.Salt = nil
		case 3:
			s.Salt = nil
			s.Arguments = nil
			s.Response = nil
		case 4:
			s.Arguments = s.Response
		case 5:
			s.Salt = nil
			s.Arguments = nil
			s.Response = nil
			s.Form = ledger.FormSworn
		}
		v.write(t, all)
		v.caught(t, idOf(i))
	})
	property(t, "bodies exchanged between records", func(t *rapid.T, v *tamperedLog) {
		a := sequence(t, "first", 2, total-2)
		b := sequence(t, "second", a+1, total-1)
		all := v.read(t)
		one, other := all[a].Sealed, all[b].Sealed
		switch rapid.IntRange(0, 2).Draw(t, "what") {
		case 0:
			one.Arguments, other.Arguments = other.Arguments, one.Arguments
		case 1:
			one.Response, other.Response = other.Response, one.Response
		case 2:
			one.Salt, one.Arguments, one.Response, other.Salt, other.Arguments, other.Response =
				other.Salt, other.Arguments, other.Response, one.Salt, one.Arguments, one.Response
		}
		v.write(t, all)
		v.caught(t, idOf(a))
	})
	property(t, "a removal from any table", func(t *rapid.T, v *tamperedLog) {
		table := rapid.SampledFrom(tables).Draw(t, "table")
		v.exec(t, "DELETE FROM "+table)
		v.caught(t)
	})
	property(t, "a removal of half a record", func(t *rapid.T, v *tamperedLog) {
		i := sequence(t, "record", 0, total-1)
		all := v.read(t)
		if rapid.Bool().Draw(t, "row") {
			all[i].Row = nil
		} else {
			all[i].Sealed = nil
		}
		v.write(t, all)
		v.caught(t, idOf(i))
	})
	property(t, "a removal of records that others follow", func(t *rapid.T, v *tamperedLog) {
		from := sequence(t, "from", 0, total-2)
		to := sequence(t, "to", from, total-2)
		all := v.read(t)
		v.write(t, slices.Delete(all, from, to+1))
		v.caught(t, idOf(to+1))
	})
	property(t, "a removal of records, the others moved up", func(t *rapid.T, v *tamperedLog) {
		i := sequence(t, "record", 0, total-2)
		all := slices.Delete(v.read(t), i, i+1)
		for n := i; n < len(all); n++ {
			all[n].Seq--
		}
		v.write(t, all)
		v.caught(t, idOf(i+1))
	})
	property(t, "a removal of the last records, with the head set back", func(t *rapid.T, v *tamperedLog) {
		from := sequence(t, "from", 1, total-1)
		all := v.read(t)[:from]
		v.write(t, all)
		if rapid.Bool().Draw(t, "head") {
			v.exec(t, "UPDATE head SET seq = ?, hash = ?", all[from-1].Seq, all[from-1].Sealed.Hash)
		}
		v.caught(t, idOf(from-1), idOf(total-1))
	})
	property(t, "a removal of everything", func(t *rapid.T, v *tamperedLog) {
		for _, table := range tables {
			if table != "checkpoints" && table != "head" {
				v.exec(t, "DELETE FROM "+table)
			}
		}
		v.exec(t, "DELETE FROM "+rapid.SampledFrom([]string{"checkpoints", "head"}).Draw(t, "table"))
		v.caught(t)
	})
	property(t, "a swap of rows, of records or of both", func(t *rapid.T, v *tamperedLog) {
		a := sequence(t, "first", 0, total-2)
		b := sequence(t, "second", a+1, total-1)
		all, what := v.read(t), rapid.IntRange(0, 2).Draw(t, "what")
		if what != 0 {
			all[a].Row, all[b].Row = all[b].Row, all[a].Row
		}
		if what != 1 {
			all[a].Sealed, all[b].Sealed = all[b].Sealed, all[a].Sealed
		}
		v.write(t, all)
		v.caught(t, idOf(a), idOf(b))
	})
	property(t, "an insertion", func(t *rapid.T, v *tamperedLog) {
		v.insert(t)
	})
	property(t, "a chain written anew from some record on", func(t *rapid.T, v *tamperedLog) {
		v.rewrite(t)
	})
}

// insert copies a record, with another id, to another place.
func (v *tamperedLog) insert(t *rapid.T) {
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
	if !sealed { // an attacker who does not know how the chain is computed
		s.Hash = strings.Repeat("0", 64)
	}
	first, prev, rows, bodies, beside := sqlite.Pack(
		[]sqlite.Stored{{Seq: int64(at), Row: sqlite.Renamed(v.read(t)[i].Row, "inserted"), Sealed: &s}},
	)
	v.exec(t, "INSERT OR REPLACE INTO pieces VALUES (?, ?, ?, ?, ?)", first, prev, rows, bodies, beside)
	v.caught(t, "inserted", idOf(0), idOf(total-1))
}

// rewrite changes a record and recomputes all later hashes, as an attacker could who has everything except the key.
func (v *tamperedLog) rewrite(t *rapid.T) {
	i := sequence(t, "record", 2, total-1)
	prev, all := "", v.read(t)
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
		all[n].Sealed = &s
		prev = s.Hash
	}
	v.write(t, all)
	if rapid.Bool().Draw(t, "head") {
		v.exec(t, "UPDATE head SET hash = ?", prev)
	}
	if rapid.Bool().Draw(t, "another key") {
		v.resign(t)
	}
	v.caught(t)
}

// resign signs the end with the attacker's own key.
func (v *tamperedLog) resign(t *rapid.T) {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := ledger.Checkpoint{
		Seq:    int64(seqOf(total - 1)),
		ID:     idOf(total - 1),
		Count:  total,
		Reason: ledger.ReasonHead,
	}
	c.Hash = v.read(t)[total-1].Sealed.Hash
	c = ledger.NewSigner(key).Sign(c, time.Now())
	v.exec(
		t,
		"UPDATE head SET hash = ?, time = ?, key = ?, signature = ?",
		c.Hash,
		c.Time.UnixMicro(),
		c.Key,
		c.Signature,
	)
}
