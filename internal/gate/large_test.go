package gate_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gate/gatetest"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/text"
)

// BenchmarkLarge makes one call of 8.4 MB, in its arguments or in its result.
func BenchmarkLarge(b *testing.B) {
	const size = 84 * 100_000
	for _, way := range []string{"written", "read"} {
		b.Run(way, func(b *testing.B) {
			d := detect.New(detect.Rules())
			if err := d.Warm(); err != nil {
				b.Fatal(err)
			}
			s := gate.Settings{Detector: d, MaxResponseSize: 65536}
			g := gatetest.New(b, gatetest.WithLog(ledgertest.Discard{}), gatetest.WithSettings(s)).Gate
			r := rand.New(rand.NewPCG(1, 2))
			large := text.Quote(words(r, size))
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				args, result := `{"page":1}`, &mcpproxy.Result{Raw: []byte(`{"content":[]}`)}
				if way == "read" {
					result = &mcpproxy.Result{Raw: []byte(`{"content":[{"type":"text","text":` + string(large) + `}]}`)}
				} else {
					args = `{"text":` + string(large) + `}`
				}
				g.Do(context.Background(), &mcpproxy.Call{
					Channel:     mcpproxy.ChannelMCP,
					Kind:        mcpproxy.KindTool,
					FlowSession: "s",
					Principal:   "p",
					Server:      "echo",
					Tool:        "echo",
					Arguments:   []byte(args),
				}, func(context.Context, *mcpproxy.Call) *mcpproxy.Result { return result })
			}
		})
	}
}
