package gate

import (
	"context"
	"errors"
	"time"

	"mcpproxy"
	"mcpproxy/internal/gate/inspect"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/risk"
)

// Decide decides about one call. If a person is asked, it waits for the answer. It sets the call's id and time if
// they are empty. A verdict that stops the call is on disk when Decide returns.
func (g *Gate) Decide(ctx context.Context, r Request) *Decided {
	d := g.begin(r)
	g.inspect(ctx, d)
	if r.Hook == nil {
		g.ask(ctx, d)
	} else {
		g.askByHook(d)
	}
	if d.seen.Sends() && !d.Stopped() && d.leavesNow() {
		g.tracker.Sent(d.seen.ShownCall())
	}
	g.wrote(d)
	if r.Hook != nil {
		d.recorded(g.journal.Announced(ctx, d.entry(), r.Hook.report(nil)))
		return d
	}
	g.journal.Begun(d.entry())
	if d.Stopped() {
		d.recorded(g.journal.Stopped(ctx, d.entry()))
		d.quarantine()
	}
	return d
}

// wrote records the files that a call writes, unless the call is denied. If a person is asked, the call may not be
// made.
func (g *Gate) wrote(d *Decided) {
	if d.request.Refusal == nil && d.Verdict.Decision != mcpproxy.Deny {
		g.tracker.Wrote(d.Call.FlowSession, d.seen.Writes(), !d.Stopped())
	}
}

// recorded removes the id from a verdict that stops a call if its record could not be written. The verdict holds, but
// there is no record with that id.
func (d *Decided) recorded(ok bool) {
	if !ok {
		d.Verdict.ID = ""
	}
}

// leavesNow reports whether the call is made right after this decision, unless it is stopped. It is not if a hook
// announces a call of a tool behind this proxy: the agent then makes the call through the proxy, which decides about
// it again.
func (d *Decided) leavesNow() bool { return d.request.Hook == nil || d.Call.Definition == nil }

// begin sets the fields that every call has.
func (g *Gate) begin(r Request) *Decided {
	call := r.Call
	if call.ID == "" {
		call.ID = NewID()
	}
	if call.Received.IsZero() {
		call.Received = time.Now()
	}
	call.Trace = traced(call)
	d := &Decided{Call: call, request: r, settings: g.settings.Load()}
	if r.Preview != nil {
		d.settings = r.Preview.settings
	}
	call.Agent = g.tracker.Agent(call.FlowSession).OfCall(g.agents.shown(d.settings, call.Agent))
	return d
}

// inspect inspects a call and decides about it, as soon as there is room in the budget.
func (g *Gate) inspect(ctx context.Context, d *Decided) {
	err := g.budget.within(ctx, d.size(), func() {
		start := time.Now()
		d.seen = d.request.read(d.settings.inspector)
		g.count(d)
		d.rule()
		d.spent = time.Since(start)
	})
	if err == nil && d.request.Awaited != nil && !d.request.Awaited() {
		err = ErrLate
	}
	if err != nil {
		d.seen = d.settings.inspector.Unread(d.Call, err)
		d.rule()
	}
}

// ErrLate is the error for a call whose inspection takes longer than its caller waits. The call is denied.
var ErrLate = errors.New("this takes longer than the agent's hook waits")

// Uninspected returns the reason for denying a call whose arguments could not be inspected because of err.
func Uninspected(err error) string {
	return "The arguments could not be inspected: " + err.Error() + "."
}

// read inspects the call with in, as far as the request needs it.
func (r *Request) read(in *inspect.Inspector) *inspect.Inspection {
	switch {
	case r.Refusal != nil:
		return in.Read(r.Call)
	case r.Preview != nil:
		return in.Call(r.Call, r.Preview.doc)
	}
	return in.Call(r.Call, nil)
}

// count enters a call that is about to be made into the watch, and adds the signals about what is unusual compared
// with earlier calls. A call that a hook reports was counted when the hook announced it.
func (g *Gate) count(d *Decided) {
	if send := d.seen.Outgoing(); send != nil && !d.Call.Announced {
		d.seen = d.seen.Beside(g.watch.Observe(*send, d.settings.Limits))
	}
}

