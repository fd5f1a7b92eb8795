package sqlite_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcpproxy"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/ledger/sqlite"
)

// older writes a log in the format of the first version.
func older(t *testing.T, path string, records ...*mcpproxy.Record) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	schema, err := os.ReadFile("001_records.sql")
	if err != nil {
		t.Fatal(err)
	}
	run := func(query string, args ...any) {
		t.Helper()
		if _, err := db.Exec(query, args...); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	run("PRAGMA journal_mode = WAL")
	run(string(schema) + "; PRAGMA user_version = 1")
	prev := ""
	for i, r := range records {
		body, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		hash := ledger.Hash(prev, body)
		sensitive := 0
		detections := ","
		severity := -1
		if s := r.Metadata.Sensitive; s != nil && s.Detected {
			sensitive = 1
			for _, d := range s.Detections {
				detections += d.Type + ","
				for n, level := range mcpproxy.Severities {
					if level == d.Severity {
						severity = max(severity, n)
					}
				}
			}
		}
		run(
			"INSERT INTO records VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
			i+1,
			r.ID,
			r.Timestamp.UnixMicro(),
			string(r.Type),
			r.ServerName,
			r.ToolName,
			r.SessionID,
			r.FlowSessionID,
			r.RequestID,
			r.ParentID,
			string(r.Status),
			string(r.Decision),
			r.RiskLevel.Rank(),
			string(r.FlowType),
			sensitive,
			detections,
			severity,
		)
		run("INSERT INTO bodies VALUES (?, ?, ?, ?)", i+1, body, prev, hash)
		prev = hash
	}
	run("INSERT INTO head VALUES (1, ?, ?)", len(records), prev)
	return db
}

// second converts a log of the first version to the second, as that version did, and signs its end.
func second(t *testing.T, path string, records ...*mcpproxy.Record) *sql.DB {
	t.Helper()
	db := older(t, path, records...)
	schema, err := os.ReadFile("002_provable.sql")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ledger.OpenSigner(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1) // the migration has a temporary view
	if _, err := db.Exec(string(schema) + "; PRAGMA user_version = 2"); err != nil {
		t.Fatal(err)
	}
	c := ledger.Checkpoint{Reason: ledger.ReasonHead}
	if err := db.QueryRow("SELECT seq, id, hash, count FROM head").Scan(&c.Seq, &c.ID, &c.Hash, &c.Count); err != nil {
		t.Fatal(err)
	}
	c = signer.Sign(c, time.Now())
	if _, err := db.Exec(
		"UPDATE head SET time = ?, key = ?, signature = ?",
		c.Time.UnixMicro(),
		c.Key,
		c.Signature,
	); err != nil {
		t.Fatal(err)
	}
	return db
}

func olderRecords() []*mcpproxy.Record {
	var all []*mcpproxy.Record
	for i := range 5 {
		r := ledgertest.Full()
		r.ID = idOf(i)
		r.Timestamp = r.Timestamp.Add(time.Duration(i) * 24 * time.Hour)
		r.Metadata.Sensitive.Detections = append(
			r.Metadata.Sensitive.Detections,
			mcpproxy.Detection{Type: "email", Severity: mcpproxy.SeverityLow},
		)
		all = append(all, r)
	}
	plain := ledgertest.Record("plain")
	plain.Timestamp = all[4].Timestamp.Add(time.Hour)
	return append(all, plain)
}

// olderLogs are functions that write logs of older versions.
var olderLogs = map[string]func(*testing.T, string, ...*mcpproxy.Record) *sql.DB{
	"of the first version":  older,
	"of the second version": second,
}

func TestAnOlderLogIsConverted(t *testing.T) {
	for name, write := range olderLogs {
		t.Run(name, func(t *testing.T) { converted(t, write) })
	}
}

func converted(t *testing.T, write func(*testing.T, string, ...*mcpproxy.Record) *sql.DB) {
	path := filepath.Join(t.TempDir(), "activity.db")
	records := olderRecords()
	write(t, path, records...)
	s := open(t, path)
	rep, err := s.Verify(t.Context())
	if err != nil || !rep.OK || rep.Records != len(records) || rep.Key == "" {
		t.Fatalf("%+v, %v", rep, err)
	}
	for _, want := range records {
		got, err := s.Get(t.Context(), want.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(mcpproxy.Record{}, "PrevHash", "Hash")); diff != "" {
			t.Error(diff)
		}
	}
	for name, q := range map[string]ledger.Filter{
		"rule":      {Rule: records[0].Rule},
		"principal": {Principal: "alice"},
		"session":   {Session: "mcp-1"},
		"detection": {DetectionType: "github_token"},
		"start":     {Start: records[0].Timestamp},
	} {
		n, err := s.Count(t.Context(), q)
		if want := 5; err != nil || n != want && name != "start" || name == "start" && n != 6 {
			t.Errorf("by %s there are %d, %v", name, n, err)
		}
	}
	if err := s.Append(t.Context(), []*mcpproxy.Record{ledgertest.Full()}); err != nil {
		t.Fatal(err)
	}
	// A chain may contain records of both forms, some of which have lost their bodies.
	done, err := s.Tidy(t.Context(), records[2].Timestamp, ledger.Rules{RedactAfter: time.Hour})
	if err != nil || done.Redacted != 2 {
		t.Fatalf("%+v, %v", done, err)
	}
	if rep, err = s.Verify(t.Context()); err != nil || !rep.OK || rep.Records != len(records)+1 || rep.Redacted != 2 {
		t.Fatalf("%+v, %v", rep, err)
	}
	got, err := s.Get(t.Context(), records[0].ID)
	if err != nil || got.Arguments != nil || got.Response != nil || !got.Redacted || got.Metadata.Reason != "because" ||
		got.Hash == "" {
		t.Errorf("what is left is %+v, %v", got, err)
	}
}

