package inspect

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/locate"
	"mcpproxy/internal/risk"
)

// contradicts compares the claims of the agent, the server, the tool's name and the arguments about a call (RFC-004,
// phase 4b).
func (p *carried) contradicts(signals []mcpproxy.Signal) []mcpproxy.ContradictionResult {
	if p.call.Kind != mcpproxy.KindTool || p.says == nil {
		return nil
	}
	return risk.Contradictions(p.claims(signals))
}

func (p *carried) claims(signals []mcpproxy.Signal) risk.Claims {
	call, says := p.call, p.says
	mask := detect.NewMasker(p.hidden).Text
	c := risk.Claims{
		Tool:        mask(call.Tool),
		Operation:   call.Intent.Operation,
		Sensitivity: word(call.Intent.DataSensitivity),
		Destination: word(call.Intent.DestinationType),
		Destroys:    reasons(says.Destructive),
		Forces:      reasons(says.Forceful),
		Writes:      reasons(says.Writes),
		Personal:    p.personal(signals),
	}
	if d := call.Definition; d != nil {
		c.ReadOnly = d.ReadOnly != nil && *d.ReadOnly
		c.Destructive = d.Destructive != nil && *d.Destructive && !c.ReadOnly
	}
	if t := p.tool; t.Name != mcpproxy.Write || t.PlainWrite {
		c.Name = t.Name
	}
	c.External = p.handsOver(c, signals)
	p.addressed(&c)
	return c
}

// word normalises an agent's value for a field with few possible values.
func word(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// maxShown is the maximum number of reasons in an explanation.
const maxShown = 3

func reasons(all []classify.Reason) string {
	var out []string
	for _, r := range all[:min(len(all), maxShown)] {
		out = append(out, r.String())
	}
	return strings.Join(out, ", ")
}

// personal names the kinds of secrets and personal data that the call carries. Data whose disclosure does no harm,
// such as a single e-mail address, does not count, because every mail contains one.
func (p *carried) personal(signals []mcpproxy.Signal) string {
	var out []string
	note := func(kind, path string) {
		if path != "" {
			kind += " (at " + path + ")"
		}
		if len(out) < maxShown && !slices.Contains(out, kind) {
			out = append(out, kind)
		}
	}
	for _, s := range signals {
		if s.Sensitive() {
			note(s.Kind, s.Path)
		}
	}
	for _, e := range p.edges {
		for _, kind := range e.Sensitive {
			note(kind, e.Path)
		}
	}
	return strings.Join(out, ", ")
}

// handsOver returns the URL outside to which the call sends data, and how. A URL that is only fetched does not count,
// unless it contains a secret.
func (p *carried) handsOver(c risk.Claims, signals []mcpproxy.Signal) string {
	for _, e := range p.says.External {
		how := e.Carries
		if how == "" && (c.Name == mcpproxy.Write || c.Name == mcpproxy.Destructive) {
			how = "by its name the tool does more than read"
		}
		secret := func(s mcpproxy.Signal) bool { return s.Sensitive() && s.Path == e.Path }
		leaks := func(edge mcpproxy.Edge) bool { return len(edge.Sensitive) > 0 && edge.Path == e.Path }
		if slices.ContainsFunc(signals, secret) || slices.ContainsFunc(p.edges, leaks) {
			how = "it holds sensitive data"
		}
		if how != "" {
			return e.Host + " (" + how + ", at " + e.Path + ")"
		}
	}
	return ""
}

// addressed sets the actual receivers of the call.
func (p *carried) addressed(c *risk.Claims) {
	domains, known := p.by.Classifier.InternalDomains, 0
	for _, d := range p.lineage.Destinations {
		inside := true
		switch {
		case d.Kind == "email":
			inside = domains.Email(d.Value)
		case d.AtHost():
			value := d.Value
			if !strings.Contains(value, "//") {
				value = "//" + value
			}
			_, where := domains.URL(value)
			inside = where != locate.Outside
		default:
			continue
		}
		if known++; !inside && c.Outside == "" {
			c.Outside = d.Value
			if d.Path != "" {
				c.Outside += " (at " + d.Path + ")"
			}
		}
	}
	c.Contacts = known > 0
	if p.class.Side == mcpproxy.External && p.sends() {
		c.Reaches = place(p.call)
	}
}
