package replica_test

import (
	"os"
	"path/filepath"
	"testing"

	"mcpproxy/internal/replica"
	"mcpproxy/internal/state"
	"mcpproxy/internal/state/memory"
)

// For any content of the file, a board either opens and can be synchronized, or refuses the file.
func FuzzOpenBoard(f *testing.F) {
	f.Add([]byte(`{"version":1,"decisions":[{"kind":"tool","name":"read","content":"eWVz","turn":1}]}`))
	f.Add([]byte(`{"version":1,"decisions":null,"waiting":[{"kind":"tool","name":"read","content":"bm8="}]}`))
	f.Add([]byte(`{"version":2}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		path := filepath.Join(t.TempDir(), replica.BoardFile)
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := replica.OpenBoard(&memory.Decisions{}, path, map[string]replica.Reader{
			"tool": {Adopt: func([]state.Decision) {}},
		})
		if err != nil {
			return
		}
		if err := b.Sync(t.Context(), ""); err != nil {
			t.Error(err)
		}
	})
}
