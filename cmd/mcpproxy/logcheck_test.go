package main

import (
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/sqlite"
)

// changed runs SQL on a log behind its back.
func changed(t *testing.T, path, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query); err != nil {
		t.Fatal(err)
	}
}

// A log that is too large to be checked as a whole at the start is checked from its
// last checkpoint.
func TestALargeLogIsCheckedAtTheStartToo(t *testing.T) {
	w := newAudited(t)
	w.d.record(mcpproxy.RecordConfigChange, "", map[string]any{"file": "x"})
	everything := ledger.Filter{Types: []mcpproxy.RecordType{mcpproxy.RecordConfigChange}}
	w.until("the record is there", func() bool { n, err := w.d.store.Count(t.Context(), everything); return err == nil && n == 1 })
	changed(t, w.d.config.Load().LogPath(), `UPDATE pieces SET bodies = CAST(replace(CAST(bodies AS TEXT), '"file":"x"', '"file":"y"') AS BLOB)`)
	w.d.checkLog(t.Context(), 0)
	alarms := ledger.Filter{Types: []mcpproxy.RecordType{mcpproxy.RecordSecurityScan}}
	w.until("the alarm is written down", func() bool { n, err := w.d.store.Count(t.Context(), alarms); return err == nil && n == 1 })
}

// A log of an older version is not signed: to convert it signs it with a new key, and
// whoever names a key wants it held against that one.
func TestAnOldLogIsNotHeldAgainstAnotherKeyThanTheOneNamed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "activity.db")
	store, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	changed(t, path, "PRAGMA user_version = 1")
	err = verification{file: path, keys: []string{filepath.Join(dir, ledger.PublicFile)}}.run(t.Context(), io.Discard, io.Discard, &globals{output: "json"})
	if !errors.Is(err, sqlite.ErrOldLog) || !strings.Contains(err.Error(), "no --key fits") {
		t.Errorf("%v", err)
	}
}

// owned is a file of somebody's.
type owned struct {
	fs.FileInfo
	uid uint32
}

func (o owned) Sys() any { return &syscall.Stat_t{Uid: o.uid} }

func TestWhatBelongsToOthersIsNotYoursAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		uid  int
		mode os.FileMode
		want string
	}{
		"yours, mode 0600":    {os.Getuid(), 0o600, "is yours alone"},
		"yours, mode 0644":    {os.Getuid(), 0o644, "chmod 600"},
		"another's, 0600":     {os.Getuid() + 1, 0o600, "belongs to another user"},
		"another's, and open": {os.Getuid() + 1, 0o666, "belongs to another user"},
	} {
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		f := &checkup{}
		f.onlyOwners("tokens.json", path, owned{info, uint32(c.uid)})
		got := f.Checks[0]
		if !strings.Contains(got.Detail+got.Advice, c.want) || got.OK != (name == "yours, mode 0600") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
