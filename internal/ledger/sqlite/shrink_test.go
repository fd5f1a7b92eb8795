package sqlite_test

import (
	"path/filepath"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/ledger/sqlite"
)

func TestALogThatHasGivenBackItsMemoryGoesOn(t *testing.T) {
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "activity.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, id := range []string{"before", "after"} {
		if err := s.Append(t.Context(), []*mcpproxy.Record{ledgertest.Record(id)}); err != nil {
			t.Fatal(err)
		}
		s.Shrink()
		for _, id := range []string{"before", id} {
			if _, err := s.Get(t.Context(), id); err != nil {
				t.Errorf("%s: %v", id, err)
			}
		}
	}
}
