package gate

import (
	"context"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/policy"
)

type pauseKey struct{}

// WithPause has stop called when a person is asked about a call made with the
// context, and what stop returns when there is an answer.
func WithPause(ctx context.Context, stop func() (resume func())) context.Context {
	return context.WithValue(ctx, pauseKey{}, stop)
}

// pause stops the time of whoever waits for a call.
func pause(ctx context.Context) (resume func()) {
	if stop, ok := ctx.Value(pauseKey{}).(func() func()); ok {
		return stop()
	}
	return func() {}
}

type laterKey struct{}

// WithLater has what follows a call made with the context, and which its answer need
// not wait for, given to later, to be called once the answer is delivered.
func WithLater(ctx context.Context, later func(do func())) context.Context {
	return context.WithValue(ctx, laterKey{}, later)
}

// later does what nobody waits for, if there is anything.
func later(ctx context.Context, do func()) {
	if do != nil && !behind(ctx, do) {
		go do()
	}
}

// behind has do called behind the answer to a call made with ctx, if somebody has said
// that they will.
func behind(ctx context.Context, do func()) bool {
	put, ok := ctx.Value(laterKey{}).(func(func()))
	if ok {
		put(do)
	}
	return ok
}

// Refuse records a call that is stopped for a reason beside the rules about single
// calls, durably, and returns the verdict about it.
func (g *Gate) Refuse(ctx context.Context, call *mcpproxy.Call, r policy.Ruling) mcpproxy.Verdict {
	p := g.begin(call)
	g.readCall(p)
	p.Verdict = mcpproxy.Verdict{Decision: mcpproxy.Deny, Rule: r.Rule, Reason: detect.MaskText(r.Reason, p.hidden),
		RiskLevel: mcpproxy.RiskHigh, ID: call.ID}
	g.announce(p)
	g.recordStop(ctx, p)
	return p.Verdict
}
