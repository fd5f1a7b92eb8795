package text_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"mcpproxy/internal/text"
)

// BenchmarkViews parses a payload and computes its views.
func BenchmarkViews(b *testing.B) {
	code, err := os.ReadFile("document.go")
	if err != nil {
		b.Fatal(err)
	}
	var items []string
	for i := range 400 {
		items = append(
			items,
			fmt.Sprintf(
				`{"id":%d,"sha":"7f3c9d0e1b2a4c3d8e4f5a6b7c8d9e0f%08x","title":"order %d was moved","url":"https://example.org/orders/%d","open":true}`,
				1e6+i,
				i,
				i,
				i,
			),
		)
	}
	payloads := map[string]string{
		"prose": string(
			text.Quote(
				strings.Repeat("The shipment of order 4711 was moved to another region after review by the team, as we said. ", 200)[:10<<10],
			),
		),
		"code":             string(text.Quote(strings.Repeat(string(code), 2)[:10<<10])),
		"JSON":             "[" + strings.Join(items[:75], ",") + "]",
		"JSON in a string": string(text.Quote("[" + strings.Join(items[:75], ",") + "]")),
	}
	for name, raw := range payloads {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				d, err := text.Parse([]byte(raw), "r")
				if err != nil {
					b.Fatal(err)
				}
				d.Views()
			}
		})
	}
}
