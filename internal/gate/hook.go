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
	Agent string // its dialect; "" for none in particular
	Event string // as the agent calls it
	// NoAsk is what becomes of an ask where the agent cannot ask its user
	// (security.hooks.ask_fallback); "" where it can.
	NoAsk mcpproxy.Decision
}

// report returns the facts about the hook for records.
func (h *Hook) report(detail map[string]any) journal.Report {
	return journal.Report{Agent: h.Agent, Event: h.Event, Detail: detail}
}

// Observation is what a hook reports about something that has happened.
type Observation struct {
	Caller
	Call   *mcpproxy.Call
	Hook   Hook
	Before *Decided // what Decide said about the call; nil when it was not asked

	// Result is what the call has brought to the agent. It is nil for an event about which
	// nothing is to be inspected: the result of a call that went through this proxy, the
	// beginning of a session, or an event that could not be read.
	Result *mcpproxy.Result
	// Verdict is the last word about an event without a result, and Detail what its record
	// says beside it.
	Verdict mcpproxy.Verdict
	Detail  map[string]any
}

// Observe writes down what a hook reports. A result is inspected and remembered as an
// origin; nothing of it can be stopped any more. Observe returns the verdict, without its
// id when a stop could not be recorded.
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
	result := *o.Result // what the agent has read stays as it is
	write := func(got *brought) {
		got.recorded(g.journal.Observed(ctx, got.entry(d), o.Hook.report(nil)))
	}
	got := g.inspectResult(ctx, d, allowed, &result, write)
	if !got.done {
		write(got)
	}
	return got.verdict
}

// observeEvent writes down an event about which nothing is to be inspected.
func (g *Gate) observeEvent(ctx context.Context, o Observation) mcpproxy.Verdict {
	o.Call.Arguments = nil
	d := g.after(ctx, o)
	d.Verdict = o.Verdict
	d.recorded(g.journal.Notified(ctx, d.entry(), o.Hook.report(o.Detail)))
	return d.Verdict
}

// after is what is known of a call that its agent has made: what was found out before the
// call, or is now.
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

// keeps is what Observe needs to know of a decided call.
func (d *Decided) keeps() inspect.Kept {
	if d.kept != nil {
		return *d.kept
	}
	return d.seen.Kept()
}