// rule makes the verdict about an inspected call: it computes the risk score and asks the policy.
func (d *Decided) rule() {
	if r := d.request.Refusal; r != nil {
		d.Verdict = mcpproxy.Verdict{
			Decision:  mcpproxy.Deny,
			Rule:      r.Rule,
			Reason:    d.masked(r.Reason),
			RiskLevel: mcpproxy.RiskHigh,
			ID:        d.Call.ID,
		}
		return
	}
	seen := d.seen
	observed := append(seen.Signals(), d.noticed(policy.Ruling{})...)
	f := seen.Facts()
	f.RiskScore = risk.Of(&f.Facts, observed)
	f.RiskLevel = risk.Worst(f.RiskScore, f.Edges)
	f.RiskWithout = risk.Without(observed)
	r := d.ruling(f)
	if r.Rule == policy.RuleSuspicious {
		d.endpoint, _ = d.settings.Tables.Suspicious(f)
	}
	signals := append(seen.Signals(), d.noticed(r)...)
	score := risk.Of(&f.Facts, signals)
	d.Verdict = mcpproxy.Verdict{
		Decision:       r.Decision,
		Rule:           r.Rule,
		Reason:         d.masked(r.Reason), // a name can be a secret
		Signals:        signals,
		Edges:          seen.Edges(),
		RiskScore:      score,
		RiskLevel:      risk.Worst(score, seen.Edges()),
		ID:             d.Call.ID,
		Contradictions: seen.Contradictions(),
	}
}

// masked returns a text with the secrets of the call masked.
func (d *Decided) masked(s string) string { return journal.Masked(d.seen, s) }

// ruling returns the ruling about the call.
func (d *Decided) ruling(f policy.Facts) policy.Ruling {
	if r, ok := d.settled(); ok {
		d.ruled = &mcpproxy.Ruled{Decision: r.Decision, Rule: r.Rule}
		return r
	}
	tables := &d.settings.Tables
	d.flagged = tables.Risk.Flags(f.Held()) && !tables.Skips(d.Call, policy.RuleFlag)
	redactable := d.seen.Redactable() > 0
	r := tables.Decide(f)
	bundle := tables.FromBundle(f, r)
	var also []string
	if r.Decision.Rank() >= mcpproxy.Redact.Rank() {
		also = tables.Also(f, r)
	}
	if r.Decision == mcpproxy.Ask {
		d.unasked = tables.Unasked(f, r, redactable)
	}
	r = f.Possible(r, redactable)
	d.ruled = &mcpproxy.Ruled{
		Decision: r.Decision,
		Rule:     r.Rule,
		Also:     also,
		Bundle:   bundle,
	}
	return r
}

// settled returns the ruling about a call for which the policy is not consulted.
func (d *Decided) settled() (policy.Ruling, bool) {
	if r, ok := d.settings.never(d.Call, d.seen.Operation()); ok {
		return r, true
	}
	if err := d.seen.Err(); err != nil {
		return policy.Ruling{
			Decision: mcpproxy.Deny,
			Rule:     policy.RuleUnreadable,
			Reason:   Uninspected(err),
		}, true
	}
	if reason := d.seen.Attempt().Reason(); reason != "" {
		return policy.Ruling{Decision: mcpproxy.Deny, Rule: policy.RuleSelf, Reason: reason}, true
	}
	return policy.Ruling{}, false
}

// never returns the ruling about a call with the operation op that no rule and no person can allow.
func (s *Settings) never(call *mcpproxy.Call, op mcpproxy.Operation) (policy.Ruling, bool) {
	if r, closed := s.closed(); closed {
		return r, true
	}
	if reason := s.outside(call, op); reason != "" {
		return policy.Ruling{Decision: mcpproxy.Deny, Rule: policy.RuleScope, Reason: reason}, true
	}
	if s.Held != nil {
		if reason := s.Held(call); reason != "" {
			return policy.Ruling{Decision: mcpproxy.Deny, Rule: policy.RuleQuarantine, Reason: reason}, true
		}
	}
	return policy.Ruling{}, false
}

// noticed returns the signals about the call's behaviour, unless alerts are off, and the signal for the suspicious
// endpoint for which r stops the call.
func (d *Decided) noticed(r policy.Ruling) []mcpproxy.Signal {
	switch {
	case d.settings.Quiet:
		return nil
	case r.Rule == policy.RuleSuspicious:
		return append(d.seen.Behaviour(), mcpproxy.Signal{
			Source:     mcpproxy.SourceStatic,
			Kind:       "suspicious_endpoint",
			Category:   "exfiltration",
			Severity:   mcpproxy.SeverityCritical,
			Confidence: 1,
			Evidence:   r.Reason,
		})
	}
	return d.seen.Behaviour()
}

// quarantine reports a server that made a false claim. It does not report it if the user's configuration only warns
// or asks about contradictions, because the user then does not want to lose the tool.
func (d *Decided) quarantine() {
	if t := &d.settings.Tables; t.Contradiction != mcpproxy.Deny || t.Skips(d.Call, policy.RuleContradiction) {
		return
	}
	for _, r := range d.seen.Contradictions() {
		if r.Quarantine && d.settings.Quarantine != nil && d.Call.Server != "" {
			d.settings.Quarantine(d.Call.Server, d.Call.Tool, r.Explanation)
			return
		}
	}
}
