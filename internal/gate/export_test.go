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

// MaxKnown is the maximum number of cached tools, and Known their current number.
const MaxKnown = inspect.MaxKnown

func Known(g *Gate) int {
	return g.settings.Load().inspector.KnownTools()
}

// HomeOf returns the home with which calls are inspected.
func HomeOf(g *Gate) *home.Home { return g.settings.Load().inspector.Home }

// LargeBudget is the budget for large texts, in bytes. SmallText is the size up to which a text does not use it.
const (
	LargeBudget = largeBudget
	SmallText   = smallText
)

// Occupy acquires budget for large texts until release is called.
func (g *Gate) Occupy(bytes int64) (release func()) {
	_ = g.budget.large.Acquire(context.Background(), bytes) // the context never ends
	return func() { g.budget.large.Release(bytes) }
}

// Announced is [Gate.Decide] for a call that a hook announces.
func (g *Gate) Announced(ctx context.Context, call *mcpproxy.Call, h Hook) *Decided {
	return g.Decide(ctx, Request{Call: call, Hook: &h})
}

// Previewed is Announced for a call that was previewed. released says that the agent is already making the call.
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
