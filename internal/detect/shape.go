package detect

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"sync"

	re2 "github.com/wasilibs/go-re2"
	"github.com/wasilibs/go-re2/experimental"
)

// shape locates the values of one rule in a text that the set of all rules may match. Its parts are compiled on first
// use, because most rules never match.
type shape struct {
	locate func() (*re2.Regexp, error)
	alone  func() (*experimental.Set, error) // the exact pattern; nil if the set contains it unchanged
	runs   bool                              // it is searched only in runs
	before *regexp.Regexp                    // for a rule whose value begins before its pattern matches
}

// newShape returns the shape of r, and a pattern for the set that matches wherever the pattern of r does.
func newShape(r *Rule) (s shape, forSet string, err error) {
	parsed, err := syntax.Parse(r.Pattern, syntax.Perl)
	if err != nil { // the matcher's own error does not name the rule
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
	return s, widened(r.Pattern, parsed), nil
}

// minSaved is the minimum difference between the bounds of a repetition whose upper bound is removed for the set.
const minSaved = 4

// widen removes the upper bounds of repetitions from re, and reports whether there were any. A bound of 400 costs the
// set 400 instructions, whose memory is never freed; without the bounds, the set has a third fewer instructions.
// [shape.locate] rejects the additional matches.
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

// bounded matches a repetition with two bounds, as it is written in a pattern.
var bounded = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[0-9]+,[0-9]+\}`) })

// widened returns a pattern for wide, which [widen] made from the given pattern. It edits the text of that pattern.
// wide.String() would take milliseconds, since it looks up the case folding of every character in a negated class.
// widened uses it only if the edited pattern has another meaning, for example because it contains an escaped brace.
func widened(pattern string, wide *syntax.Regexp) string {
	edited := bounded().ReplaceAllStringFunc(pattern, func(bounds string) string {
		from, to, _ := strings.Cut(strings.Trim(bounds, "{}"), ",")
		least, _ := strconv.Atoi(from)
		if most, err := strconv.Atoi(to); err != nil || most < least+minSaved {
			return bounds
		}
		return "{" + from + ",}"
	})
	if again, err := syntax.Parse(edited, syntax.Perl); err != nil || !again.Equal(wide) {
		return wide.String()
	}
	return edited
}

// missed reports whether the pattern matches buf although [shape.locate] found nothing. The set of all rules reports
// errors, but the matcher of a single pattern can fail without an error.
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

// maxBefore is the maximum distance between the beginning of a value and the match of its pattern.
const maxBefore = 160

// begin returns the beginning of the value whose pattern matched at byte at of text.
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
