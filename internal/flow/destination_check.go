package flow

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/text"
)

const (
	maxTold  = 100 // destinations per call; the least trusted are kept
	maxShown = 200 // bytes of one destination that are shown
)

// Prompt records the user's own words. Every recipient in them counts as chosen by the user, and their text does not
// count as a secret of a tool.
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

// Publish records a text that an agent receives and that contains no user data, such as a list of tools. Repeating the
// text is not a flow.
func (t *Tracker) Publish(session string, doc *text.Document) {
	if l := t.limits.Load(); l.Enabled {
		t.with(session, func(s *Session) {
			s.contents.Publish(doc, l.options(Transfer{}))
			s.carriers.learn(doc)
		})
	}
}

// destinations returns the recipients of a call and the people whom it concerns, the least trusted first. It includes
// other values of the call only if an instruction contained them.
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

// chosen returns who chose where a call goes: the least trusted source among its destinations. If all its
// destinations come from trusted results, the call goes to its server, which the user may have chosen by name:
// "answer the dispute in Stripe".
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

// aim sets the source of the destination on every edge: who chose where the call goes. A command can send data to
// several destinations, and each edge gets the source of its own destination. If neither the user nor a trusted result
// named the destination, and the call states no reason, the flow is a high risk (FR-024). A stated reason does not
// make the destination more trusted, because an agent that follows an injected instruction can state any reason.
func aim(edges []mcpproxy.Edge, to []mcpproxy.Destination, source mcpproxy.DestinationSource, justified bool) {
	for i := range edges {
		e := &edges[i]
		e.Destination = source
		isIts := func(d mcpproxy.Destination) bool { return e.Match == "shell" && d.Value == e.To }
		if one := slices.IndexFunc(to, isIts); one >= 0 {
			e.Destination = to[one].Source
		}
		unnamed := e.Destination.Rank() >= mcpproxy.FromNowhere.Rank()
		doubtful := e.Destination == mcpproxy.FromInjected || !justified && unnamed
		if doubtful && e.Type == mcpproxy.InternalToExternal && e.Risk == mcpproxy.RiskMedium {
			e.Risk = mcpproxy.RiskHigh
		}
	}
}
