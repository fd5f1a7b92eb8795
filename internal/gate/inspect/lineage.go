package inspect

import (
	"slices"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/text"
)

// lineage looks for the origins of what a call carries, and for its destinations.
func (in *Inspector) lineage(p *Inspection, r Reading) flow.Lineage {
	if len(r.Doc.Parts) == 0 && r.Doc != p.args.Doc {
		return flow.Lineage{}
	}
	if p.call.Kind == mcpproxy.KindScript { // what a script sends is traced as it sends it
		return flow.Lineage{}
	}
	mask := detect.NewMasker(p.hidden).Text
	transfer := flow.Transfer{
		Call:      p.ShownCall(),
		Class:     p.class,
		Operation: p.operation,
		Doc:       r.Doc,
		Secrets:   r.Secrets(),
		Walled:    in.Tables.Groups.Wall(p.call.Server),
		Name:      mask,
		Mask:      mask,
	}
	if r.Doc == p.args.Doc {
		transfer.Own, transfer.Recipients = p.own, p.recipients
		p.act = p.actOf()
		transfer.Act = p.act
	}
	found := in.tracker.Check(transfer)
	if found.Opens {
		p.acted = mcpproxy.EffectGrant
	}
	for _, s := range found.Known {
		p.known = append(
			p.known,
			detect.Finding{Rule: &detect.Rule{ID: s.Category, Category: s.Category}, Value: s.Value},
		)
	}
	p.hidden = append(p.hidden, p.known...)
	return found
}

// join returns the lineage of a call whose arguments and whose extra members were
// traced one after the other.
func join(a, b flow.Lineage) flow.Lineage {
	a.Edges = append(a.Edges, b.Edges...)
	a.Known = append(a.Known, b.Known...)
	a.Owners = append(a.Owners, b.Owners...)
	a.Sends = a.Sends || b.Sends
	if a.Wish == "" {
		a.Wish = b.Wish
		a.Spelled = b.Spelled
		a.Said = b.Said
		a.Request = b.Request
	}
	a.Destinations = append(a.Destinations, b.Destinations...)
	slices.SortStableFunc(
		a.Destinations,
		func(a, b mcpproxy.Destination) int { return b.Source.Rank() - a.Source.Rank() },
	)
	if a.Legs == (mcpproxy.Legs{}) { // nothing was traced before
		a.Legs = b.Legs
	}
	return a
}

// flowSignals turns edges into signals for the risk score.
func flowSignals(edges []mcpproxy.Edge) []mcpproxy.Signal {
	var out []mcpproxy.Signal
	for _, e := range edges {
		if e.Type != mcpproxy.InternalToExternal || e.Own {
			continue
		}
		s := mcpproxy.Signal{
			Source:     mcpproxy.SourceFlow,
			Kind:       "internal_to_external",
			Category:   "data_flow",
			Severity:   mcpproxy.SeverityMedium,
			Confidence: 0.9,
			Path:       e.Path,
			Evidence:   e.From.Name() + " → " + e.To,
		}
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
