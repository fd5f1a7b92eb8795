package detect

import (
	"slices"
	"strings"

	"github.com/wasilibs/go-re2/experimental"
)

// pointer determines which shapes may match a text. It matches the patterns of a group at once. An automaton creates
// states as it reads new texts, the more the more patterns it has. So patterns that match only runs are matched in
// the runs of a text, and patterns that require rare words only in the texts that contain such a word.
type pointer struct {
	groups [groupCount]group
	rare   *sieve // for the words that the patterns of ofRare require
}

// group holds the patterns of shapes that are matched at once.
type group struct {
	set *experimental.Set // nil if there are no such shapes
	of  []int             // the indexes of the shapes, by position in the set
}

const (
	ofWhole = iota // patterns that are matched in every text
	ofRare         // patterns that require rare words
	ofRuns         // patterns that match only runs
	groupCount
)

// newPointer returns a pointer to shapes; patterns are their patterns for the sets.
func newPointer(shapes []shape, patterns []string) (p pointer, err error) {
	var sets [groupCount][]string
	var words []string
	for i, pattern := range patterns {
		n := ofWhole
		switch {
		case shapes[i].runs:
			n = ofRuns
		case areRare(shapes[i].parts):
			n, words = ofRare, append(words, shapes[i].parts...)
		}
		p.groups[n].of, sets[n] = append(p.groups[n].of, i), append(sets[n], pattern)
	}
	for n, set := range sets {
		if len(set) == 0 {
			continue
		}
		if p.groups[n].set, err = experimental.CompileSet(set); err != nil {
			return p, err
		}
	}
	p.rare = newSieve(words)
	return p, nil
}

// leastRare is the minimum length of a word that few texts contain, in bytes.
const leastRare = 5

// areRare reports whether few texts contain one of the parts that a pattern requires.
func areRare(parts []string) bool {
	return len(parts) > 0 && !slices.ContainsFunc(parts, func(p string) bool {
		return len(p) < leastRare || strings.Contains(p, "://")
	})
}

// hits returns the shapes that may match buf, in order.
func (p *pointer) hits(buf []byte) ([]int, error) {
	read := [groupCount][]byte{ofWhole: buf, ofRuns: appendRuns(nil, buf)}
	if p.rare.passes(buf) {
		read[ofRare] = buf
	}
	var out []int
	for n, g := range p.groups {
		if g.set == nil || len(read[n]) == 0 {
			continue
		}
		hits, err := g.set.FindAllWithError(read[n], len(g.of))
		if err != nil {
			return nil, err
		}
		for _, i := range hits {
			out = append(out, g.of[i])
		}
	}
	slices.Sort(out)
	return out, nil
}
