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
	// Ask has a person asked, and returns when there is an answer or no more waiting.
	Ask(ctx context.Context, r approval.Request) approval.Answer
	// Prompted records that an agent asks its own user, or returns the earlier answer that decides.
	Prompted(r approval.Request) approval.Answer
	// Post notes a question that nobody is there to ask, or returns the answer that there is.
	Post(r approval.Request) approval.Answer
	// Ran is called when the call of a hook's evaluation was made.
	Ran(activity string)
	// Heard is called when the user has said something in a session.
	Heard(principal, session string)
}

// Heard takes in that the user has said something: what he declined before is asked again.
func (g *Gate) Heard(principal, session string) {
	if desk := g.settings.Load().Desk; desk != nil {
		desk.Heard(principal, session)
	}
}

// ask has a person asked about a call that needs it. Where nobody can be asked, a
// call over plain MCP goes on, logged and alerted, and without what would be redacted
// in it if nobody were to be asked; where it is denied, it can be approved and sent again.
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

// unasked settles an ask where nobody can be asked.
func (g *Gate) unasked(d *Decided) {
	if d.Call.Channel == mcpproxy.ChannelMCP {
		d.Verdict.Decision, d.Verdict.Asked = d.unasked, true
	}
}

// answered takes the answer of a person, or that there is none yet.
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

// approved lets a call through to which a person has agreed, unless what holds
// now is not what held when the person was asked.
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

// askByHook settles an ask about a call that a hook announces: its agent asks its own
// user, or cannot.
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

// prompted settles an ask for which the agent asks its own user, unless an earlier answer
// decides.
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

// ran tells the desk that a call was made about which the agent may have asked.
func (g *Gate) ran(before *Decided) {
	if desk := g.settings.Load().Desk; desk != nil && before != nil {
		desk.Ran(before.Call.ID)
	}
}

// question is the request for approval of a call, bound to what was found out about it.
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

// subject identifies why a call is asked about: the rule, and what the call carries
// where. The arguments are not all of a call; what is found beside them counts here.
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
