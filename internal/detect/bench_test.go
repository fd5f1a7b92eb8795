package detect_test

import (
	"fmt"
	"strings"
	"testing"

	"mcpproxy/internal/detect"
	"mcpproxy/internal/text"
)

// BenchmarkFind reads text without secrets, and text full of near misses.
func BenchmarkFind(b *testing.B) {
	d := detect.New(detect.Rules())
	if err := d.Warm(); err != nil {
		b.Fatal(err)
	}
	for name, unit := range map[string]string{
		"prose":        "the shipment of order 4711 was moved to another region after review by the team ",
		"config":       "api_url: https://api.example.org/v1\ntoken_lifetime = 3600\naccount: main\nsecret_name: db\n  key: value\npassword_min_length: 12\n",
		"near matches": "ghp_short AKIASHORT sk-proj- eyJhbGciOi postgres://host/db AIzaShort xoxb-1 -----BEGIN CERTIFICATE----- ",
	} {
		for _, size := range []int{4 << 10, 64 << 10} {
			raw := text.Quote(strings.Repeat(unit, size/len(unit)+1)[:size])
			doc, err := text.Parse(raw, "arguments")
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/%dKB", name, size>>10), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					if _, err := d.Find(doc); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
