package sqlite_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcpproxy"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/ledger/sqlite"
)

// older writes a log as the first version did.
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
		sensitive, detections, severity := 0, ",", -1
		if s := r.Metadata.Sensitive; s != nil && s.Detected {
			sensitive = 1
			for _, d := range s.Detections {
				detections += d.Type + ","
				for n, level := range ledger.Severities {
					if level == d.Severity {
						severity = max(severity, n)
					}
				}
			}
		}
		run("INSERT INTO records VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", i+1, r.ID, r.Timestamp.UnixMicro(), string(r.Type), r.ServerName, r.ToolName,
			r.SessionID, r.FlowSessionID, r.RequestID, r.ParentID, string(r.Status), string(r.Decision), r.RiskLevel.Rank(), string(r.FlowType),
			sensitive, detections, severity)
		run("INSERT INTO bodies VALUES (?, ?, ?, ?)", i+1, body, prev, hash)
		prev = hash
	}
	run("INSERT INTO head VALUES (1, ?, ?)", len(records), prev)
	return db
}

func olderRecords() []*mcpproxy.Record {
	var all []*mcpproxy.Record
	for i := range 5 {
		r := ledgertest.Full()
		r.ID = idOf(i)
		r.Timestamp = r.Timestamp.Add(time.Duration(i) * 24 * time.Hour)
		r.Metadata.Sensitive.Detections = append(r.Metadata.Sensitive.Detections, mcpproxy.Detection{Type: "email", Severity: mcpproxy.SeverityLow})
		all = append(all, r)
	}
	plain := ledgertest.Record("plain")
	plain.Timestamp = all[4].Timestamp.Add(time.Hour)
	return append(all, plain)
}

func TestAnOlderLogIsConverted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "activity.db")
	records := olderRecords()
	older(t, path, records...)
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
	for name, q := range map[string]ledger.Filter{"rule": {Rule: records[0].Rule}, "principal": {Principal: "alice"}, "session": {Session: "mcp-1"},
		"detection": {DetectionType: "github_token"}, "start": {Start: records[0].Timestamp}} {
		n, err := s.Count(t.Context(), q)
		if want := 5; err != nil || n != want && name != "start" || name == "start" && n != 6 {
			t.Errorf("by %s there are %d, %v", name, n, err)
		}
	}
	if err := s.Append(t.Context(), []*mcpproxy.Record{ledgertest.Full()}); err != nil {
		t.Fatal(err)
	}
	// A chain of both forms, of which some have lost their bodies.
	done, err := s.Tidy(t.Context(), records[2].Timestamp, ledger.Rules{RedactAfter: time.Hour})
	if err != nil || done.Redacted != 2 {
		t.Fatalf("%+v, %v", done, err)
	}
	if rep, err = s.Verify(t.Context()); err != nil || !rep.OK || rep.Records != len(records)+1 || rep.Redacted != 2 {
		t.Fatalf("%+v, %v", rep, err)
	}
	got, err := s.Get(t.Context(), records[0].ID)
	if err != nil || got.Arguments != nil || got.Response != nil || !got.Redacted || got.Metadata.Reason != "because" || got.Hash == "" {
		t.Errorf("what is left is %+v, %v", got, err)
	}
}

// What was wrong with a log before it was converted is wrong with it afterwards,
// however many records follow.
func TestAConversionCoversNothingUp(t *testing.T) {
	for name, statement := range map[string]string{
		"a changed body":   `UPDATE bodies SET body = CAST(replace(CAST(body AS TEXT), 'because', 'so') AS BLOB) WHERE seq = 3`,
		"a body of no use": `UPDATE bodies SET body = CAST('nonsense' AS BLOB) WHERE seq = 3`,
		"a missing body":   `DELETE FROM bodies WHERE seq = 3`,
		"a missing row":    `DELETE FROM records WHERE seq = 3`,
		"a changed row":    `UPDATE records SET status = 'success' WHERE seq = 3`,
		"a missing record": `DELETE FROM bodies WHERE seq = 3; DELETE FROM records WHERE seq = 3`,
		"a cut end":        `DELETE FROM bodies WHERE seq > 4; DELETE FROM records WHERE seq > 4`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "activity.db")
			db := older(t, path, olderRecords()...)
			if _, err := db.Exec(statement); err != nil {
				t.Fatal(err)
			}
			db.Close()
			stillBroken(t, path)
		})
	}
}

// The same for a log of this version that was changed while no daemon ran.
func TestAStartCoversNothingUp(t *testing.T) {
	for name, statement := range map[string]string{
		"a cut end":                 `DELETE FROM bodies WHERE seq > 4; DELETE FROM records WHERE seq > 4`,
		"a cut end and its head":    `DELETE FROM bodies WHERE seq > 4; DELETE FROM records WHERE seq > 4; UPDATE head SET (seq, hash, count) = (SELECT seq, hash, 4 FROM bodies WHERE seq = 4)`,
		"a head without signature":  `UPDATE head SET key = '', signature = NULL`,
		"a cut end without a head":  `DELETE FROM bodies WHERE seq > 4; DELETE FROM records WHERE seq > 4; DELETE FROM head`,
		"no records but their head": `DELETE FROM bodies; DELETE FROM records`,
		"a head of nothing":         `DELETE FROM bodies; DELETE FROM records; UPDATE head SET count = 0`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "activity.db")
			s := open(t, path)
			if err := s.Append(t.Context(), olderRecords()); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.Exec("DELETE FROM checkpoints;" + statement); err != nil {
				t.Fatal(err)
			}
			db.Close()
			stillBroken(t, path)
		})
	}
}

func stillBroken(t *testing.T, path string) {
	t.Helper()
	for i := range 3 {
		s := open(t, path)
		if rep, err := s.Verify(context.Background()); err != nil || rep.OK {
			t.Fatalf("opened %d times: %+v, %v", i+1, rep, err)
		}
		if err := s.Append(t.Context(), []*mcpproxy.Record{ledgertest.Record(fmt.Sprint("later", i)), ledgertest.Record(fmt.Sprint("and later", i))}); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A log of the first version has no signatures to miss; where there is a key
// already, there was a signed log.
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
