package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/ledger/sqlite"
)

// grow opens the log, adds records to it and closes it.
func grow(t *testing.T, path, prefix string, n int) {
	t.Helper()
	s := open(t, path)
	for i := range n {
		if err := s.Append(t.Context(), []*mcpproxy.Record{ledgertest.Record(fmt.Sprint(prefix, i))}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// replace puts the content of one file into another; "" removes it.
func replace(t *testing.T, from, to string) {
	t.Helper()
	if from == "" {
		if err := os.Remove(to); err != nil {
			t.Fatal(err)
		}
		return
	}
	raw, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// against opens the log for reading and compares it with its heads.
func against(t *testing.T, path string) string {
	t.Helper()
	dir := filepath.Dir(path)
	keys, err := ledger.ReadKeys(filepath.Join(dir, ledger.PublicFile))
	if err != nil {
		t.Fatal(err)
	}
	heads, err := ledger.ReadHeads(filepath.Join(dir, ledger.HeadsFile), keys)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := sqlite.OpenReader(t.Context(), path, keys)
	if err != nil {
		return err.Error()
	}
	defer reader.Close()
	problem, err := reader.Against(t.Context(), heads)
	if err != nil {
		t.Fatal(err)
	}
	return problem
}

// If another file is in the place of the log, a reader and every later start find this.
func TestALogThatWasRemovedOrReplacedIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		act    func(t *testing.T, path, dir string)
		reason string
		says   string
		unread bool // readers cannot open it
	}{
		"removed": {
			act:    func(t *testing.T, path, _ string) { replace(t, "", path) },
			reason: ledger.LogReplaced,
			says:   "was removed or emptied",
			unread: true,
		},
		"emptied": {
			act:    func(t *testing.T, path, _ string) { replace(t, os.DevNull, path) },
			reason: ledger.LogReplaced,
			says:   "was removed or emptied",
			unread: true,
		},
		"an older copy": {
			act:    func(t *testing.T, path, dir string) { replace(t, filepath.Join(dir, "older.db"), path) },
			reason: ledger.LogReplaced, says: "ended at no. 3 (a2)",
		},
		"an older copy that went its own way": {
			act: func(t *testing.T, path, dir string) {
				heads := filepath.Join(dir, ledger.HeadsFile)
				replace(t, heads, filepath.Join(dir, "heads.was"))
				replace(t, filepath.Join(dir, "older.db"), path)
				grow(t, path, "c", 9)
				replace(t, filepath.Join(dir, "heads.was"), heads)
			},
			reason: ledger.LogReplaced, says: "another record no. 5",
		},
		"an older copy as long as the log": {
			act: func(t *testing.T, path, dir string) {
				heads := filepath.Join(dir, ledger.HeadsFile)
				replace(t, heads, filepath.Join(dir, "heads.was"))
				replace(t, filepath.Join(dir, "older.db"), path)
				grow(t, path, "c", 2)
				replace(t, filepath.Join(dir, "heads.was"), heads)
			},
			reason: ledger.LogReplaced, says: "another record no. 5",
		},
		"removed together with its heads": {
			act: func(t *testing.T, path, dir string) {
				replace(t, "", path)
				replace(t, "", filepath.Join(dir, ledger.HeadsFile))
			},
			reason: ledger.LogReplaced,
			says:   "heads.json with it",
			unread: true,
		},
		"its heads removed": {
			act:    func(t *testing.T, _, dir string) { replace(t, "", filepath.Join(dir, ledger.HeadsFile)) },
			reason: ledger.HeadsReplaced,
			says:   "heads.json was removed",
			unread: true,
		},
		"its heads forged": {
			act: func(t *testing.T, _, dir string) {
				path := filepath.Join(dir, ledger.HeadsFile)
				raw, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				forged := strings.Replace(string(raw), `"seq": 5`, `"seq": 3`, 1)
				if forged == string(raw) {
					t.Fatal("nothing was changed")
				}
				if err := os.WriteFile(path, []byte(forged), 0o600); err != nil {
					t.Fatal(err)
				}
			},
			reason: ledger.HeadsReplaced,
			says:   "not signed by the log's key",
			unread: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "activity.db")
			grow(t, path, "a", 3)
			replace(t, path, filepath.Join(dir, "older.db"))
			grow(t, path, "b", 2)
			if problem := against(t, path); problem != "" {
				t.Fatalf("before any change: %s", problem)
			}
			c.act(t, path, dir)
			if !c.unread && !strings.Contains(against(t, path), c.says) {
				t.Errorf("a reader says %q, want %q in it", against(t, path), c.says)
			}
			for start := range 3 { // later records do not hide the break
				s := open(t, path)
				breaks := s.Heads().Heads().Breaks
				if len(breaks) != 1 || breaks[0].Reason != c.reason || !strings.Contains(breaks[0].Problem, c.says) {
					t.Fatalf("start %d: %+v", start, breaks)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				grow(t, path, fmt.Sprint("later", start), 4)
			}
			s := open(t, path)
			if err := s.Heads().Accept(nil, "accepted-by"); err != nil {
				t.Fatal(err)
			}
			s.Close()
			s = open(t, path)
			h := s.Heads().Heads()
			if len(h.Breaks) != 0 || len(h.Accepted) != 1 || h.Accepted[0].Record != "accepted-by" ||
				h.Accepted[0].Accepted.IsZero() {
				t.Errorf("after it was accepted: %+v", h)
			}
			s.Close()
			if problem := against(t, path); problem != "" {
				t.Errorf("after it was accepted: %s", problem)
			}
		})
	}
}

// Records that retention has removed are no break, because a signature confirms the removal. This holds even if the
// heads refer to a removed record.
func TestRetentionIsNoBreak(t *testing.T) {
	for name, rules := range map[string]ledger.Rules{
		"some records": {MaxRecords: 4},
		"all records":  {MaxAge: time.Nanosecond},
		"by size":      {MaxBytes: 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path, heads := filepath.Join(dir, "activity.db"), filepath.Join(dir, ledger.HeadsFile)
			grow(t, path, "a", 3)
			replace(t, heads, filepath.Join(dir, "heads.was"))
			grow(t, path, "b", 10)
			s := open(t, path)
			done, err := s.Tidy(t.Context(), ledgertest.Record("x").Timestamp.Add(time.Minute), rules)
			if err != nil || done.Removed < 9 {
				t.Fatalf("%+v, %v", done, err)
			}
			s.Close()
			for _, file := range []string{heads, filepath.Join(dir, "heads.was")} { // also with heads that lag behind
				replace(t, file, heads)
				if problem := against(t, path); problem != "" {
					t.Errorf("with %s: %s", filepath.Base(file), problem)
				}
			}
			s = open(t, path)
			unbroken(t, s)
		})
	}
}

