package gate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"mcpproxy"
	"mcpproxy/internal/approval"
)

// Desk asks people about calls. [approval.Desk] implements it.
type Desk interface {
	// Ask asks a person, and returns when there is an answer or when waiting ends.
	Ask(ctx context.Context, r approval.Request) approval.Answer
	// Prompted records that an agent asks its own user, or returns the earlier answer that decides.
	Prompted(r approval.Request) approval.Answer
	// Post records a question that nobody can answer now, or returns the existing answer.
	Post(r approval.Request) approval.Answer
	// Ran records that a call was made. activity is the id of the hook's announcement of the call.
	Ran(activity string)
	// UserSpoke records that the user has said something in a session.
	UserSpoke(principal, session string)
}

// UserSpoke records that the user has said something: calls that were declined before are asked about again.
func (g *Gate) UserSpoke(principal, session string) {
	if desk := g.settings.Load().Desk; desk != nil {
		desk.UserSpoke(principal, session)
	}
}

// ask asks a person about a call for which the policy decided to ask. If nobody can be asked, a call over MCP
// continues and is logged and alerted, after the redaction that would apply without the question. If it is denied
// instead, a person can approve it and the agent can send it again.
func (g *Gate) ask(ctx context.Context, d *Decided) {
	v := &d.Verdict
	if v.Decision != mcpproxy.Ask {
		return
	}
	desk := d.settings.Desk
	if desk == nil || d.Call.Kind == mcpproxy.KindMethod {
		g.unasked(d)
		return
	}
	q := g.question(d, d.request.User)
	resume := d.request.pause()
	answer := desk.Ask(ctx, q)
	resume()
	if answer.Outcome != approval.Nobody {
		g.answered(d, answer)
		return
	}
	g.unasked(d)
	if v.Decision.Stops() {
		g.answered(d, desk.Post(q))
	}
}

// unasked decides about a call if nobody can be asked.
func (g *Gate) unasked(d *Decided) {
	if d.Call.Channel == mcpproxy.ChannelMCP {
		d.Verdict.Decision, d.Verdict.Asked = d.unasked, true
	}
}

// answered applies a person's answer, or the fact that there is no answer yet.
func (g *Gate) answered(d *Decided, a approval.Answer) {
	v := &d.Verdict
	v.Approval = a.ID
	v.Remembered = a.Remembered
	switch {
	case a.Approved():
		g.approved(d)
		if said := a.Passed(); said != "" && v.Decision == mcpproxy.Allow {
			v.Reason += " " + said
		}
	case a.Outcome == approval.Posted:
		v.Reason += " " + a.Reason()
	default:
		v.Reason += " " + a.Reason()
		d.refused = true
	}
}

// approved lets a call through that a person has approved, unless the facts or the configuration have changed since
// the person was asked.
func (g *Gate) approved(d *Decided) {
	now := g.settings.Load()
	if r, ok := now.never(d.Call, d.seen.Operation()); ok {
		d.Verdict.Decision = r.Decision
		d.Verdict.Rule = r.Rule
		d.Verdict.Reason = d.masked(r.Reason)
		return
	}
	if now.Version != d.settings.Version {
		d.Verdict.Reason += " A person agreed, and the configuration has changed since: send the call again."
		d.refused = true
		return
	}
	d.Verdict.Decision = mcpproxy.Allow
}

// askByHook asks about a call that a hook announces: its agent asks its own user, or cannot ask.
func (g *Gate) askByHook(d *Decided) {
	v, h := &d.Verdict, d.request.Hook
	if d.request.Released {
		g.note(v)
	}
	if v.Decision != mcpproxy.Ask {
		return
	}
	desk := d.settings.Desk
	if h.NoAsk == "" {
		if desk != nil {
			g.prompted(d, desk.Prompted(g.question(d, nil)))
		}
		return
	}
	v.Decision, v.Asked = h.NoAsk, true
	const cannot = " Somebody should be asked, and this agent cannot ask (security.hooks.ask_fallback)."
	if desk == nil || !h.NoAsk.Stops() {
		v.Reason += cannot
		return
	}
	a := desk.Post(g.question(d, nil))
	if a.Outcome == approval.Posted {
		v.Reason += cannot
	}
	g.answered(d, a)
	v.Asked = v.Decision.Stops()
}

// prompted leaves the question to the agent, which asks its own user, unless an earlier answer decides.
func (g *Gate) prompted(d *Decided, a approval.Answer) {
	switch a.Outcome {
	case approval.Waiting:
		d.Verdict.Approval = a.ID
		if shown := d.boundary.Shown(); shown != "" {
			d.Verdict.Reason += " Asked about: " + shown + "."
		}
	case approval.Approved:
		g.answered(d, a)
	default:
		d.Verdict.Decision = mcpproxy.Deny
		g.answered(d, a)
	}
}

// ran tells the desk that a call was made about which the agent may have asked its user.
func (g *Gate) ran(before *Decided) {
	if desk := g.settings.Load().Desk; desk != nil && before != nil {
		desk.Ran(before.Call.ID)
	}
}

// question returns the approval request for a call, bound to the facts about the call.
func (g *Gate) question(d *Decided, user User) approval.Request {
	c := d.Call
	b := approval.Binding{
		Principal:   c.Principal,
		Session:     c.Session,
		FlowSession: c.FlowSession,
		Kind:        c.Kind,
		Server:      c.Server,
		Tool:        c.Tool,
		Arguments:   approval.Digest(d.seen.Asked()),
		Policy:      d.settings.Version,
		Ruling:      d.subject(),
	}
	if d.ruled != nil {
		d.boundary = d.seen.Boundary(append([]string{d.ruled.Rule}, d.ruled.Also...), approval.Digest)
	}
	e := d.entry()
	record := e.Record()
	r := approval.About(record, b, record.Metadata.Destinations)
	r.Elicit = user
	if c.Announced {
		r.Evaluation = c.ParentID
	}
	return r
}

// subject identifies why a call is asked about: the rule, and which data the call carries where. It includes what was
// found outside the arguments.
func (d *Decided) subject() string {
	found := []string{}
	for _, e := range d.Verdict.Edges {
		found = append(found, fmt.Sprintf("edge %q %q %q %q %q", e.From.Name(), e.To, e.Type, e.Path, e.Sensitive))
	}
	for _, s := range d.Verdict.Signals {
		if s.Sensitive() {
			found = append(found, fmt.Sprintf("data %q %q", s.Kind, s.Path))
		}
	}
	slices.Sort(found)
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "rule %q", d.Verdict.Rule)
	for _, f := range slices.Compact(found) {
		_, _ = fmt.Fprintf(h, "\n%s", f)
	}
	return hex.EncodeToString(h.Sum(nil))
}
