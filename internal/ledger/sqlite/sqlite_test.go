package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/ledger/sqlite"
)

func open(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Shows: RFC-32.
func TestStoreKeepsTheContract(t *testing.T) {
	ledgertest.Run(t, func(t *testing.T) ledger.Store { return open(t, filepath.Join(t.TempDir(), "activity.db")) })
}

func TestTheFileIsTheOwnersAlone(t *testing.T) {
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "activity.db"))
	if err := s.Append(t.Context(), []*mcpproxy.Record{ledgertest.Record("a")}); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := ""
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o600 {
			t.Errorf("%s has mode %o", f.Name(), mode)
		}
		names += f.Name() + " "
	}
	if !strings.Contains(names, "activity.db ") || !strings.Contains(names, "-wal") {
		t.Errorf("the files are %s; the test expects the log and its journal", names)
	}
}

// The log is created at its path and nowhere else, whatever characters the path contains.
func TestTheLogWorksAtAnyPath(t *testing.T) {
	parent := t.TempDir() // a name of its own would hold the case's name
	for i, name := range []string{"plain", "with space", "what?", "50%", "a%41b", "#1", "ünï", "a&b=c", "it's", "a:b"} {
		t.Run(name, func(t *testing.T) {
			root := filepath.Join(parent, fmt.Sprint(i))
			dir := filepath.Join(root, name)
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "activity.db")
			s := open(t, path)
			if err := s.Append(t.Context(), []*mcpproxy.Record{ledgertest.Record("a")}); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(path); err != nil || info.Size() == 0 {
				t.Errorf("the log is not in %q: %v", path, err)
			}
			if n, err := open(t, path).Count(t.Context(), ledger.Filter{}); n != 1 || err != nil {
				t.Errorf("opened again it holds %d records, %v", n, err)
			}
			if all, err := os.ReadDir(root); err != nil || len(all) != 1 {
				t.Errorf("beside the folder there are %v, %v", all, err)
			}
		})
	}
}

func TestTheLogWorksAtARelativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	s := open(t, "activity.db")
	if err := s.Append(t.Context(), []*mcpproxy.Record{ledgertest.Record("a")}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat("activity.db-wal"); err != nil || info.Size() == 0 {
		t.Errorf("the journal is not beside the log: %v", err)
	}
}

func TestTheChainGoesOnAfterAReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "activity.db")
	for i := range 4 {
		s := open(t, path)
		if err := s.Append(
			t.Context(),
			[]*mcpproxy.Record{ledgertest.Record(fmt.Sprint("a", i)), ledgertest.Record(fmt.Sprint("b", i))},
		); err != nil {
			t.Fatal(err)
		}
		if rep, err := s.Verify(t.Context()); err != nil || !rep.OK || rep.Records != 2*(i+1) {
			t.Fatalf("opened %d times: %+v, %v", i+1, rep, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Two daemons that use one file must not fork the chain.
func TestTwoWritersDoNotForkTheChain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "activity.db")
	a, b := open(t, path), open(t, path)
	var kept []string
	for i, s := range []*sqlite.Store{a, b, a, b} {
		id := fmt.Sprint("r", i)
		if s.Append(t.Context(), []*mcpproxy.Record{ledgertest.Record(id)}) == nil {
			kept = append(kept, id)
		}
	}
	rep, err := a.Verify(t.Context())
	if err != nil || !rep.OK || rep.Records != len(kept) {
		t.Errorf("kept %v: %+v, %v", kept, rep, err)
	}
	var got []string
	if err := b.Scan(
		t.Context(),
		ledger.Filter{OldestFirst: true},
		func(r *mcpproxy.Record) error { got = append(got, r.ID); return nil },
	); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, kept) {
		t.Errorf("the file holds %v, Append promised %v", got, kept)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(text, []byte(strings.Repeat("this is no database\n", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"a folder":                 dir,
		"a file in no folder":      filepath.Join(dir, "none", "activity.db"),
		"a file of something else": text,
	} {
		t.Run(name, func(t *testing.T) {
			if s, err := sqlite.Open(t.Context(), path); err == nil {
				s.Close()
				t.Error("opened")
			}
		})
	}
}

// They must not fork it either if one of them has removed records, so that the other's next number is free.
func TestAWriterThatFellBehindWritesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "activity.db")
	first := open(t, path)
	if err := first.Append(
		t.Context(),
		[]*mcpproxy.Record{ledgertest.Record("a"), ledgertest.Record("b")},
	); err != nil {
		t.Fatal(err)
	}
	behind := open(t, path)
	var more []*mcpproxy.Record
	for i := range 600 {
		more = append(more, ledgertest.Record(fmt.Sprint("more", i)))
		if i < 50 || i == 599 {
			if err := first.Append(t.Context(), more); err != nil {
				t.Fatal(err)
			}
			more = nil
		}
	}
	if err := behind.Append(
		t.Context(),
		[]*mcpproxy.Record{ledgertest.Record("late")},
	); err == nil ||
		!strings.Contains(err.Error(), "another process") {
		t.Errorf("%v", err)
	}
	if rep, err := first.Verify(t.Context()); err != nil || !rep.OK || rep.Records != 602 {
		t.Errorf("%+v, %v", rep, err)
	}
}
