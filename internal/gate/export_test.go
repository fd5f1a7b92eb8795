package gate

import (
	"context"

	"mcpproxy"
	"mcpproxy/internal/gate/inspect"
	"mcpproxy/internal/home"
)

// Do is [Gate.Forward] for a client that cannot ask its user.
func (g *Gate) Do(
	ctx context.Context,
	call *mcpproxy.Call,
	send func(context.Context, *mcpproxy.Call) *mcpproxy.Result,
) (*mcpproxy.Result, mcpproxy.Verdict) {
	return g.Forward(ctx, Request{Call: call}, send)
}

// MaxKnown is how many tools are known at once, and Known how many are.
const MaxKnown = inspect.MaxKnown

func Known(g *Gate) int {
	return g.settings.Load().inspector.KnownTools()
}

// HomeOf is the home by which calls are inspected.
func HomeOf(g *Gate) *home.Home { return g.settings.Load().inspector.Home }

// LargeBudget is the room for large texts, in bytes, and SmallText the size up to which
// a text needs none of it.
const (
	LargeBudget = largeBudget
	SmallText   = smallText
)

// Occupy takes room for large texts until release is called.
func (g *Gate) Occupy(bytes int64) (release func()) {
	_ = g.budget.large.Acquire(context.Background(), bytes) // which has no end
	return func() { g.budget.large.Release(bytes) }
}

// Announced is [Gate.Decide] for a call that a hook announces.
func (g *Gate) Announced(ctx context.Context, call *mcpproxy.Call, h Hook) *Decided {
	return g.Decide(ctx, Request{Call: call, Hook: &h})
}

// Previewed is Announced for a call that was previewed, and released if free.
func (g *Gate) Previewed(ctx context.Context, call *mcpproxy.Call, p *Preview, released bool) *Decided {
	return g.Decide(ctx, Request{
		Call:     call,
		Hook:     &Hook{},
		Preview:  p,
		Released: released,
	})
}

// Reported is [Gate.Observe] for the result of a call.
func (g *Gate) Reported(
	ctx context.Context,
	before *Decided,
	call *mcpproxy.Call,
	result *mcpproxy.Result,
	h Hook,
) mcpproxy.Verdict {
	return g.Observe(ctx, Observation{
		Call:   call,
		Hook:   h,
		Before: before,
		Result: result,
	})
}

// Decides is [Gate.Decide] for a client that cannot ask its user.
func (g *Gate) Decides(ctx context.Context, call *mcpproxy.Call) *Decided {
	return g.Decide(ctx, Request{Call: call})
}
