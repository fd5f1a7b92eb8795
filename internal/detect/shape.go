package detect

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"sync"

	re2 "github.com/wasilibs/go-re2"
	"github.com/wasilibs/go-re2/experimental"
)

// shape is how the values of one rule are located in a text to which the set of all rules has pointed. Each
// part is compiled when it is first needed: most rules never match.
type shape struct {
	locate func() (*re2.Regexp, error)
	alone  func() (*experimental.Set, error) // the exact pattern; nil if the set of all rules holds it as it is
	runs   bool                              // it is looked for in runs alone
	before *regexp.Regexp                    // of a rule whose value begins before its pattern matches
}

// newShape returns the shape of r, and the pattern for the set: one that matches wherever that of r does.
func newShape(r *Rule) (s shape, forSet string, err error) {
	parsed, err := syntax.Parse(r.Pattern, syntax.Perl)
	if err != nil { // the matcher's own error names no rule
		return shape{}, "", fmt.Errorf("%s: %w", r.ID, err)
	}
	s.locate = sync.OnceValues(func() (*re2.Regexp, error) { return re2.Compile(r.Pattern) })
	if r.Before != "" {
		if s.before, err = regexp.Compile(`(?:` + r.Before + `)$`); err != nil {
			return shape{}, "", fmt.Errorf("%s: %w", r.ID, err)
		}
	}
	s.runs = inRuns(parsed)
	wider := widen(parsed)
	if !wider && !s.runs {
		return s, r.Pattern, nil
	}
	s.alone = sync.OnceValues(func() (*experimental.Set, error) {
		return experimental.CompileSet([]string{r.Pattern})
	})
	if !wider {
		return s, r.Pattern, nil
	}
	return s, parsed.String(), nil
}

// minSaved is how many repetitions an upper bound must allow beyond the lower one to be left out of the set.
const minSaved = 4

// widen takes the upper bounds of repetitions out of re, and reports whether it had any. A bound of 400 costs
// the set 400 instructions, whose memory stays for the life of the process; without it, a third of all
// instructions is gone. What the set then sees too often, [shape.locate] does not find.
func widen(re *syntax.Regexp) bool {
	wider := false
	for _, sub := range re.Sub {
		wider = widen(sub) || wider
	}
	if re.Op == syntax.OpRepeat && re.Max >= re.Min+minSaved {
		re.Max, wider = -1, true
	}
	return wider
}

// missed reports whether the pattern matches buf, although [shape.locate] found nothing there. The set of all
// rules saw it; a set reports its errors, while the matcher of one pattern can fail without a word.
func (s *shape) missed(buf []byte) (bool, error) {
	if s.alone == nil {
		return true, nil
	}
	set, err := s.alone()
	if err != nil {
		return false, err
	}
	hits, err := set.FindAllWithError(buf, 1)
	return len(hits) > 0, err
}

// maxBefore is how far back a value may begin before its pattern matches.
const maxBefore = 160

// begin is where the value begins that the pattern met at byte at of text.
func (s *shape) begin(text string, at int) (int, bool) {
	if s.before == nil {
		return at, true
	}
	start := max(at-maxBefore, 0)
	m := s.before.FindStringSubmatchIndex(text[start:at])
	if m == nil {
		return 0, false
	}
	return start + m[2], true
}
