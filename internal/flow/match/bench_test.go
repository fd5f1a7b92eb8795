package match_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/cputime"
	"mcpproxy/internal/flow/match"
	"mcpproxy/internal/text"
)

// BenchmarkAdd indexes results of 10 KB in a session with a thousand results, and measures processor time: source
// code, prose, rows of a database, and words with a number after each.
func BenchmarkAdd(b *testing.B) {
	const size = 10 << 10
	read := func(pattern string) string {
		var all strings.Builder
		//lint:ignore SA1019 the benchmark runs where it is built, and only there are the sources of Go
		paths, err := filepath.Glob(filepath.Join(runtime.GOROOT(), pattern))
		if err != nil {
			b.Fatal(err)
		}
		for _, path := range paths {
			raw, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			all.Write(raw)
		}
		return strings.ToValidUTF8(all.String(), "")
	}
	piece := func(s string) func(*rand.Rand) string {
		return func(r *rand.Rand) string { at := r.IntN(len(s) - size); return s[at : at+size] }
	}
	made := func(write func(*strings.Builder, *rand.Rand)) func(*rand.Rand) string {
		return func(r *rand.Rand) string {
			var s strings.Builder
			for s.Len() < size {
				write(&s, r)
			}
			return s.String()
		}
	}
	words := strings.Fields(read("LICENSE") + read("CONTRIBUTING.md") + read("SECURITY.md") + read("src/README*"))
	for name, result := range map[string]func(*rand.Rand) string{
		"code":  piece(read("src/net/http/*.go")),
		"prose": made(func(s *strings.Builder, r *rand.Rand) { s.WriteString(words[r.IntN(len(words))] + " ") }),
		"rows": made(func(s *strings.Builder, r *rand.Rand) {
			fmt.Fprintf(s, `{"id":%d,"name":"%s %s","balance":%d.%02d,"created_at":"2026-%02d-%02dT10:00:00Z"}`+"\n",
				r.IntN(1e8), words[r.IntN(len(words))], words[r.IntN(len(words))], r.IntN(1e6), r.IntN(100), 1+r.IntN(12), 1+r.IntN(28))
		}),
		"numbers": made(func(s *strings.Builder, r *rand.Rand) {
			fmt.Fprintf(s, "%s %d ", words[r.IntN(len(words))], r.IntN(1e6))
		}),
	} {
		b.Run(name, func(b *testing.B) {
			x := match.New()
			n := 0
			r := rand.New(rand.NewPCG(1, 1))
			var total time.Duration
			add := func() {
				doc, err := text.Parse([]byte(`{"text":`+string(text.Quote(result(r)))+`}`), "response")
				if err != nil {
					b.Fatal(err)
				}
				doc.Views()
				n++
				total += cputime.Of(func() {
					x.Add(
						doc,
						match.Options{MinLength: 20, MaxBytes: 64 << 10},
						match.Source{ID: n, Origin: fmt.Sprint(n)},
					)
				})
			}
			for range 1000 {
				add()
			}
			total = 0
			for b.Loop() {
				add()
			}
			b.ReportMetric(float64(total.Nanoseconds())/float64(b.N)/size, "ns/byte")
		})
	}
}
