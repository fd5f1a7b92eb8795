package api_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write web/openapi.json, from which the page's types are generated")

// The page's TypeScript types are generated from web/openapi.json.
func TestTheCommittedDocumentIsTheOneThatIsServed(t *testing.T) {
	a := documented(t).ask("/openapi.json", map[string]string{"X-API-Key": ""})
	if a.status != http.StatusOK {
		t.Fatalf("status %d: %.300s", a.status, a.body)
	}
	var got bytes.Buffer
	if err := json.Indent(&got, []byte(a.body), "", "  "); err != nil {
		t.Fatal(err)
	}
	committed := filepath.Join("..", "..", "web", "openapi.json")
	if *update {
		if err := os.WriteFile(committed, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(committed)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("the API's description has changed; run make page and commit what it writes:\n%s", diff)
	}
}
