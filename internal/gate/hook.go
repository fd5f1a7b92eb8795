package gate

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/risk"
)

// Hook is what is known of the hook that tells of a call.
type Hook struct {
	Agent string // its dialect; "" for none in particular
	Event string // as the agent calls it
	// NoAsk is what becomes of an ask where the agent cannot ask its user
	// (security.hooks.ask_fallback); "" where it can.
	NoAsk mcpproxy.Decision
}

// Told decides a call that an agent's hook tells of before the agent makes it. It
// is [Gate.Before], and writes the evaluation down whatever it says.
func (g *Gate) Told(ctx context.Context, call *mcpproxy.Call, h Hook) *Pass {
	return g.decideTold(ctx, g.begin(call), h)
}

// decideTold decides a call that a hook tells of, and writes the evaluation down.
func (g *Gate) decideTold(ctx context.Context, p *Pass, h Hook) *Pass {
	p.timed(func() { g.inspect(p) })
	if p.gone {
		g.letGo(&p.Verdict)
	}
	if p.Verdict.Decision == mcpproxy.Ask && h.NoAsk != "" {
		p.Verdict.Decision, p.Verdict.Asked = h.NoAsk, true
		p.Verdict.Reason += " Somebody should be asked, and this agent cannot ask (security.hooks.ask_fallback)."
	}
	g.told(p)
	// A tool that this proxy has is called through it, and what becomes of the call is
	// known then; what the agent asks its user about has gone out when it is reported.
	if p.trace.Sends && !p.Stopped() && p.Call.Definition == nil {
		g.tracker.Sent(p.shownCall())
	}
	r := g.record(p, p.Verdict)
	r.Metadata.Sensitive = sensitive(p.args)
	g.evaluated(ctx, r, p.Verdict, h)
	g.alert(p, r)
	return p
}

// Reported looks at the result of a call that an agent has made, remembers it as
// an origin and writes that down. It can stop nothing any more. Before is what
// Told said about the call, and may be nil.
func (g *Gate) Reported(ctx context.Context, before *Pass, call *mcpproxy.Call, result *mcpproxy.Result, h Hook) mcpproxy.Verdict {
	g.ran(before)
	p := g.reported(before, call)
	if before != nil && before.trace.Sends {
		sent := *p.shownCall()
		sent.ID = before.Call.ID
		g.tracker.Sent(&sent)
	}
	var got reading
	var v mcpproxy.Verdict
	p.timed(func() { got, v = g.weighReported(p, result) })
	later(ctx, p.index)
	p.hidden = append(p.hidden, got.hidden()...)
	r := g.record(p, v)
	r.Metadata.Sensitive = sensitive(p.args, got)
	if result.IsError {
		r.Status = mcpproxy.StatusError
	}
	if got.err == nil {
		r.Response, r.Truncated = shorten(detect.NewMasker(p.hidden).JSON(got.doc, got.hidden()), p.settings.MaxResponseSize)
	}
	g.evaluated(ctx, r, v, h)
	if v.Rule == policy.RuleContent {
		g.publish(Event{EventFlowAlert, r})
	}
	return v
}

// weighReported reads and remembers a result that its agent has.
func (g *Gate) weighReported(p *Pass, result *mcpproxy.Result) (got reading, v mcpproxy.Verdict) {
	got = g.readResult(p, result.Raw)
	v = mcpproxy.Verdict{Decision: mcpproxy.Allow, RiskLevel: mcpproxy.RiskNone, Signals: got.signals(), ID: p.Call.ID}
	if got.err != nil {
		v.Decision, v.Rule, v.RiskScore = mcpproxy.Warn, policy.RuleUnreadable, risk.Score(v.Signals)
		v.Reason, v.RiskLevel = "The result could not be inspected: "+got.err.Error()+".", risk.Level(v.RiskScore)
	} else {
		g.remember(p, got)
		copied := *result // what the agent has read stays as it is
		v = g.judge(p, v, &copied, got)
	}
	g.learn(p)
	return got, v
}

// Noted writes down what a hook tells that the gate has nothing to decide about:
// the result of a call that the proxy has seen itself, that a session begins, or
// an event that could not be read, about which v is the last word.
func (g *Gate) Noted(ctx context.Context, before *Pass, call *mcpproxy.Call, v mcpproxy.Verdict, h Hook, detail map[string]any) {
	g.ran(before)
	call.Arguments = nil
	r := g.record(g.reported(before, call), v)
	r.Metadata.Detail = detail
	if v.Decision == mcpproxy.Warn {
		r.Status, r.ErrorMessage = mcpproxy.StatusError, r.Metadata.Reason
	}
	if call.Tool == "" {
		r.Metadata.Classification, r.Metadata.Operation, r.Metadata.Kind = nil, "", ""
	}
	g.evaluated(ctx, r, v, h)
}

// reported is the pass of a call whose result a hook tells: what was found out
// before the call, or is now.
func (g *Gate) reported(before *Pass, call *mcpproxy.Call) *Pass {
	if before != nil {
		call.ParentID = before.Call.ID
	}
	p := g.begin(call)
	if before == nil {
		p.timed(func() { g.readCall(p) })
		return p
	}
	p.class, p.operation, p.outgoing = before.class, before.operation, before.outgoing
	p.hidden = g.readAside(p)
	return p
}

// Rest is what Reported needs of a pass, without the call's text.
func (p *Pass) Rest() *Pass {
	return &Pass{Call: &mcpproxy.Call{ID: p.Call.ID}, class: p.class, operation: p.operation, outgoing: p.outgoing, trace: flow.Trace{Sends: p.trace.Sends}}
}

// evaluated writes an evaluation down and tells of it. One that stops a call is
// durable before the agent hears of it.
func (g *Gate) evaluated(ctx context.Context, r *mcpproxy.Record, v mcpproxy.Verdict, h Hook) {
	r.Type = mcpproxy.RecordHookEvaluation
	r.DurationMS = float64(time.Since(r.Timestamp)) / float64(time.Millisecond)
	if r.Metadata.Detail == nil {
		r.Metadata.Detail = map[string]any{}
	}
	r.Metadata.Detail["agent"], r.Metadata.Detail["event"] = h.Agent, h.Event
	if v.Decision == mcpproxy.Deny {
		r.Status, r.ErrorMessage = mcpproxy.StatusBlocked, r.Metadata.Reason
	}
	if v.Decision.Stops() {
		if err := g.log.Append(context.WithoutCancel(ctx), r); err != nil {
			slog.Error("a stopped call could not be recorded", "id", r.ID, "error", err)
		}
		g.publish(Event{EventPolicyDecision, r})
	} else {
		g.log.Add(r)
	}
	g.publish(Event{EventHook, r})
	if slices.ContainsFunc(v.Signals, mcpproxy.Signal.Sensitive) {
		g.publish(Event{EventSensitive, r})
	}
}
