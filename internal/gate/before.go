package gate

import (
	"context"
	"slices"
	"strings"
	"time"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/risk"
	"mcpproxy/internal/text"
)

// Before decides a call. It fills in the call's id and time when they are
// empty. A verdict that stops the call is durable when Before returns.
func (g *Gate) Before(ctx context.Context, call *mcpproxy.Call) *Pass {
	return g.BeforeAsking(ctx, call, nil)
}

// BeforeAsking is [Gate.Before] for a client that can ask its user. It waits for
// the answer.
func (g *Gate) BeforeAsking(ctx context.Context, call *mcpproxy.Call, user User) *Pass {
	p := g.begin(call)
	p.timed(func() { g.inspect(p) })
	g.ask(ctx, p, user)
	g.announce(p)
	if p.Stopped() {
		g.recordStop(ctx, p)
		p.quarantine()
	} else if p.trace.Sends {
		g.tracker.Sent(p.shownCall())
	}
	return p
}

// begin fills in what every call has.
func (g *Gate) begin(call *mcpproxy.Call) *Pass {
	if call.ID == "" {
		call.ID = NewID()
	}
	if call.Received.IsZero() {
		call.Received = time.Now()
	}
	call.Trace = traced(call)
	return &Pass{Call: call, settings: g.settings.Load()}
}

func (g *Gate) inspect(p *Pass) {
	g.readCall(p)
	signals := append(p.args.signals(), p.extra.signals()...)
	if p.args.err == nil {
		p.args.err = p.extra.err
	}
	if p.args.err == nil {
		p.trace = join(join(g.trace(p, p.args), g.trace(p, p.extra)), g.trace(p, g.named(p)))
		signals = slices.Concat(signals, flowSignals(p.trace.Edges), p.trifecta())
		p.strings = slices.Concat(values(p.args.doc), values(p.extra.doc), p.hosts)
		p.settings.Tables.Mark(p.Call, signals)
		g.observe(p, signals)
		p.contradictions = p.contradicts(signals)
		signals = append(signals, risk.ContradictionSignals(p.contradictions)...)
	}
	p.Verdict = p.decide(signals)
}

// readCall finds out what the call is, and reads it for what is sensitive.
func (g *Gate) readCall(p *Pass) {
	call, c := p.Call, &p.settings.Classifier
	switch {
	case call.Kind == mcpproxy.KindScript: // it reaches nothing but by calls of its own
		p.class = mcpproxy.Class{Side: mcpproxy.Internal, Confidence: 1, Method: mcpproxy.ByConfig}
	case call.Server == "":
		p.class = c.AgentTool(call.Tool)
	case call.Kind == mcpproxy.KindTool:
		p.tool = p.settings.known.tool(call.Server, call.Tool, call.Definition)
		p.class = p.tool.class
	default: // a URI or a prompt's name says nothing about sides
		p.class = c.Tool(call.Server, "", nil)
	}
	p.args = g.readArguments(p)
	p.extra = g.read(p.settings, call.Extra, "params")
	p.hidden = slices.Concat(g.readAside(p), p.args.hidden(), p.extra.hidden())
	switch {
	case call.Kind != mcpproxy.KindTool:
		p.operation = mcpproxy.Read
	case call.Server == "":
		p.operation = c.AgentOperation(call.Tool)
	default:
		p.says = c.Read(p.tool.Subject, p.args.doc, detect.NewMasker(p.hidden).Text)
		p.operation = p.tool.Operation(p.says)
	}
	if p.args.err == nil && call.Kind != mcpproxy.KindScript {
		g.followShell(p)
	}
}

// named is a name that nothing declares, as something that a call says: who makes a
// name up can put anything into it.
func (g *Gate) named(p *Pass) reading {
	c := p.Call
	if c.Server == "" || c.Definition != nil || c.Kind != mcpproxy.KindTool && c.Kind != mcpproxy.KindPrompt {
		return reading{doc: &text.Document{}}
	}
	return g.read(p.settings, text.Quote(c.Tool), "name")
}

