package definition

import (
	"hash/fnv"
	"slices"
	"strings"

	"mcpproxy/internal/text"
)

// print is the fingerprint of a tool.
type print struct {
	name  string   // its letters, with look-alikes replaced, in the singular
	words []uint64 // of the description, without duplicates, sorted by hash
	size  int      // letters of the description
	twin  string   // see twinKey
}

const (
	maxCompared = 4000 // bytes of a description that are compared
	maxAlike    = 24   // tools stored for one key
	sketchWords = 4    // words of a description from which keys are made
	minWords    = 4    // minimum words of a description that is compared
	nearShare   = 0.75 // share of the longer description's words that the shorter one contains
	kinShare    = 0.4  // the same for tools of two releases of one program
	minLetters  = 18   // minimum letters of a description with a distinctive name
	minOrdinary = 36   // minimum letters with a name of common words
	minCommon   = 90   // minimum letters with a common name
	sameShare   = 0.9  // share for short descriptions with names of common words
	partShare   = 0.9  // share of the shorter description's words that the longer one contains
)

// printOf computes the fingerprint of t.
func printOf(t *ToolView) print {
	p := print{name: single(lookOf(t.Name)), twin: twinKey(t.Name)}
	s := strings.ToLower(text.NormalForm(strings.ToValidUTF8(t.Description[:min(len(t.Description), maxCompared)], "")))
	for w := range strings.FieldsFuncSeq(s, func(c rune) bool { return c < 0x80 && !nameByte(byte(c)) }) {
		p.words = append(p.words, hashOf(w))
		p.size += len(w)
	}
	slices.Sort(p.words)
	p.words = slices.Compact(p.words)
	return p
}

// lookOf returns a name as a reader sees it at a glance.
func lookOf(name string) string {
	return digitLooks.Replace(string(text.AppendLetters(nil, name, nil)))
}

// single returns the singular of a name.
func single(look string) string {
	if len(look) > minPlural {
		return strings.TrimSuffix(look, "s")
	}
	return look
}

// minPlural is the minimum length of a name whose last "s" is ignored.
const minPlural = 8

// digitLooks are digits that look like letters.
var digitLooks = strings.NewReplacer("0", "o", "1", "l", "3", "e", "5", "s")

func hashOf(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// keys returns keys that nearly equal tools have in common: the look of the name, and combinations of the look with
// words of the description. For a popular name the first key finds only some tools; the others find the relevant
// ones.
func (p *print) keys() []uint64 {
	base := hashOf(p.name)
	keys := []uint64{base}
	for _, w := range p.words[:min(len(p.words), sketchWords)] {
		keys = append(keys, base^w*0x9E3779B97F4A7C15)
	}
	return keys
}

// telling reports whether the tool's description is long enough to recognise it.
func (p *print) telling(name string) bool {
	least := minLetters
	switch {
	case !distinctive(name):
		least = minCommon
	case ordinary(name):
		least = minOrdinary
	}
	return len(p.words) >= minWords && p.size >= least
}

// resembles reports whether two tools have at least share of their words in common.
func (p *print) resembles(q *print, share float64) bool {
	if p.name != q.name || len(q.words) < minWords {
		return false
	}
	both := 0
	for i, j := 0, 0; i < len(p.words) && j < len(q.words); {
		switch {
		case p.words[i] == q.words[j]:
			both++
			i++
			j++
		case p.words[i] < q.words[j]:
			i++
		default:
			j++
		}
	}
	least := min(len(p.words), len(q.words))
	return float64(both) >= share*float64(max(len(p.words), len(q.words))) ||
		share < sameShare && float64(both) >= partShare*float64(least) &&
			2*least >= max(len(p.words), len(q.words)) // the same words, and more
}
