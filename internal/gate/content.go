package gate

import (
	"mcpproxy"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/risk"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/text"
)

// ContentMode says what happens to a result that contains an instruction to the agent.
type ContentMode string

// The content modes (security.content_scan.results).
const (
	ContentWarn     ContentMode = "warn"     // delivered unchanged, logged and alerted
	ContentClean    ContentMode = "clean"    // delivered without the instruction
	ContentWithhold ContentMode = "withhold" // not delivered
)

// removed replaces an instruction that was removed from a result.
const removed = "[mcpproxy removed an instruction that was hidden here]"

// judge decides what happens to a result by its findings, and changes the result accordingly.
func (g *Gate) judge(d *Decided, got *brought) {
	v, result := &got.verdict, got.Result
	var edits []text.Edit
	if scan.Injected(got.Instructions) {
		r := policy.Ruling{Decision: mcpproxy.Warn, Rule: policy.RuleContent,
			Reason: "The result carries an instruction to the agent: " + gravest(got.Instructions).Detail}
		mode := d.settings.Content
		switch {
		case d.settings.ContentFixed:
		case d.ruled != nil && (policy.Ruling{Decision: d.ruled.Decision, Rule: d.ruled.Rule}).Allowed() ||
			d.settings.Tables.Skips(d.Call, policy.RuleContent):
			mode = ContentWarn // an override that allows a tool also allows its results
		}
		if d.Call.Channel == mcpproxy.ChannelHook {
			mode = ContentWarn // the agent has already read it
		}
		switch mode {
		case ContentWithhold:
			r.Decision, r.Reason = mcpproxy.Deny, "The result was withheld. It carries an instruction to the agent: "+gravest(
				got.Instructions,
			).Detail
		case ContentClean:
			r.Decision = mcpproxy.Redact
			edits = removals(got.Instructions)
		}
		if r.Decision.Rank() > v.Decision.Rank() {
			v.Decision = r.Decision
			v.Rule = r.Rule
			v.Reason = r.Reason
		}
		v.RiskScore = max(v.RiskScore, risk.Score(got.Signals()))
		v.RiskLevel = risk.Level(v.RiskScore)
	}
	if d.Verdict.Decision == mcpproxy.Redact {
		edits = append(edits, g.journal.Redactions(d.seen, got.Reading)...)
	}
	if result.Err == nil {
		change(result, got.Doc, edits)
	}
}

// change applies the edits to a result, and makes the remaining control characters visible.
func change(result *mcpproxy.Result, doc *text.Document, edits []text.Edit) {
	if len(edits) > 0 {
		result.Raw, result.Changed = doc.Rewrite(edits), true
		again, err := text.Parse(result.Raw, "")
		if err != nil {
			return // the result of the gate itself stays unchanged
		}
		doc = again
	}
	if edits = shown(doc); len(edits) > 0 {
		result.Raw, result.Changed = doc.Rewrite(edits), true
	}
}

// gravest returns the most serious finding.
func gravest(found []scan.Finding) scan.Finding {
	best := found[0]
	for _, f := range found[1:] {
		if f.Tier == scan.TierHard && best.Tier != scan.TierHard ||
			f.Tier == best.Tier && f.Confidence > best.Confidence {
			best = f
		}
	}
	return best
}

// removals returns edits that remove instructions.
func removals(found []scan.Finding) []text.Edit {
	var edits []text.Edit
	for _, f := range found {
		for n, span := range f.Spans {
			with := ""
			if n == 0 {
				with = removed
			}
			edits = append(edits, text.Edit{Span: span, With: with})
		}
	}
	return edits
}

// shown returns edits that make visible the control characters that terminals obey: escape codes, and marks that
// change the direction of text.
func shown(doc *text.Document) []text.Edit {
	var edits []text.Edit
	for i, p := range doc.Parts {
		if p.Kind == text.Number || p.Opened() || p.Plain() {
			continue
		}
		if s := scan.Visible(p.Text); scan.Deceives(p.Text) && s != p.Text {
			edits = append(edits, text.Edit{Span: text.Span{Part: i, Start: 0, End: len(p.Text)}, With: s})
		}
	}
	return edits
}
