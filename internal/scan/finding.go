package scan

import (
	"slices"

	"mcpproxy"
	"mcpproxy/internal/text"
)

// Tier says how strong a finding is as evidence.
type Tier string

// The tiers. One hard finding is sufficient; soft findings add up.
const (
	TierHard Tier = "hard"
	TierSoft Tier = "soft"
)

// InjectedAt is the minimum combined confidence of soft findings that, close together in a text, make it an injection.
const InjectedAt = 0.7

// nearby is the maximum distance, in bytes, of soft findings that add up.
const nearby = 1200

// Finding is an instruction, or hidden text, found in content.
type Finding struct {
	Check      string // stable name of the check, such as "phrase.injection"
	Tier       Tier
	Threat     string // prompt_injection, exfiltration, malicious_code, uncategorized
	Severity   mcpproxy.Severity
	Confidence float64     // 0 to 1
	Evidence   string      // the matched text, safe to print, at most 120 characters
	Detail     string      // one sentence
	Spans      []text.Span // all positions, in the parts' own bytes
	Path       string      // JSON path of the first part
	How        string      // the encoding that was undone; "" for plain text
}

// Injected reports whether the findings of a document make it an injection: one is hard, or soft ones of different
// checks close together in one part add up to [InjectedAt].
func Injected(found []Finding) bool {
	type place struct {
		at    int
		index int
	}
	parts := map[int][]place{}
	for i, f := range found {
		if f.Tier == TierHard {
			return true
		}
		for _, s := range f.Spans {
			parts[s.Part] = append(parts[s.Part], place{s.Start, i})
		}
	}
	for _, places := range parts {
		slices.SortFunc(places, func(a, b place) int { return a.at - b.at })
		first := 0
		sum := newWindowScore()
		for _, p := range places {
			sum.add(found[p.index])
			for p.at-places[first].at > nearby {
				sum.drop(found[places[first].index])
				first++
			}
			if sum.total() >= InjectedAt {
				return true
			}
		}
	}
	return false
}

// windowScore scores the findings in a window. Findings of one check count once, with the highest confidence.
type windowScore struct {
	open map[string]map[float64]int // number of findings by check and confidence
}

func newWindowScore() *windowScore { return &windowScore{map[string]map[float64]int{}} }

func (t *windowScore) add(f Finding) {
	if t.open[f.Check] == nil {
		t.open[f.Check] = map[float64]int{}
	}
	t.open[f.Check][f.Confidence]++
}

func (t *windowScore) drop(f Finding) {
	if t.open[f.Check][f.Confidence]--; t.open[f.Check][f.Confidence] == 0 {
		delete(t.open[f.Check], f.Confidence)
	}
}

func (t *windowScore) total() float64 {
	sum := 0.0
	for _, levels := range t.open {
		most := 0.0
		for level := range levels {
			most = max(most, level)
		}
		sum += most
	}
	return sum
}
