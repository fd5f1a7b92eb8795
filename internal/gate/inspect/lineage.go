package inspect

import (
	"slices"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/text"
)

// trace determines where the data of a call has come from: first for its arguments, then for the other members. A
// secret of an earlier result that is found in one is masked when the next is traced.
func (in *Inspector) trace(d action) traced {
	t := untraced(d)
	if d.err != nil || d.call.Kind == mcpproxy.KindScript { // the calls of a script are traced when they are made
		return t
	}
	t.act = d.actOf()
	first := in.transfer(&d, d.args, t.hidden)
	first.Own = d.own
	first.Recipients = d.recipients
	first.Act = t.act
	t.lineage = in.tracker.Check(first)
	t.prove(d.proofs)
	t.readStores()
	t.known = knownSecrets(t.lineage.Known)
	for _, r := range []Reading{d.extra, d.name} {
		var one flow.Lineage
		if len(r.Doc.Parts) > 0 {
			one = in.tracker.Check(in.transfer(&d, r, slices.Concat(t.hidden, t.known)))
		}
		t.lineage = join(t.lineage, one)
		t.known = append(t.known, knownSecrets(one.Known)...)
	}
	t.hidden = append(t.hidden, t.known...)
	switch {
	case t.lineage.Opens:
		t.acted = mcpproxy.EffectGrant
	case t.lineage.Undoes:
		t.acted = mcpproxy.EffectChange
	case t.act != nil:
		t.acted = t.act.Effect
	}
	return t
}

// transfer returns a text of the call in the form for package flow. hidden is what must be masked.
func (in *Inspector) transfer(d *action, r Reading, hidden []detect.Finding) flow.Transfer {
	mask := detect.NewMasker(hidden).Text
	return flow.Transfer{
		Call:      d.shown(hidden),
		Class:     d.class,
		Operation: d.operation,
		Doc:       r.Doc,
		Secrets:   r.Secrets(),
		Walled:    in.Tables.Wall(d.call.Server),
		Home:      d.isHome,
		Name:      mask,
		Mask:      mask,
	}
}

// knownSecrets returns secrets of earlier results as findings, so that they can be masked.
func knownSecrets(known []flow.Secret) []detect.Finding {
	var out []detect.Finding
	for _, s := range known {
		rule := &detect.Rule{ID: s.Category, Category: s.Category}
		out = append(out, detect.Finding{Rule: rule, Value: s.Value})
	}
	return out
}

// join combines the lineage of a call's arguments with that of its other members. Only the arguments determine who
// asked for the call.
func join(a, b flow.Lineage) flow.Lineage {
	a.Edges = append(a.Edges, b.Edges...)
	a.Known = append(a.Known, b.Known...)
	a.Owners = append(a.Owners, b.Owners...)
	a.Seen = append(a.Seen, b.Seen...)
	a.Sends = a.Sends || b.Sends
	if b.Unexplained.Exceeded() || a.Unexplained == nil {
		a.Unexplained = b.Unexplained
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

// flowSignals converts edges to signals for the risk score.
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
