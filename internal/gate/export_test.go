package gate

import (
	"context"

	"mcpproxy"
)

// Do is [Gate.DoAsking] for a client that cannot ask its user.
func (g *Gate) Do(ctx context.Context, call *mcpproxy.Call, send func(context.Context, *mcpproxy.Call) *mcpproxy.Result) (*mcpproxy.Result, mcpproxy.Verdict) {
	return g.DoAsking(ctx, call, nil, send)
}

// Shorten is how a result is cut for the log.
var Shorten = shorten

// PathOf is the path of o that a name may stand for.
func PathOf(o Own, name string) string { o = o.indexed(); return o.path(name) }

// MaxKnown is how many tools are known at once, and Known how many are.
const MaxKnown = maxKnown

func Known(g *Gate) int {
	k := g.settings.Load().known
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.tools)
}
