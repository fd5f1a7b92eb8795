package gate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gate/gatetest"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/text"
)

// BenchmarkDo makes one call through the gate, with a result as large as its arguments.
func BenchmarkDo(b *testing.B) {
	for _, size := range []int{32, 4 << 10, 10 << 10, 64 << 10} {
		b.Run(fmt.Sprintf("%dB", size), func(b *testing.B) {
			d := detect.New(detect.Rules())
			if err := d.Warm(); err != nil {
				b.Fatal(err)
			}
			s := gate.Settings{Detector: d, MaxResponseSize: 65536}
			g := gatetest.New(b, gatetest.WithLog(ledgertest.Discard{}), gatetest.WithSettings(s)).Gate
			r := rand.New(rand.NewPCG(1, 2))
			b.SetBytes(int64(2 * size))
			b.ReportAllocs()
			for b.Loop() {
				args := []byte(`{"text":` + string(text.Quote(words(r, size))) + `}`)
				result := &mcpproxy.Result{
					Raw: []byte(`{"content":[{"type":"text","text":` + string(args[8:len(args)-1]) + `}]}`),
				}
				g.Do(context.Background(), &mcpproxy.Call{
					Channel:     mcpproxy.ChannelMCP,
					Kind:        mcpproxy.KindTool,
					FlowSession: "s",
					Principal:   "p",
					Server:      "echo",
					Tool:        "echo",
					Arguments:   args,
				}, func(context.Context, *mcpproxy.Call) *mcpproxy.Result { return result })
			}
		})
	}
}

func words(r *rand.Rand, n int) string {
	list := strings.Fields(
		"the report of a customer says that every shipment in this quarter has been moved to another region after review",
	)
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "%s %d ", list[r.IntN(len(list))], r.IntN(1000))
	}
	return b.String()[:n]
}
