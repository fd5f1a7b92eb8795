package sqlite_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcpproxy"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/ledger/sqlite"
)

// Everything that is packed is unpacked unchanged.
func TestAPieceHoldsAnyRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		some := func(name string) []byte {
			if b := rapid.SliceOf(rapid.Byte()).Draw(t, name); len(b) > 0 {
				return b
			}
			return nil
		}
		var all []sqlite.Stored
		prev := rapid.String().Draw(t, "prev")
		for i := range rapid.IntRange(1, 5).Draw(t, "records") {
			s := &ledger.Sealed{
				Form:      ledger.Form(rapid.Int32().Draw(t, "form")),
				Body:      rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, "body"),
				Prev:      prev,
				Salt:      some("salt"),
				Arguments: some("arguments"),
				Response:  some("response"),
				Proof:     some("proof"),
			}
			s.Hash = rapid.StringN(0, 31, 31).Draw(t, "hash") // 32 bytes are stored for 64 digits
			if rapid.Bool().Draw(t, "sealed") {
				s.Follow(prev)
			}
			prev = s.Hash
			all = append(
				all,
				sqlite.Stored{Seq: int64(7 + i), Row: sqlite.Renamed(nil, rapid.String().Draw(t, "id")), Sealed: s},
			)
		}
		got, err := sqlite.Unpack(sqlite.Pack(all))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(all, got); diff != "" {
			t.Error(diff)
		}
	})
}

func FuzzPieces(f *testing.F) {
	sealed, err := ledger.Seal("", ledgertest.Full())
	if err != nil {
		f.Fatal(err)
	}
	_, _, rows, bodies, beside := sqlite.Pack([]sqlite.Stored{{Seq: 1, Row: sqlite.Renamed(nil, "a"), Sealed: &sealed}})
	for _, seed := range [][]byte{rows, bodies, beside, {0}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}} {
		f.Add(seed)
	}
	f.Fuzz(func(_ *testing.T, column []byte) { sqlite.SplitsParts(column) }) // must not panic
}

func count(t *testing.T, path, query string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow(query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A log that is written record by record has as few pieces in the end as any other log.
func TestRecordsThatComeOneByOneShareAPieceInTheEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "activity.db")
	s := open(t, path)
	const n = 515
	for i := range n {
		if i == 200 { // the cached summary of the block is read again
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = open(t, path)
		}
		if err := s.Append(
			t.Context(),
			[]*mcpproxy.Record{ledgertest.Record(fmt.Sprintf("record-%03d", i))},
		); err != nil {
			t.Fatal(err)
		}
	}
	if pieces := count(t, path, "SELECT count(*) FROM pieces"); pieces > 24 {
		t.Errorf("%d records are in %d pieces", n, pieces)
	}
	for _, id := range []string{"record-000", "record-199", "record-200", "record-510", "record-514"} {
		if r, err := s.Get(t.Context(), id); err != nil || r.ID != id {
			t.Errorf("%s: %v, %v", id, r, err)
		}
	}
	if rep, err := s.Verify(t.Context()); err != nil || !rep.OK || rep.Records != n {
		t.Errorf("%+v, %v", rep, err)
	}
}

// An id cannot be used twice, however old its record is. A new id may be lower than existing ones.
func TestAnIDIsTakenOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "activity.db")
	s := open(t, path)
	batch := func(from, to int) (all []*mcpproxy.Record) {
		for i := from; i < to; i += 2 {
			all = append(all, ledgertest.Record(fmt.Sprintf("record-%06d", i)))
		}
		return all
	}
	for at := 0; at < 20_000; at += 5000 {
		if err := s.Append(t.Context(), batch(at, at+5000)); err != nil {
			t.Fatal(err)
		}
	}
	check := func(s *sqlite.Store) {
		t.Helper()
		for _, id := range []int{0, 2, 7000, 14_998, 19_998} {
			if err := s.Append(t.Context(), batch(id, id+1)); err == nil {
				t.Errorf("%d was written twice", id)
			}
		}
	}
	check(s)
	if err := s.Append(t.Context(), append(batch(1, 2), batch(1, 2)...)); err == nil {
		t.Error("an id was taken twice in one batch")
	}
	for _, id := range []int{1, 7001, 19_997} {
		if err := s.Append(t.Context(), batch(id, id+1)); err != nil {
			t.Errorf("%d: %v", id, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, path)
	check(again)
	if rep, err := again.Verify(t.Context()); err != nil || !rep.OK || rep.Records != 10_003 {
		t.Errorf("%+v, %v", rep, err)
	}
}

// An agent can read any number of resources, and invent any number of tool names. The table that a search reads first
// stays small, and each record is found.
func TestManyToolsAreFewKinds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "activity.db")
	s := open(t, path)
	var all []*mcpproxy.Record
	for i := range 10_700 {
		r := ledgertest.Record(fmt.Sprintf("record-%06d", i))
		r.Timestamp = r.Timestamp.Add(time.Duration(i) * time.Second)
		r.ServerName, r.ToolName = "files", fmt.Sprint("tool-", i)
		if i >= 10_000 && i < 10_500 {
			r.ToolName, r.Metadata.Kind = fmt.Sprint("file:///", i), mcpproxy.KindResource
		}
		all = append(all, r)
	}
	if err := s.Append(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	if kinds := count(t, path, "SELECT count(*) FROM kinds"); kinds != 10_001 {
		t.Errorf("there are %d kinds", kinds)
	}
	for _, i := range []int{0, 9_999, 10_000, 10_499, 10_500, 10_699} {
		var got []string
		q := ledger.Filter{Server: "files", Tool: all[i].ToolName}
		if err := s.Scan(
			t.Context(),
			q,
			func(r *mcpproxy.Record) error { got = append(got, r.ID); return nil },
		); err != nil {
			t.Fatal(err)
		}
		if n, err := s.Count(t.Context(), q); n != 1 || err != nil || len(got) != 1 || got[0] != all[i].ID {
			t.Errorf("%s: %d are counted, %v is found, %v", q.Tool, n, got, err)
		}
	}
	if n, err := s.Count(t.Context(), ledger.Filter{Server: "files"}); n != len(all) || err != nil {
		t.Errorf("of the server %d are counted, %v", n, err)
	}
	if rep, err := s.Verify(t.Context()); err != nil || !rep.OK {
		t.Errorf("%+v, %v", rep, err)
	}
}
