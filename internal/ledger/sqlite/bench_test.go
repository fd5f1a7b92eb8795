package sqlite_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/ledger/sqlite"
)

// BenchmarkAppend writes groups of records with bodies of 1 KB, one transaction
// each; the figure is for one record.
func BenchmarkAppend(b *testing.B) {
	for _, group := range []int{1, 64, 512} {
		b.Run(fmt.Sprintf("groups of %d", group), func(b *testing.B) {
			s, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "activity.db"))
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			body := json.RawMessage(`{"text":"` + strings.Repeat("a line of text, ", 64) + `"}`)
			for n := 0; n < b.N; n += group {
				records := make([]*mcpproxy.Record, min(group, b.N-n))
				for i := range records {
					records[i] = &mcpproxy.Record{ID: fmt.Sprintf("%026d", n+i), Type: mcpproxy.RecordToolCall, Timestamp: time.Now(),
						ServerName: "server", ToolName: "tool", Status: mcpproxy.StatusSuccess, Arguments: body}
				}
				if err := s.Append(b.Context(), records); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
