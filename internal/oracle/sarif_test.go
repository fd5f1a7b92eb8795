package oracle

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

// The SARIF that this project writes is valid according to the schema of the format.
func TestWhatIsWrittenAsSARIFIsValid(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "report", "testdata", "*.sarif"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		log, err := sarif.FromBytes(raw)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, run := range log.Runs { // the library writes these members even if they are absent
			run.Language = "en-US"
			run.Tool.Driver.Language = "en-US"
			run.NewlineSequences = []string{"\n"}
		}
		if err := log.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		kept, err := json.Marshal(log)
		if err != nil {
			t.Fatal(err)
		}
		if lost := missing("", tree(t, raw), tree(t, kept)); lost != "" {
			t.Errorf("%s: the format has no %s", name, lost)
		}
	}
}

func tree(t *testing.T, raw []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// missing returns the path of the first value in a that is not in b.
func missing(path string, a, b any) string {
	switch a := a.(type) {
	case map[string]any:
		b, _ := b.(map[string]any)
		for name, v := range a {
			if lost := missing(path+"/"+name, v, b[name]); lost != "" {
				return lost
			}
		}
		return ""
	case []any:
		b, _ := b.([]any)
		for i, v := range a {
			if i >= len(b) {
				return fmt.Sprintf("%s/%d", path, i)
			}
			if lost := missing(fmt.Sprintf("%s/%d", path, i), v, b[i]); lost != "" {
				return lost
			}
		}
		return ""
	}
	if a != b {
		return path
	}
	return ""
}