// Damage in a log is still found after its conversion, however many records follow.
func TestAConversionHidesNoDamage(t *testing.T) {
	for name, statement := range map[string]string{
		"a changed body":   `UPDATE bodies SET body = CAST(replace(CAST(body AS TEXT), 'because', 'so') AS BLOB) WHERE seq = 3`,
		"a body of no use": `UPDATE bodies SET body = CAST('nonsense' AS BLOB) WHERE seq = 3`,
		"a changed hash":   `UPDATE bodies SET hash = upper(hash) WHERE seq = 3`,
		"no hash":          `UPDATE bodies SET hash = '' WHERE seq = 3`,
		"a changed place":  `UPDATE bodies SET prev = hash WHERE seq = 3`,
		"a missing body":   `DELETE FROM bodies WHERE seq = 3`,
		"a missing row":    `DELETE FROM records WHERE seq = 3`,
		"a changed row":    `UPDATE records SET request_id = 'x' WHERE seq = 3`,
		"a missing record": `DELETE FROM bodies WHERE seq = 3; DELETE FROM records WHERE seq = 3`,
		"a cut end":        `DELETE FROM bodies WHERE seq > 4; DELETE FROM records WHERE seq > 4`,
	} {
		for version, write := range olderLogs {
			t.Run(name+" "+version, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "activity.db")
				db := write(t, path, olderRecords()...)
				if _, err := db.Exec(statement); err != nil {
					t.Fatal(err)
				}
				db.Close()
				id := stillBroken(t, path)
				if want := idOf(2); id != want && name != "a cut end" && name != "a missing record" {
					t.Errorf("%q was found wrong, not %q", id, want)
				}
			})
		}
	}
}

// The same applies to a log of this version that was changed while no daemon ran.
func TestAStartHidesNoDamage(t *testing.T) {
	for name, statement := range map[string]string{
		"a cut end":                 `DELETE FROM pieces WHERE first > 4`,
		"a cut end and its head":    `DELETE FROM pieces WHERE first > 4; UPDATE head SET (seq, hash, count) = (SELECT 4, prev, 4 FROM pieces_was WHERE first = 5)`,
		"a head without signature":  `UPDATE head SET key = '', signature = NULL`,
		"a cut end without a head":  `DELETE FROM pieces WHERE first > 4; DELETE FROM head`,
		"no records but their head": `DELETE FROM pieces`,
		"a head of nothing":         `DELETE FROM pieces; UPDATE head SET count = 0`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "activity.db")
			s := open(t, path)
			for _, batch := range [][]*mcpproxy.Record{olderRecords()[:4], olderRecords()[4:]} {
				if err := s.Append(t.Context(), batch); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.Exec(
				"CREATE TEMP TABLE pieces_was AS SELECT * FROM pieces; DELETE FROM checkpoints;" + statement,
			); err != nil {
				t.Fatal(err)
			}
			db.Close()
			stillBroken(t, path)
		})
	}
}

// stillBroken checks that the log is repeatedly found to be damaged, whatever is appended. It returns the first
// damaged record.
func stillBroken(t *testing.T, path string) (id string) {
	t.Helper()
	for i := range 3 {
		s := open(t, path)
		if rep, err := s.Verify(context.Background()); err != nil || rep.OK {
			t.Fatalf("opened %d times: %+v, %v", i+1, rep, err)
		} else if i == 0 {
			id = rep.BadID
		}
		if err := s.Append(
			t.Context(),
			[]*mcpproxy.Record{
				ledgertest.Record(fmt.Sprint("later", i)),
				ledgertest.Record(fmt.Sprint("and later", i)),
			},
		); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return id
}

// A log of the first version has no signatures. If there is a key, the log was signed, so a missing signature is an
// error.
func TestALogCannotBeSetBackToTheFirstVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "activity.db")
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{path, path + "-wal", path + "-shm"} {
		if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	older(t, path, olderRecords()...).Close()
	stillBroken(t, path)
}