// shownCall is the call as others may read of it: a tool's name can be a secret.
func (p *Pass) shownCall() *mcpproxy.Call {
	name := detect.NewMasker(p.hidden).Text(p.Call.Tool)
	if name == p.Call.Tool {
		return p.Call
	}
	c := *p.Call
	c.Tool = name
	return &c
}

// trace looks for where what a call carries has come from.
func (g *Gate) trace(p *Pass, r reading) flow.Trace {
	if len(r.doc.Parts) == 0 || p.Call.Kind == mcpproxy.KindScript { // what a script sends is traced as it sends it
		return flow.Trace{}
	}
	mask := detect.NewMasker(p.hidden).Text
	passage := flow.Passage{Call: p.shownCall(), Class: p.class, Operation: p.operation, Doc: r.doc, Secrets: r.secrets(),
		Walled: p.settings.Tables.Groups.Wall(p.Call.Server), Name: mask, Mask: mask}
	if r.doc == p.args.doc {
		passage.Own, passage.Recipients = p.own, p.recipients
	}
	trace := g.tracker.Check(passage)
	for _, s := range trace.Known {
		p.known = append(p.known, detect.Finding{Rule: &detect.Rule{ID: s.Category, Category: s.Category}, Value: s.Value})
	}
	p.hidden = append(p.hidden, p.known...)
	return trace
}

// join is the trace of a call whose arguments and whose extra members were
// traced one after the other.
func join(a, b flow.Trace) flow.Trace {
	a.Edges = append(a.Edges, b.Edges...)
	a.Known = append(a.Known, b.Known...)
	a.Sends = a.Sends || b.Sends
	a.Destinations = append(a.Destinations, b.Destinations...)
	slices.SortStableFunc(a.Destinations, func(a, b mcpproxy.Destination) int { return b.Source.Rank() - a.Source.Rank() })
	if a.Legs == (mcpproxy.Legs{}) { // nothing was traced before
		a.Legs = b.Legs
	}
	return a
}

// decide weighs the signals and asks the policy.
func (p *Pass) decide(signals []mcpproxy.Signal) mcpproxy.Verdict {
	edges, tables := p.trace.Edges, &p.settings.Tables
	tables.Mark(p.Call, signals)
	tables.Mark(p.Call, p.behaviour)
	seen := append(signals, p.noticed(policy.Ruling{})...)
	score := risk.Score(seen)
	r := p.rule(policy.Facts{Call: p.Call, Class: p.class, Operation: p.operation, Edges: edges, Destinations: p.trace.Destinations,
		Legs: p.trace.Legs, Signals: slices.Concat(signals, p.behaviour), Strings: p.strings, Contradictions: p.contradictions,
		RiskScore: score, RiskLevel: risk.Worst(score, edges), RiskWithout: risk.Without(seen), Coverage: coverage(p.Call)})
	signals = append(signals, p.noticed(r)...)
	score = risk.Score(signals)
	v := mcpproxy.Verdict{Signals: signals, Edges: edges, RiskScore: score, RiskLevel: risk.Worst(score, edges), ID: p.Call.ID,
		Contradictions: p.contradictions}
	v.Decision, v.Rule, v.Reason = r.Decision, r.Rule, detect.MaskText(r.Reason, p.hidden) // a name can be a secret
	return v
}

// rule is the ruling about the call.
func (p *Pass) rule(f policy.Facts) policy.Ruling {
	if r, ok := p.settled(); ok {
		p.ruled = &mcpproxy.Ruled{Decision: r.Decision, Rule: r.Rule}
		return r
	}
	tables := &p.settings.Tables
	p.flagged = tables.Risk.Flags(f.Held()) && !tables.Skips(p.Call, policy.RuleFlag)
	r := tables.Decide(f)
	var also []string
	if r.Decision.Rank() >= mcpproxy.Redact.Rank() {
		also = tables.Also(f, r)
	}
	if r.Decision == mcpproxy.Ask {
		p.unasked = tables.Unasked(f, r, p.sensitive() > 0)
	}
	r = f.Possible(r, p.sensitive() > 0)
	p.ruled = &mcpproxy.Ruled{Decision: r.Decision, Rule: r.Rule, Also: also}
	return r
}

