package definition

import (
	"hash/fnv"
	"slices"
	"strings"

	"mcpproxy/internal/text"
)

// print is what a tool is recognised by.
type print struct {
	name  string   // its letters, look-alikes as what they look like, without the "s" of many
	words []uint64 // of the description, each once, in order of their hashes
	size  int      // letters of the description
	twin  string   // see twinKey
}

const (
	maxCompared = 4000 // bytes of a description that are compared
	maxAlike    = 24   // tools that are kept under one key
	sketchWords = 4    // words of a description that make keys
	minWords    = 4    // words of a description that says anything
	nearShare   = 0.75 // of the longer description's words, found in the shorter
	kinShare    = 0.4  // the same, of tools of two releases of one program
	minLetters  = 18   // of a description under a distinctive name
	minOrdinary = 36   // of a description under a name made of common words
	minCommon   = 90   // of a description under a common name
	sameShare   = 0.9  // the same, of short descriptions under names made of common words
	partShare   = 0.9  // of the shorter description's words, found in the longer
)

// printOf works out what t is recognised by.
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

// lookOf is a name as a hasty reader sees it.
func lookOf(name string) string {
	return digitLooks.Replace(string(text.AppendLetters(nil, name, nil)))
}

// single is the look of a name for one of what it may name many of.
func single(look string) string {
	if len(look) > minPlural {
		return strings.TrimSuffix(look, "s")
	}
	return look
}

// minPlural is the length of the shortest name that is known without its last "s".
const minPlural = 8

// digitLooks are digits that pass for letters.
var digitLooks = strings.NewReplacer("0", "o", "1", "l", "3", "e", "5", "s")

func hashOf(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// keys are what tools that are nearly the same have in common: the look of the
// name, or that and one of a few words of the description. Of a popular name
// the first key names only some tools, and the others the ones that matter.
func (p *print) keys() []uint64 {
	base := hashOf(p.name)
	keys := []uint64{base}
	for _, w := range p.words[:min(len(p.words), sketchWords)] {
		keys = append(keys, base^w*0x9E3779B97F4A7C15)
	}
	return keys
}

// telling reports whether the tool says enough about itself to be recognised.
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

// resembles reports whether two tools are the same but for a share of their words.
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
			2*least >= max(len(p.words), len(q.words)) // the same, and more
}
