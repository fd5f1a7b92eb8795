package gate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"mcpproxy"
	"mcpproxy/internal/approval"
	"mcpproxy/internal/detect"
)

// Desk has people asked about calls. An [approval.Desk] is one.
type Desk interface {
	// Ask has a person asked, and returns when there is an answer or no more waiting.
	Ask(ctx context.Context, r approval.Request) approval.Answer
	// Told notes that an agent asks its own user, and returns the request's id.
	Told(r approval.Request) (id string)
	// Ran hears that the call of a hook's evaluation was made.
	Ran(activity string)
}

// User puts a text to the person behind a client, and returns what the person did:
// accept, decline or cancel. It returns when ctx ends. It is nil where the client
// cannot ask.
type User func(ctx context.Context, text string) (action string, err error)

// ask has a person asked about a call that needs it. Where nobody can be asked, a
// call over plain MCP goes on, logged and alerted, and without what would be redacted
// in it if nobody were to be asked.
func (g *Gate) ask(ctx context.Context, p *Pass, user User) {
	v := &p.Verdict
	if v.Decision != mcpproxy.Ask {
		return
	}
	answer := approval.Answer{Outcome: approval.Nobody}
	if desk := p.settings.Desk; desk != nil && p.Call.Kind != mcpproxy.KindMethod {
		resume := pause(ctx)
		answer = desk.Ask(ctx, g.request(p, user))
		resume()
	}
	v.Approval = answer.ID
	switch {
	case answer.Outcome != approval.Nobody && !answer.Approved():
		v.Reason += " " + answer.Reason()
		p.refused = true
	case answer.Approved():
		g.approved(p)
	case p.Call.Channel == mcpproxy.ChannelMCP:
		v.Decision, v.Asked = p.unasked, true
	}
}

// approved lets a call through to which a person has agreed, unless what holds
// now is not what held when the person was asked.
func (g *Gate) approved(p *Pass) {
	now := g.settings.Load()
	if r, ok := now.never(p.Call, p.operation); ok {
		p.Verdict.Decision, p.Verdict.Rule, p.Verdict.Reason = r.Decision, r.Rule, detect.MaskText(r.Reason, p.hidden)
		return
	}
	if now.Version != p.settings.Version {
		p.Verdict.Reason += " A person agreed, and the configuration has changed since: send the call again."
		p.refused = true
		return
	}
	p.Verdict.Decision = mcpproxy.Allow
}

// told notes that the agent asks its user about a call of which its hook tells.
func (g *Gate) told(p *Pass) {
	if p.Verdict.Decision == mcpproxy.Ask && p.settings.Desk != nil {
		p.Verdict.Approval = p.settings.Desk.Told(g.request(p, nil))
	}
}

// ran tells the desk that a call was made about which the agent may have asked.
func (g *Gate) ran(before *Pass) {
	if desk := g.settings.Load().Desk; desk != nil && before != nil {
		desk.Ran(before.Call.ID)
	}
}

// request is the question about a call, bound to what was found out about it.
func (g *Gate) request(p *Pass, user User) approval.Request {
	c := p.Call
	b := approval.Binding{Principal: c.Principal, Session: c.Session, FlowSession: c.FlowSession, Kind: c.Kind, Server: c.Server, Tool: c.Tool,
		Arguments: approval.Digest(c.Arguments), Policy: p.settings.Version, Ruling: p.ruling()}
	record := g.record(p, p.Verdict)
	r := approval.About(record, b, record.Metadata.Destinations)
	r.Elicit = user
	if c.Told {
		r.Told = c.ParentID
	}
	return r
}

// ruling identifies why a call is asked about: the rule, and what the call carries
// where. The arguments are not all of a call; what is found beside them counts here.
func (p *Pass) ruling() string {
	found := []string{}
	for _, e := range p.Verdict.Edges {
		found = append(found, fmt.Sprintf("edge %q %q %q %q %q", e.From.Name(), e.To, e.Type, e.Path, e.Sensitive))
	}
	for _, s := range p.Verdict.Signals {
		if s.Sensitive() {
			found = append(found, fmt.Sprintf("data %q %q", s.Kind, s.Path))
		}
	}
	slices.Sort(found)
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "rule %q", p.Verdict.Rule)
	for _, f := range slices.Compact(found) {
		_, _ = fmt.Fprintf(h, "\n%s", f)
	}
	return hex.EncodeToString(h.Sum(nil))
}
