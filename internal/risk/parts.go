package risk

import (
	"cmp"
	"slices"

	"mcpproxy"
)

// Part is what one signal adds to the score.
type Part struct {
	Kind   string          `json:"kind"`
	Source mcpproxy.Source `json:"source"`
	Weight float64         `json:"weight"`           // of its source, 0 to 1
	Points float64         `json:"points"`           // what it adds, 0 to 100
	Capped bool            `json:"capped,omitempty"` // it would add more, were there room
	// Within is the kind of a greater part that stands for the same thing.
	Within string `json:"within,omitempty"`
	Inside bool   `json:"inside,omitempty" doc:"It adds nothing: the sensitive data stays inside"`
}

// Parts are what the signals add to the score, the greatest first. Their points
// add up to what [Score] says, but for a fraction.
func Parts(signals []mcpproxy.Signal) []Part { return parts(signals, false) }

// PartsOf are what the signals add to the score of a call, see [Of].
func PartsOf(f *mcpproxy.Facts, signals []mcpproxy.Signal) []Part {
	return parts(signals, readsInside(f))
}

// parts are the parts of signals. If the call stays inside, those about sensitive data add nothing.
func parts(signals []mcpproxy.Signal, inside bool) []Part {
	out := make([]Part, 0, len(signals))
	for _, s := range signals {
		p := Part{
			Kind:   s.Kind,
			Source: s.Source,
			Weight: weights[s.Source],
			Points: points(s),
			Inside: inside && aboutData(s),
		}
		if p.Inside {
			p.Points = 0
		}
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b Part) int { return cmp.Compare(b.Points, a.Points) })
	total, hints := 0.0, 0.0
	said := map[string]string{} // the greatest part for each thing
	for i := range out {
		p := &out[i]
		if thing := p.thing(); thing != "" && !p.Inside {
			if greatest, ok := said[thing]; ok {
				p.Points, p.Within = 0, greatest
				continue
			}
			said[thing] = p.Kind
		}
		room := 100 - total
		if p.Source == mcpproxy.SourceAgentHint {
			room = min(room, maxHints-hints)
		}
		if p.Points > room {
			p.Points, p.Capped = room, true
		}
		total += p.Points
		if p.Source == mcpproxy.SourceAgentHint {
			hints += p.Points
		}
	}
	slices.SortStableFunc(out, func(a, b Part) int { return cmp.Compare(b.Points, a.Points) })
	return out
}

// thing is what a part stands for, where several detectors see the same thing:
// data that leaves is seen once for each result that it came from, by the session
// it leaves, and by what is counted of it; a kind of data may stand in a call many
// times. Seeing it again says nothing new. It is "" for what stands for itself.
func (p *Part) thing() string {
	switch {
	case p.Source == mcpproxy.SourceFlow && p.Kind != "", p.Kind == KindSensitiveSend:
		return "data that leaves"
	case p.Source == mcpproxy.SourcePII && p.Kind != "":
		return p.Kind
	}
	return ""
}

// Without is the score without what is about sensitive data: that of a call of
// which it is taken out, or which keeps it inside.
func Without(signals []mcpproxy.Signal) int {
	return total(parts(signals, true))
}

// aboutData reports whether a signal is about sensitive data in the call.
func aboutData(s mcpproxy.Signal) bool {
	return s.Source == mcpproxy.SourcePII || s.Kind == KindSensitiveSend ||
		s.Source == mcpproxy.SourceFlow && s.Category == "data_flow" && s.Severity == mcpproxy.SeverityCritical
}

// points is what a signal adds by itself.
func points(s mcpproxy.Signal) float64 {
	if s.Suppressed {
		return 0
	}
	n := s.Confidence * severities[s.Severity] * weights[s.Source] * 100
	if s.Example {
		n *= exampleFactor
	}
	return n
}
