package scan

import (
	"slices"

	"mcpproxy"
	"mcpproxy/internal/text"
)

// Tier says how much a finding proves.
type Tier string

// The tiers. A hard finding is enough by itself; soft findings add up.
const (
	TierHard Tier = "hard"
	TierSoft Tier = "soft"
)

// InjectedAt is the combined confidence from which soft findings that stand
// close together make a text an injection.
const InjectedAt = 0.7

// nearby is how far apart, in bytes, soft findings may stand to add up.
const nearby = 1200

// Finding is an instruction, or hidden text, met in content.
type Finding struct {
	Check      string // stable name of what was looked for, such as "phrase.injection"
	Tier       Tier
	Threat     string // prompt_injection, exfiltration, malicious_code, uncategorized
	Severity   mcpproxy.Severity
	Confidence float64     // 0 to 1
	Evidence   string      // what was read, safe to print, at most 120 characters
	Detail     string      // one plain sentence
	Spans      []text.Span // every place, in the parts' own bytes
	Path       string      // JSON path of the first part
	How        string      // the disguise that was undone; "" for plain text
}

// Injected reports whether the findings of a document make it an injection: one
// is hard, or soft ones of different checks add up to [InjectedAt] close to
// each other in one part.
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

// windowScore counts the findings in a window. Those of one check count once, as the
// surest of them.
type windowScore struct {
	open map[string]map[float64]int // check, confidence, how many
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