// A log of a version without heads files gets one, and an existing key alone does not count as a log.
func TestAnUpgradeIsNoBreak(t *testing.T) {
	path := filepath.Join(t.TempDir(), "activity.db")
	third(t, path, olderRecords()...)
	if err := os.Remove(filepath.Join(filepath.Dir(path), ledger.HeadsFile)); err != nil {
		t.Fatal(err)
	}
	unbroken(t, open(t, path))

	path = filepath.Join(t.TempDir(), "activity.db")
	if _, err := ledger.OpenSigner(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	unbroken(t, open(t, path))
}

// The heads file is kept up to date while the log grows, before the log is closed.
func TestTheHeadsFollowTheLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "activity.db")
	s := open(t, path)
	if err := s.Append(t.Context(), []*mcpproxy.Record{ledgertest.Record("a")}); err != nil {
		t.Fatal(err)
	}
	eventually.SucceedsWithin(t, 10*ledger.HeadsEvery, "the heads name the record", func() error {
		keys, err := ledger.ReadKeys(filepath.Join(filepath.Dir(path), ledger.PublicFile))
		if err != nil {
			t.Fatal(err)
		}
		heads, err := ledger.ReadHeads(filepath.Join(filepath.Dir(path), ledger.HeadsFile), keys)
		if err != nil {
			t.Fatal(err)
		}
		if heads.Log.Seq != 1 || heads.Log.ID != "a" {
			return fmt.Errorf("the heads say %+v", heads.Log)
		}
		return nil
	})
	if err := s.Moved(); err != nil {
		t.Error(err)
	}
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	if s.Moved() == nil {
		t.Error("that the log was moved away while it was open is not noticed")
	}
}
