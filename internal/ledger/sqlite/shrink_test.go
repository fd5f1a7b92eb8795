package sqlite_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
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

// The cache of the connection that writes is full after a few megabytes of records, and does not grow with the log.
func TestTheCacheOfTheLogIsBounded(t *testing.T) {
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "activity.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	noise := make([]byte, 768<<10)
	source := rand.NewChaCha8([32]byte{})
	var used int
	for n := range 12 { // 12 MB in base64
		_, _ = source.Read(noise) // never fails
		r := ledgertest.Record(fmt.Sprintf("%026d", n))
		r.Response = fmt.Appendf(nil, "%q", base64.StdEncoding.EncodeToString(noise))
		if err := s.Append(t.Context(), []*mcpproxy.Record{r}); err != nil {
			t.Fatal(err)
		}
		if used, err = sqlite.CacheUsed(s); err != nil {
			t.Fatal(err)
		}
		if used > 9<<20 {
			t.Fatalf("after %d records, %d bytes are cached", n+1, used)
		}
	}
	if used < 6<<20 {
		t.Errorf("only %d bytes are cached in the end: the test has not filled the cache", used)
	}
}
