package risk

import (
	"cmp"
	"slices"

	"mcpproxy"
)

// Part is the contribution of one signal to the score.
type Part struct {
	Kind   string          `json:"kind"`
	Source mcpproxy.Source `json:"source"`
	Weight float64         `json:"weight"`           // weight of its source, 0 to 1
	Points float64         `json:"points"`           // contribution, 0 to 100
	Capped bool            `json:"capped,omitempty"` // reduced because the maximum was reached
	// Within is the kind of a larger part for the same observation.
	Within string `json:"within,omitempty"`
	Inside bool   `json:"inside,omitempty" doc:"It adds nothing: the sensitive data stays inside"`
}

// Parts returns what the signals add to the score, the greatest first. Their points
// add up to what [Score] says, but for a fraction.
func Parts(signals []mcpproxy.Signal) []Part { return parts(signals, false) }

// PartsOf returns what the signals add to the score of a call, see [Of].
func PartsOf(f *mcpproxy.Facts, signals []mcpproxy.Signal) []Part {
	return parts(signals, readsInside(f))
}

// parts returns the parts of signals. If the call stays inside, signals about sensitive data add nothing.
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
	said := map[string]string{} // the largest part for each observation
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

// thing identifies what a part is about, because several detectors can observe the same thing. Data that leaves is
// observed once for each result that it comes from, once for the session, and once for each limit; data of one kind
// can be in a call many times. Further observations of the same thing add nothing. The result is "" for a part that
// counts separately.
func (p *Part) thing() string {
	switch {
	case p.Source == mcpproxy.SourceFlow && p.Kind != "", p.Kind == KindSensitiveSend:
		return "data that leaves"
	case p.Source == mcpproxy.SourcePII && p.Kind != "":
		return p.Kind
	}
	return ""
}

// Without returns the score without signals about sensitive data: the score of a call from which such data is
// redacted, or which keeps it inside.
func Without(signals []mcpproxy.Signal) int {
	return total(parts(signals, true))
}

// aboutData reports whether a signal is about sensitive data in the call.
func aboutData(s mcpproxy.Signal) bool {
	return s.Source == mcpproxy.SourcePII || s.Kind == KindSensitiveSend ||
		s.Source == mcpproxy.SourceFlow && s.Category == "data_flow" && s.Severity == mcpproxy.SeverityCritical
}

// points returns the contribution of a signal alone.
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
