package gate

import (
	"context"
	"time"

	"mcpproxy"
	"mcpproxy/internal/gate/inspect"
	"mcpproxy/internal/gate/journal"
)

// Hook describes the hook that announces a call.
type Hook struct {
	Agent string // the agent's hook dialect; "" if it is not known
	Event string // the agent's name for the event
	// NoAsk is the decision instead of an ask if the agent cannot ask its user (security.hooks.ask_fallback); "" if
	// it can.
	NoAsk mcpproxy.Decision
}

// report returns the facts about the hook for a record.
func (h *Hook) report(detail map[string]any) journal.Report {
	return journal.Report{Agent: h.Agent, Event: h.Event, Detail: detail}
}

// Observation is a hook's report about something that has happened.
type Observation struct {
	Caller
	Call   *mcpproxy.Call
	Hook   Hook
	Before *Decided // what Decide returned for the call; nil if it was not called

	// Result is the result that the agent got. It is nil if there is nothing to inspect: the call went through this
	// proxy, the event is not about a result, or the event could not be read.
	Result *mcpproxy.Result
	// Verdict is the final verdict about an event without a result. Detail is added to its record.
	Verdict mcpproxy.Verdict
	Detail  map[string]any
}

// Observe records what a hook reports. It inspects a result and stores it as an origin, but can no longer stop it. It
// returns the verdict, without an id if a stop could not be recorded.
func (g *Gate) Observe(ctx context.Context, o Observation) mcpproxy.Verdict {
	g.ran(o.Before)
	if o.Result == nil {
		return g.observeEvent(ctx, o)
	}
	d := g.after(ctx, o)
	if o.Before != nil && o.Before.keeps().Sends() {
		sent := *d.seen.ShownCall()
		sent.ID = o.Before.Call.ID
		g.tracker.Sent(&sent)
	}
	allowed := mcpproxy.Verdict{Decision: mcpproxy.Allow, RiskLevel: mcpproxy.RiskNone, ID: d.Call.ID}
	result := *o.Result // a copy: what the agent has read stays unchanged
	write := func(got *brought) {
		got.recorded(g.journal.Observed(ctx, got.entry(d), o.Hook.report(nil)))
	}
	got := g.inspectResult(ctx, d, allowed, &result, write)
	if !got.done {
		write(got)
	}
	return got.verdict
}

// observeEvent records an event without a result to inspect.
func (g *Gate) observeEvent(ctx context.Context, o Observation) mcpproxy.Verdict {
	o.Call.Arguments = nil
	d := g.after(ctx, o)
	d.Verdict = o.Verdict
	d.recorded(g.journal.Notified(ctx, d.entry(), o.Hook.report(o.Detail)))
	return d.Verdict
}

// after returns the facts about a call that its agent has made: those found before the call, or those found now.
func (g *Gate) after(ctx context.Context, o Observation) *Decided {
	if o.Before != nil {
		o.Call.ParentID = o.Before.Call.ID
	}
	d := g.begin(Request{Call: o.Call, Caller: o.Caller, Hook: &o.Hook})
	d.observed = true
	in := d.settings.inspector
	if o.Before != nil {
		d.seen = in.Again(o.Call, o.Before.keeps())
		return d
	}
	err := g.budget.within(ctx, d.size(), func() {
		start := time.Now()
		d.seen = in.Read(o.Call)
		d.spent = time.Since(start)
	})
	if err != nil {
		d.seen = in.Unread(o.Call, err)
	}
	return d
}

// WithoutText returns what Observe needs of a decided call, without the call's text.
func (d *Decided) WithoutText() *Decided {
	kept := d.keeps()
	return &Decided{Call: &mcpproxy.Call{ID: d.Call.ID}, kept: &kept}
}

// keeps returns the facts about a decided call that Observe needs.
func (d *Decided) keeps() inspect.Kept {
	if d.kept != nil {
		return *d.kept
	}
	return d.seen.Kept()
}
