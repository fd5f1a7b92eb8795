package gate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gate/gatetest"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/text"
)

// BenchmarkWay makes calls that read, write, or get back what they wrote. cpu-us is the processor time of the
// cheapest call, which other work on the machine disturbs least. mean-us is that of a call on average, for machines
// whose processor clock has steps longer than a call.
func BenchmarkWay(b *testing.B) {
	const nothing = `"ok"`
	for _, way := range []string{"read", "write", "both"} {
		for _, size := range []int{32, 10 << 10, 64 << 10} {
			b.Run(fmt.Sprintf("%s/%dB", way, size), func(b *testing.B) {
				g, r := gateToMeasure(b), rand.New(rand.NewPCG(1, 2))
				least, sum := time.Hour, time.Duration(0)
				for b.Loop() {
					there := string(text.Quote(words(r, size)))
					back := there
					switch way {
					case "read":
						there = nothing
					case "write":
						back = nothing
					}
					begin := processTime()
					measured(g, "s", "echo", []byte(`{"text":`+there+`}`), back)
					took := processTime() - begin
					least, sum = min(least, took), sum+took
				}
				b.ReportMetric(float64(least)/1e3, "cpu-us/call")
				b.ReportMetric(float64(sum)/float64(b.N)/1e3, "mean-us/call")
			})
		}
	}
}

// BenchmarkRecorded makes the calls of recorded sessions, from the files NAME.steps.jsonl of the folder that SESSIONS
// names. first-us is the processor time of a call in the first round, in which every text is new, and cpu-us that of
// a call in its cheapest round.
func BenchmarkRecorded(b *testing.B) {
	type step struct {
		Session, Tool string
		Args, Result  json.RawMessage
	}
	files, err := filepath.Glob(filepath.Join(os.Getenv("SESSIONS"), "*.steps.jsonl"))
	if err != nil || len(files) == 0 || os.Getenv("SESSIONS") == "" {
		b.Skip("SESSIONS names no folder with recorded sessions", err)
	}
	var steps []step
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			var s step
			if err := json.Unmarshal([]byte(line), &s); err != nil {
				b.Fatal(err)
			}
			if s.Tool == "" {
				continue // a message of the user
			}
			if len(s.Args) == 0 || s.Args[0] != '{' {
				s.Args = []byte(`{}`)
			}
			if len(s.Result) == 0 || s.Result[0] != '"' {
				s.Result = text.Quote(string(s.Result))
			}
			steps = append(steps, s)
		}
	}
	g := gateToMeasure(b)
	var first, least []time.Duration
	for round := 0; b.Loop(); round++ {
		var took []time.Duration
		for _, s := range steps {
			begin := processTime()
			measured(g, fmt.Sprint(s.Session, round), s.Tool, s.Args, string(s.Result))
			took = append(took, processTime()-begin)
		}
		if first == nil {
			first, least = took, slices.Clone(took)
		}
		for i, t := range took {
			least[i] = min(least[i], t)
		}
	}
	for unit, all := range map[string][]time.Duration{"first-us/call": first, "cpu-us/call": least} {
		sum := time.Duration(0)
		for _, t := range all {
			sum += t
		}
		b.ReportMetric(float64(sum)/float64(len(all))/1e3, unit)
	}
}

// gateToMeasure returns a gate without a log.
func gateToMeasure(b *testing.B) *gate.Gate {
	d := detect.New(detect.Rules())
	if err := d.Warm(); err != nil {
		b.Fatal(err)
	}
	s := gate.Settings{Detector: d, MaxResponseSize: 65536}
	return gatetest.New(b, gatetest.WithLog(ledgertest.Discard{}), gatetest.WithSettings(s)).Gate
}

// measured makes one call, whose result is a text as a JSON string.
func measured(g *gate.Gate, session, tool string, args []byte, result string) {
	call := &mcpproxy.Call{
		Channel:     mcpproxy.ChannelMCP,
		Kind:        mcpproxy.KindTool,
		FlowSession: session,
		Principal:   "p",
		Server:      "echo",
		Tool:        tool,
		Arguments:   args,
	}
	g.Do(context.Background(), call, func(context.Context, *mcpproxy.Call) *mcpproxy.Result {
		return &mcpproxy.Result{Raw: []byte(`{"content":[{"type":"text","text":` + result + `}]}`)}
	})
}

// processTime returns the processor time that the process has used.
func processTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) != nil {
		return time.Duration(time.Now().UnixNano())
	}
	return time.Duration(t.Nano())
}
