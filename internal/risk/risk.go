// Package risk computes the risk score from signals. It also makes the signals about behaviour: how much a session
// sends out ([Watch]), what is unusual for a tool, and unreadable payloads ([Opaque]).
//
// The score is the sum of confidence × severity × source weight over all signals, times 100, and at most 100
// (RFC-004, Risk Scoring Engine). Adding a signal never lowers it. Signals about behaviour depend only on the calls
// and their times; the data for them is bounded, by session and by tool. They stop nothing by themselves.
package risk

import "mcpproxy"

// weights are the reliability of each kind of detector (RFC-004).
var weights = map[mcpproxy.Source]float64{
	mcpproxy.SourceFlow:       1.0,
	mcpproxy.SourcePII:        0.8,
	mcpproxy.SourceStatic:     0.6,
	mcpproxy.SourceBehavioral: 0.5,
	mcpproxy.SourceAgentHint:  0.3,
}

var severities = map[mcpproxy.Severity]float64{
	mcpproxy.SeverityLow:      0.25,
	mcpproxy.SeverityMedium:   0.5,
	mcpproxy.SeverityHigh:     0.75,
	mcpproxy.SeverityCritical: 1,
}

// exampleFactor is the factor for a secret that looks like documentation.
const exampleFactor = 0.2

// maxHints is the maximum contribution of hints: an agent's own claims never raise the score above the band low.
const maxHints = 29

// Score returns the weighted sum of signals, 0 to 100.
func Score(signals []mcpproxy.Signal) int { return total(Parts(signals)) }

// Of returns the score of a call with these signals. If the call only reads on a server that is known to be internal,
// sensitive data adds nothing to the score, because it stays where it is stored.
func Of(f *mcpproxy.Facts, signals []mcpproxy.Signal) int { return total(PartsOf(f, signals)) }

// readsInside reports whether a call only reads on a server that is known to be internal. An unknown server does not
// count, although it is treated as internal by default.
func readsInside(f *mcpproxy.Facts) bool {
	c := f.Class()
	return f.Operation == mcpproxy.Read && c.Side == mcpproxy.Internal && !c.Unknown && !c.Leaves()
}

// total returns the sum of parts.
func total(parts []Part) int {
	sum := 0.0
	for _, p := range parts {
		sum += p.Points
	}
	return int(sum + 1e-6) // a millionth more, so that rounding does not cost a point
}

// Worst returns the level of a call with this score and these edges.
func Worst(score int, edges []mcpproxy.Edge) mcpproxy.RiskLevel {
	worst := Level(score)
	for _, e := range edges {
		if e.Risk.Rank() > worst.Rank() {
			worst = e.Risk
		}
	}
	return worst
}

// Level returns the band of a score (RFC-004, Score Interpretation). A score of zero has the level RiskNone.
func Level(score int) mcpproxy.RiskLevel {
	if score <= 0 {
		return mcpproxy.RiskNone
	}
	return mcpproxy.BandOf(score).Level
}