// settled is the ruling about a call that no policy is asked about.
func (p *Pass) settled() (policy.Ruling, bool) {
	if r, ok := p.settings.never(p.Call, p.operation); ok {
		return r, true
	}
	if p.args.err != nil {
		return policy.Ruling{Decision: mcpproxy.Deny, Rule: policy.RuleUnreadable,
			Reason: "The arguments could not be inspected: " + p.args.err.Error() + "."}, true
	}
	if p.decides != "" {
		return policy.Ruling{Decision: mcpproxy.Deny, Rule: policy.RuleSelf, Reason: "The command runs `" + p.decides +
			"`, which changes what agents may do, or does it in the user's name. A person decides that, in a terminal of their own."}, true
	}
	if p.reaches != "" {
		return policy.Ruling{Decision: mcpproxy.Deny, Rule: policy.RuleSelf, Reason: "The call reaches for `" + p.reaches +
			"`, which says what agents may do. A person decides that, in a terminal of their own."}, true
	}
	return policy.Ruling{}, false
}

// never is the ruling about a call that does op and that no rule and no person lets
// through.
func (s *Settings) never(call *mcpproxy.Call, op mcpproxy.Operation) (policy.Ruling, bool) {
	if s.Kill {
		return killed, true
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

// killed is the ruling while the kill switch is on.
var killed = policy.Ruling{Decision: mcpproxy.Deny, Rule: policy.RuleKill, Reason: "The kill switch is on: every call is denied."}

// sensitive is how many values of the call would be redacted.
func (p *Pass) sensitive() int { return len(p.args.secrets()) + len(p.extra.secrets()) + len(p.known) }

// flowSignals turns edges into signals for the risk score.
func flowSignals(edges []mcpproxy.Edge) []mcpproxy.Signal {
	var out []mcpproxy.Signal
	for _, e := range edges {
		if e.Type != mcpproxy.InternalToExternal {
			continue
		}
		s := mcpproxy.Signal{Source: mcpproxy.SourceFlow, Kind: "internal_to_external", Category: "data_flow",
			Severity: mcpproxy.SeverityMedium, Confidence: 0.9, Path: e.Path, Evidence: e.From.Name() + " → " + e.To}
		if len(e.Sensitive) > 0 {
			s.Severity, s.Confidence = mcpproxy.SeverityCritical, 0.99
		}
		out = append(out, s)
	}
	return out
}

func values(doc *text.Document) []string {
	out := make([]string, 0, len(doc.Parts))
	for _, v := range doc.Views() {
		if doc.Parts[v.Part].Kind != text.Number {
			out = append(out, v.Text)
		}
	}
	return out
}

// readAside is what must not be shown of what a call says beside its arguments.
// Most calls of a tool say the same.
func (g *Gate) readAside(p *Pass) []detect.Finding {
	said, known := aside(p.Call), p.settings.known
	if known.isPlain(said) {
		return nil
	}
	r := g.read(p.settings, said, "")
	if r.err == nil && len(r.found) == 0 {
		known.notePlain(said)
	}
	return r.hidden()
}

// maxCount is the length of the longest number that counts requests and nothing else.
const maxCount = 6

// aside is what a call says beside its arguments, to be read for secrets too:
// its name, which may be a URI, and the agent's reasons.
func aside(c *mcpproxy.Call) []byte {
	id := c.RequestID
	if len(id) <= maxCount && strings.Trim(id, "0123456789") == "" {
		id = "" // too little to be anything else, and another one for each call
	}
	return text.Quote(c.Tool + "\n" + id + "\n" + c.Intent.Reason + "\n" + c.Intent.Justification + "\n" +
		c.Intent.DataSensitivity + "\n" + c.Intent.DestinationType)
}
