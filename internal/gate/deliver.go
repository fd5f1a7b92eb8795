package gate

import (
	"context"
	"slices"
	"time"

	"mcpproxy"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/risk"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/text"
)

// brought is the result of a call with the verdict about it.
type brought struct {
	journal.Brought
	verdict mcpproxy.Verdict
	index   func() // indexes the text for later calls, within the budget; nil if there is nothing to index
	done    bool   // indexed and recorded
}

// entry returns what the journal records about the call and its result.
func (b *brought) entry(d *Decided) journal.Entry {
	e := d.entry()
	e.Verdict, e.Brought = b.verdict, &b.Brought
	return e
}

// recorded removes the id from a verdict that stops the result if its record could not be written.
func (b *brought) recorded(ok bool) {
	if !ok {
		b.verdict.ID = ""
	}
}

// Deliver inspects the result of a call that Decide let through, stores it as an origin, records the call, and
// returns whether to deliver the result.
func (g *Gate) Deliver(ctx context.Context, d *Decided, result *mcpproxy.Result) mcpproxy.Verdict {
	write := func(got *brought) { got.recorded(g.journal.Sent(ctx, got.entry(d))) }
	got := g.inspectResult(ctx, d, d.Verdict, result, write)
	if got.done {
		return got.verdict
	}
	record := func() {
		_ = g.budget.within(context.WithoutCancel(ctx), d.size()+got.Doc.Bytes, func() { write(got) })
	}
	// A verdict that stops a result is on disk before anybody learns of it.
	if got.verdict.Decision.Stops() || d.request.Later == nil {
		record()
	} else {
		d.request.later(record)
	}
	return got.verdict
}

// inspectResult inspects a result as soon as there is room in the budget, stores it, and decides what happens to it. v
// is the verdict so far.
//
// A large result is also indexed, and recorded by write, before it releases the budget. The data structures of its
// inspection take many times its size and would otherwise be held while it waits for the budget again: three scripts
// with eight results of 9 MB each took 742 MB.
func (g *Gate) inspectResult(
	ctx context.Context,
	d *Decided,
	v mcpproxy.Verdict,
	result *mcpproxy.Result,
	write func(*brought),
) *brought {
	got := &brought{Brought: journal.Brought{Result: result}, verdict: v}
	err := g.budget.within(ctx, len(result.Raw), func() {
		start := time.Now()
		g.weigh(d, got, nil)
		got.Elapsed = time.Since(start)
		if len(result.Raw) > smallText {
			if got.index != nil {
				got.index()
			}
			write(got)
			got.index, got.done = nil, true
		}
	})
	if err != nil {
		g.weigh(d, got, err)
	}
	if index := got.index; index != nil {
		d.request.later(func() { _ = g.budget.within(context.Background(), got.Doc.Bytes, index) })
	}
	return got
}

// weigh inspects a result, stores it, and decides what happens to it. If unread is not nil, the result is not read;
// it is then withheld, unless the agent has it already.
func (g *Gate) weigh(d *Decided, got *brought, unread error) {
	result := got.Result
	raw := result.Raw
	if result.Err != nil {
		raw = text.Quote(result.Err.Error())
	}
	got.Reading = d.settings.inspector.Result(d.Call, raw, unread, d.seen.Reveals())
	got.Instructions = g.foreign(d, got.Reading)
	v := &got.verdict
	v.Signals = append(v.Signals[:len(v.Signals):len(v.Signals)], got.Signals()...)
	switch {
	case got.Err != nil:
		v.Decision, v.Rule = mcpproxy.Deny, policy.RuleUnreadable
		if d.observed {
			v.Decision = mcpproxy.Warn
		}
		v.Reason = "The result could not be inspected: " + got.Err.Error() + "."
		v.RiskScore = max(v.RiskScore, risk.Score(got.Signals()))
		v.RiskLevel = risk.Level(v.RiskScore)
	case declares(d.Call): // a server's description of itself, which an agent may repeat: not the user's data
		if d.Call.Tool == "tools/list" && result.Err == nil {
			g.tracker.Publish(d.Call.FlowSession, got.Doc)
		}
	case result.Err == nil && d.Call.Kind != mcpproxy.KindScript: // a script returns only stored results
		g.remember(d, got)
	}
	if got.Err == nil {
		g.judge(d, got)
	}
	if !d.observed {
		*v = g.withhold(*v)
	}
	if got.Err == nil && !v.Decision.Stops() && !d.settings.RawErrors {
		got.Redacted = journal.RedactError(d.seen, result, got.Reading)
	}
	if got.Err == nil && !d.observed && !v.Decision.Stops() {
		delivered(d, result)
	}
	if sent := d.seen.Outgoing(); sent != nil { // later calls are compared with the calls that were made
		g.watch.Learn(*sent)
	}
}

// delivered reports a tool's result that is delivered to its agent.
func delivered(d *Decided, result *mcpproxy.Result) {
	if d.settings.Delivered != nil && d.Call.Kind == mcpproxy.KindTool && d.Call.Server != "" &&
		result.Err == nil && !result.IsError {
		d.settings.Delivered(d.Call, result)
	}
}

// declares reports whether the result of a call is a server's description of itself.
func declares(c *mcpproxy.Call) bool {
	return c.Kind == mcpproxy.KindMethod &&
		slices.Contains([]string{"initialize", "server/discover", "tools/list"}, c.Tool)
}

// remember stores a result as an origin.
func (g *Gate) remember(d *Decided, got *brought) {
	by := d.seen.Answers()
	got.index = g.tracker.Record(flow.Transfer{
		Call:         d.seen.ShownCall(),
		Class:        by,
		Operation:    d.seen.Operation(),
		Doc:          got.Doc,
		Arguments:    d.seen.Arguments().Doc,
		Secrets:      got.Followed(by),
		Owned:        got.Owned(),
		Holders:      d.seen.PrintsOf(),
		Walled:       d.settings.Tables.Wall(d.Call.Server),
		Injected:     scan.Injected(got.Instructions),
		Instructions: got.Instructed(),
		Credentials:  !got.Result.IsError && d.seen.ReadsCredentials(),
		Act:          d.seen.Act(),
		Failed:       got.Result.IsError,
		Dictated:     d.seen.Dictated(),
	})
}
