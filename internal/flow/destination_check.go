package flow

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/text"
)

const (
	maxTold  = 100 // destinations of one call that are kept, the least trusted first
	maxShown = 200 // bytes of one that are shown
)

// Prompt notes the user's own words: whom and what they name, the user has
// chosen, and what they say is no secret of a tool's.
func (t *Tracker) Prompt(session, words string) {
	l := t.limits.Load()
	doc, err := text.Parse(text.Quote(words), "prompt")
	if !l.Enabled || err != nil {
		return
	}
	t.with(session, func(s *Session) {
		s.directory.choose(words)
		s.request.Add(words)
		s.spoken.add(words)
		s.passages.Said(words)
		s.carriers.learn(doc)
		s.contents.Publish(doc, l.options(Transfer{}))
	})
}

// Publish notes text that an agent receives and that does not come from the user's data, such
// as a list of tools: repeating it is not a flow.
func (t *Tracker) Publish(session string, doc *text.Document) {
	if l := t.limits.Load(); l.Enabled {
		t.with(session, func(s *Session) {
			s.contents.Publish(doc, l.options(Transfer{}))
			s.carriers.learn(doc)
		})
	}
}

// destinations are where a call sends something and whom it concerns, the least
// trusted first. Of its other values only those that an instruction dictated are
// among them.
func (d *directory) destinations(p Transfer) []mcpproxy.Destination {
	to, rest := recipientsOf(p)
	var out []mcpproxy.Destination
	for _, r := range to {
		source, from := d.sourceOf(r)
		out = append(out, p.destination(r, source, from))
	}
	for _, r := range rest {
		if source, from := d.sourceOf(r); source == mcpproxy.FromInjected {
			r.kind = kindArgument
			out = append(out, p.destination(r, source, from))
		}
	}
	slices.SortStableFunc(out, func(a, b mcpproxy.Destination) int { return b.Source.Rank() - a.Source.Rank() })
	return slices.Compact(out[:min(len(out), maxTold)])
}

func (p Transfer) destination(
	r recipient,
	source mcpproxy.DestinationSource,
	from *mcpproxy.Origin,
) mcpproxy.Destination {
	d := mcpproxy.Destination{
		Value:  r.value,
		Kind:   r.kind,
		Path:   r.path,
		Source: source,
		From:   from,
	}
	if p.Mask != nil {
		d.Value = p.Mask(r.value)
	}
	if len(d.Value) > maxShown {
		d.Value = strings.ToValidUTF8(d.Value[:maxShown], "") + "..."
	}
	if r.part >= 0 {
		d.Path = p.path(p.Doc.Parts[r.part])
	}
	return d
}

// chosen says who chose where a call goes: the least trusted of those who chose its
// destinations. A call that names none but what trusted results hold goes to its server,
// which the user chose by naming it: "answer the dispute in Stripe".
func (s *Session) chosen(p Transfer, destinations []mcpproxy.Destination) mcpproxy.DestinationSource {
	source := mcpproxy.FromNowhere
	if len(destinations) > 0 {
		source = destinations[0].Source
	}
	if (len(destinations) == 0 || source == mcpproxy.FromInternal) && s.passages.Named(p.Call.Server) {
		return mcpproxy.FromUser
	}
	return source
}

// aim tells every edge who chose where the call goes. Data that goes out without a reason, to where
// neither the user nor a trusted result pointed, is a high risk (FR-024). What
// the agent gives as its reason makes a destination no better than that: an
// agent that was talked into something will say anything.
func aim(edges []mcpproxy.Edge, source mcpproxy.DestinationSource, justified bool) {
	for i := range edges {
		e := &edges[i]
		e.Destination = source
		doubtful := source == mcpproxy.FromInjected || !justified && source.Rank() >= mcpproxy.FromNowhere.Rank()
		if doubtful && e.Type == mcpproxy.InternalToExternal && e.Risk == mcpproxy.RiskMedium {
			e.Risk = mcpproxy.RiskHigh
		}
	}
}
