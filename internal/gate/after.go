package gate

import (
	"context"
	"slices"
	"time"

	"mcpproxy"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/risk"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/text"
)

// After looks at the result of a call that Before let through, remembers it as
// an origin, records the call, and says whether to deliver the result.
func (g *Gate) After(ctx context.Context, p *Pass, result *mcpproxy.Result) mcpproxy.Verdict {
	var got reading
	var v mcpproxy.Verdict
	p.timed(func() { got, v = g.weigh(p, result) })
	later(ctx, p.index)
	record := func() { g.recordCall(ctx, p, v, result, got) }
	if v.Decision.Stops() || !behind(ctx, record) { // what stops an answer is on disk before anybody hears of it
		record()
	}
	return v
}

// weigh reads a result, remembers it, and says what becomes of it.
func (g *Gate) weigh(p *Pass, result *mcpproxy.Result) (got reading, v mcpproxy.Verdict) {
	raw := result.Raw
	if result.Err != nil {
		raw = text.Quote(result.Err.Error())
	}
	got, v = g.readResult(p, raw), p.Verdict
	v.Signals = append(v.Signals[:len(v.Signals):len(v.Signals)], got.signals()...)
	if got.err != nil {
		v.Decision, v.Rule = mcpproxy.Deny, policy.RuleUnreadable
		v.Reason = "The result could not be inspected: " + got.err.Error() + "."
		v.RiskScore = max(v.RiskScore, risk.Score(got.signals()))
		v.RiskLevel = risk.Level(v.RiskScore)
	} else if declares(p.Call) { // what an agent may well repeat, and no data of the user's
		if p.Call.Tool == "tools/list" && result.Err == nil {
			g.tracker.Publish(p.Call.FlowSession, got.doc)
		}
	} else if result.Err == nil && p.Call.Kind != mcpproxy.KindScript { // what it brings was brought by its calls
		g.remember(p, got)
	}
	if got.err == nil {
		v = g.judge(p, v, result, got)
	}
	v = g.withhold(v)
	if got.err == nil && !v.Decision.Stops() {
		p.redacted = p.redactError(result, got)
	}
	g.learn(p)
	return got, v
}

// declares reports whether a call brings what a server says of itself.
func declares(c *mcpproxy.Call) bool {
	return c.Kind == mcpproxy.KindMethod && slices.Contains([]string{"initialize", "server/discover", "tools/list"}, c.Tool)
}

// readResult reads a result for what is sensitive in it and what it tells the
// agent to do.
func (g *Gate) readResult(p *Pass, raw []byte) reading {
	got := g.read(p.settings, raw, "response")
	if got.err == nil && brings(p.Call) {
		start := time.Now()
		got.instructions = scan.Content(got.doc)
		got.elapsed += time.Since(start)
	}
	return got
}

// remember keeps a result as an origin.
func (g *Gate) remember(p *Pass, got reading) {
	p.index = g.tracker.Record(flow.Passage{Call: p.shownCall(), Class: p.class, Operation: p.operation, Doc: got.doc, Arguments: p.args.doc, Secrets: got.secrets(),
		Walled: p.settings.Tables.Groups.Wall(p.Call.Server), Injected: scan.Injected(got.instructions), Instructions: got.instructed()})
}
