package verify

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/backend"
	"mcpproxy/internal/ledger/sqlite"
)

// A log of an older version is not signed, and converting it would sign it with a new key. So it cannot be verified
// with a given key.
func TestAnOldLogCannotBeVerifiedWithAGivenKey(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "activity.db")
	store, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("PRAGMA user_version = 1"); err != nil {
		t.Fatal(err)
	}
	_, err = Log{Place: backend.Place{File: path}, Keys: []string{filepath.Join(dir, ledger.PublicFile)}}.Open(t.Context())
	if !errors.Is(err, sqlite.ErrOldLog) || !strings.Contains(err.Error(), "cannot be verified with --key") {
		t.Errorf("%v", err)
	}
}
