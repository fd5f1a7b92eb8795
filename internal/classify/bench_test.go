package classify_test

import (
	"strings"
	"testing"

	"mcpproxy/internal/classify"
	"mcpproxy/internal/text"
)

// BenchmarkArguments measures the time to read the arguments of a call, without parsing their JSON.
func BenchmarkArguments(b *testing.B) {
	for name, args := range map[string]string{
		"short":      `{"path": "notes/today.md"}`,
		"text 10 KB": `{"to": "ann@example.com", "body": "` + strings.Repeat("a few words of prose ", 500) + `"}`,
		"rows 10 KB": `{"rows": [` + strings.TrimSuffix(strings.Repeat(`{"id": "a1", "url": "https://a.example/x", "n": true},`, 190), ",") + `]}`,
		"sql 10 KB":  `{"sql": "SELECT 1 ` + strings.Repeat("UNION (SELECT a FROM t WHERE b = 'c') ", 270) + `"}`,
	} {
		doc, err := text.Parse([]byte(args), "arguments")
		if err != nil {
			b.Fatal(err)
		}
		c := classify.Classifier{InternalDomains: []string{"corp.example"}}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.Arguments("get_page", nil, doc, func(s string) string { return s })
			}
		})
	}
}
