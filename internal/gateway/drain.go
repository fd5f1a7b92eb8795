package gateway

import (
	"context"
	"time"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

// drainStep is the interval at which Drain checks for running calls.
const drainStep = 10 * time.Millisecond

// Drain refuses new calls and returns when the running calls have ended or ctx ends.
// [Gateway.Close] must be called afterwards.
func (g *Gateway) Drain(ctx context.Context) {
	g.draining.Store(true)
	tick := time.NewTicker(drainStep)
	defer tick.Stop()
	for g.underWay.Load() > 0 {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// runs counts a call until end is called. If the gateway is draining, refusal is the answer to m.
// Requests that stay open indefinitely are not counted.
func (g *Gateway) runs(m *wire.Message, kind mcpproxy.Kind) (end func(), refusal *wire.Message) {
	if kind == mcpproxy.KindMethod || kind == mcpproxy.KindAnswer {
		return func() {}, nil
	}
	g.underWay.Add(1)
	end = func() { g.underWay.Add(-1) }
	if g.draining.Load() {
		end()
		return nil, failed(
			m.ID,
			mcpproxy.Errorf(mcpproxy.CodeCancelled, nil, "mcpproxy is about to stop").
				Later("try again when it runs again"),
		)
	}
	return end, nil
}
