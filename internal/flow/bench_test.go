package flow_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/text"
)

const (
	manyOrigins = 10_000
	originBytes = 4700 // average size of a result
)

// library returns code and prose for results, from the source code of Go.
var library = sync.OnceValue(func() string {
	var b strings.Builder
	//lint:ignore SA1019 the benchmark runs where it is built, and only there are the sources of Go
	root := filepath.Join(runtime.GOROOT(), "src")
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".go") && b.Len() < 48<<20 {
			if raw, err := os.ReadFile(path); err == nil {
				b.Write(raw)
			}
		}
		return nil
	})
	return b.String()
})

// passageOf returns the transfer of a document without secrets.
func passageOf(b *testing.B, server string, class mcpproxy.Class, n int, s string) flow.Transfer {
	raw := content(s)
	if server == "chat" {
		raw = says(s)
	}
	doc, err := text.Parse([]byte(raw), "arguments")
	if err != nil {
		b.Fatal(err)
	}
	call := &mcpproxy.Call{
		ID:          fmt.Sprint(n),
		Server:      server,
		Tool:        "t",
		FlowSession: "s",
		Principal:   "p",
		Arguments:   fmt.Appendf(nil, `{"n":%d}`, n),
	}
	return flow.Transfer{Call: call, Class: class, Doc: doc}
}

// fill creates a session with ten thousand results of code, prose and records, one in ten from outside. The session
// has room for all of them.
func fill(b *testing.B) (*agent, int, time.Duration) {
	l := limits
	l.SessionBytes = 1 << 30
	a := newAgent(b, l)
	r := rand.New(rand.NewPCG(1, 1))
	source := library()
	total := 0
	start := time.Now()
	for n := range manyOrigins {
		at := n * originBytes % (len(source) - originBytes)
		size := originBytes/2 + r.IntN(originBytes)
		s := source[at:min(at+size, len(source))]
		if n%4 == 0 {
			s = records(r, size)
		}
		class := internal
		if n%10 == 9 {
			class = external
		}
		s = strings.ToValidUTF8(s, "")
		total += len(s)
		a.tracker.Record(passageOf(b, "files", class, n, s))
	}
	a.store.Get("s").Summary() // waits until the last result is indexed
	return a, total, time.Since(start)
}

// records returns rows in the form in which a database returns them.
func records(r *rand.Rand, size int) string {
	notes := []string{
		"renewal at risk",
		"asked for a discount in March",
		"prefers calls after noon",
		"",
		"invoice went to the old address",
	}
	var b strings.Builder
	for b.Len() < size {
		fmt.Fprintf(
			&b,
			`{"id":%d,"name":"%s %s","balance":%d.%02d,"account":"DE%020d","note":"%s","created_at":"2026-%02d-%02dT10:00:00Z"}`+"\n",
			r.IntN(1e8),
			key(
				r.Uint64(),
				6,
				alphanumeric[26:52],
			),
			key(r.Uint64(), 9, alphanumeric[26:52]),
			r.IntN(1e6),
			r.IntN(100),
			r.Uint64N(1e18),
			notes[r.IntN(len(notes))],
			1+r.IntN(12),
			1+r.IntN(28),
		)
	}
	return b.String()
}

// shuffled returns s with its lines and its words in another order.
func shuffled(r *rand.Rand, s string) string {
	lines := strings.Split(s, "\n")
	r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	for i, line := range lines {
		words := strings.Fields(line)
		r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		lines[i] = strings.Join(words, " ")
	}
	return strings.Join(lines, "\n")
}

// heap returns the number of bytes in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkCheck measures a check among ten thousand origins, for several kinds of data.
func BenchmarkCheck(b *testing.B) {
	library()
	before := heap()
	a, total, took := fill(b)
	grown := heap() - before
	sum := a.store.Get("s").Summary()
	b.Logf(
		"%d results, %.1f MB; indexed in %.0f µs/KB; %.2f bytes a byte, %.2f of them counted",
		sum.Origins,
		float64(total)/1e6,
		float64(
			took.Microseconds(),
		)/float64(
			total>>10,
		),
		float64(grown)/float64(total),
		float64(sum.Bytes)/float64(total),
	)
	r := rand.New(rand.NewPCG(2, 2))
	source := library()
	for name, size := range map[string]func() int{
		"mix":     func() int { return min(40+int(r.ExpFloat64()*400), 8000) },
		"1KB":     func() int { return 1 << 10 },
		"4KB":     func() int { return 4 << 10 },
		"4KBtext": func() int { return 4 << 10 },
		"64KB":    func() int { return 64 << 10 },
	} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for n := 0; b.Loop(); n++ {
				b.StopTimer()
				size := size()
				at := r.IntN(len(source) - size)
				s := strings.ToValidUTF8(source[at:at+size], "")
				switch {
				case n%3 == 0 && name != "4KBtext":
					s = records(r, size)
				case n%5 > 0: // most calls send data that was not read
					s = shuffled(r, s)
				}
				p := passageOf(b, "chat", external, n, s)
				p.Doc.Views()
				b.StartTimer()
				start := time.Now()
				a.tracker.Check(p)
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-µs")
		})
	}
}

// BenchmarkManySessions measures how many checks a second many sessions make together (spec-027, SC-007 requires
// fifty).
func BenchmarkManySessions(b *testing.B) {
	a := newAgent(b, limits)
	for n := range 200 {
		p := passageOf(b, "files", internal, n, key(uint64(n), 30, alphanumeric)+" "+prose)
		p.Call.FlowSession = fmt.Sprint(n % 50)
		a.tracker.Record(p)
	}
	b.RunParallel(func(pb *testing.PB) {
		for n := 0; pb.Next(); n++ {
			p := passageOf(b, "chat", external, n, "Hello, here is "+key(uint64(n%200), 30, alphanumeric))
			p.Call.FlowSession = fmt.Sprint(n % 50)
			a.tracker.Check(p)
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "checks/s")
}