func TestAReaderDoesNotConvert(t *testing.T) {
	path := filepath.Join(t.TempDir(), "activity.db")
	older(t, path, olderRecords()...)
	if _, err := sqlite.OpenReader(t.Context(), path, nil); err == nil {
		t.Error("a log of the first version was opened")
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(path), ledger.KeyFile)); err == nil {
		t.Error("a reader made a key")
	}
}

func TestAConversionThatFailsCanBeDoneAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "activity.db")
	db := older(t, path, olderRecords()...)
	fail := "CREATE TRIGGER fail BEFORE INSERT ON head BEGIN SELECT raise(ABORT, 'no'); END"
	if _, err := db.Exec(fail); err != nil {
		t.Fatal(err)
	}
	if s, err := sqlite.Open(t.Context(), path); err == nil {
		s.Close()
		t.Fatal("it did not fail")
	}
	if _, err := db.Exec("DROP TRIGGER fail"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	s := open(t, path)
	if rep, err := s.Verify(t.Context()); err != nil || !rep.OK {
		t.Errorf("%+v, %v", rep, err)
	}
}

// third converts a log of this version to the third, whose records have digests without keys.
func third(t *testing.T, path string, records ...*mcpproxy.Record) {
	t.Helper()
	s := open(t, path)
	if err := s.Append(t.Context(), records); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var first int64
	var prev string
	var rows, bodies, beside []byte
	if err := db.QueryRow("SELECT first, prev, rows, bodies, beside FROM pieces").
		Scan(&first, &prev, &rows, &bodies, &beside); err != nil {
		t.Fatal(err)
	}
	all, err := sqlite.Unpack(first, prev, rows, bodies, beside)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		ledgertest.UnderDigest(t, one.Sealed)
		one.Sealed.Follow(prev)
		prev = one.Sealed.Hash
	}
	first, prev, _, bodies, beside = sqlite.Pack(all)
	if _, err := db.Exec(
		"UPDATE pieces SET prev = ?, bodies = ?, beside = ? WHERE first = ?",
		prev,
		bodies,
		beside,
		first,
	); err != nil {
		t.Fatal(err)
	}
	last := all[len(all)-1].Sealed
	signer, err := ledger.OpenSigner(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	c := ledger.Checkpoint{
		Seq:    first + int64(len(all)) - 1,
		ID:     records[len(records)-1].ID,
		Hash:   last.Hash,
		Count:  int64(len(all)),
		Reason: ledger.ReasonHead,
	}
	c = signer.Sign(c, time.Now())
	const head = "DELETE FROM checkpoints; UPDATE head SET hash = ?, time = ?, key = ?, signature = ?; PRAGMA user_version = 3"
	if _, err := db.Exec(head, c.Hash, c.Time.UnixMicro(), c.Key, c.Signature); err != nil {
		t.Fatal(err)
	}
}

// A log of the third version can be read without conversion. After conversion it keeps its records and continues with
// records in the present form.
func TestALogOfTheThirdVersionGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "activity.db")
	records := olderRecords()
	third(t, path, records...)
	keys, err := ledger.ReadKeys(filepath.Join(filepath.Dir(path), ledger.PublicFile))
	if err != nil {
		t.Fatal(err)
	}
	reader, err := sqlite.OpenReader(t.Context(), path, keys)
	if err != nil {
		t.Fatal(err)
	}
	if rep, err := reader.Verify(t.Context()); err != nil || !rep.OK || rep.Records != len(records) {
		t.Errorf("as it was: %+v, %v", rep, err)
	}
	reader.Close()
	s := open(t, path)
	if err := s.Append(t.Context(), []*mcpproxy.Record{ledgertest.Full()}); err != nil {
		t.Fatal(err)
	}
	if rep, err := s.Verify(t.Context()); err != nil || !rep.OK || rep.Records != len(records)+1 {
		t.Errorf("with a record of today: %+v, %v", rep, err)
	}
	if r, err := s.Get(
		t.Context(),
		records[0].ID,
	); err != nil || string(r.Arguments) != string(records[0].Arguments) ||
		r.Redacted {
		t.Errorf("an older record is now %+v, %v", r, err)
	}
}

// A newer version may have given the data another meaning, so neither a writer nor a reader accepts its log.
func TestALogOfANewerVersionIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "activity.db")
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	if n := count(t, path, "PRAGMA user_version = 99; SELECT 1"); n != 1 {
		t.Fatal("the version was not set")
	}
	_, writing := sqlite.Open(t.Context(), path)
	_, reading := sqlite.OpenReader(t.Context(), path, nil)
	for name, err := range map[string]error{"writing": writing, "reading": reading} {
		if !errors.Is(err, sqlite.ErrNewLog) || !strings.Contains(err.Error(), "format 99") {
			t.Errorf("opened for %s: %v", name, err)
		}
	}
}
