package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcpproxy/internal/ledger"
)

func TestTheFileShrinks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "activity.db")
	s := open(t, path)
	fill(t, s, 0, 4000, 2000)
	size := func() (sum int64) {
		for _, f := range []string{path, path + "-wal"} {
			if info, err := os.Stat(f); err == nil {
				sum += info.Size()
			}
		}
		return sum
	}
	before := size()
	const bound = 4 << 20
	done, err := s.Tidy(t.Context(), time.Now(), ledger.Rules{MaxBytes: bound})
	if err != nil || done.Removed == 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	left, err := s.Count(t.Context(), ledger.Filter{})
	if after := size(); err != nil || after > bound || before < 3*bound || left == 0 || left+done.Removed != 4000 {
		t.Errorf("%d bytes became %d, %d records are left (%+v), %v", before, after, left, done, err)
	}
	if rep, err := s.Verify(t.Context()); err != nil || !rep.OK || rep.Records != left {
		t.Errorf("%+v, %v", rep, err)
	}
}
