package detect

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wasilibs/go-re2/experimental"
)

// Most secrets are one long run of letters, digits and a few signs, and most texts have few such runs. Patterns that
// match only runs are therefore applied only to the runs. The reason is that an automaton of all rules creates states
// as it reads new texts, and text outside runs would create many states without any match.

const (
	leastRun  = 20 // minimum bytes of a run that is read
	runMargin = 8  // bytes on both sides of a run that are read too: two characters
	// runEdges is the number of characters before and after a run that a pattern may look at.
	runEdges = runMargin / utf8.UTFMax
)

// runBytes are the bytes of runs.
var runBytes = table("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+/=.~%:$")

// appendRuns appends the runs of buf to dst, each with the bytes around it.
func appendRuns(dst, buf []byte) []byte {
	for at := 0; at+leastRun <= len(buf); { // no run begins before at and extends to it
		end := at + leastRun - 1
		for end >= at && runBytes[buf[end]] {
			end--
		}
		if end >= at { // the run is too short
			at = end + 1
			continue
		}
		for end = at + leastRun; end < len(buf) && runBytes[buf[end]]; {
			end++
		}
		from, to := max(at-runMargin, 0), min(end+runMargin, len(buf))
		for from > 0 && !utf8.RuneStart(buf[from]) {
			from--
		}
		for to < len(buf) && !utf8.RuneStart(buf[to]) {
			to++
		}
		dst = append(append(dst, buf[from:to]...), betweenRuns...)
		at = end + 1
	}
	return dst
}

// betweenRuns separates runs. If a pattern matches across it, the rule's exact pattern is then not located.
const betweenRuns = "\n\x00\n"

// inRuns reports whether every match of re is a run, with at most [runEdges] characters before and after it.
func inRuns(re *syntax.Regexp) bool {
	n, ok := runIn(re)
	return ok && n >= leastRun
}

// runIn returns the minimum length of the run in a match of re. ok is false if a match can contain anything else.
func runIn(re *syntax.Regexp) (n int, ok bool) {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	parts := []*syntax.Regexp{re}
	switch re.Op {
	case syntax.OpConcat:
		parts = slices.Clone(re.Sub)
	case syntax.OpAlternate:
		for i, sub := range re.Sub {
			least, ok := runIn(sub)
			if !ok {
				return 0, false
			}
			if i == 0 || least < n {
				n = least
			}
		}
		return n, true
	}
	parts = withoutEdge(parts)
	slices.Reverse(parts)
	for _, part := range withoutEdge(parts) {
		if !ofRunBytes(part) {
			return 0, false
		}
		least, _ := widths(part)
		n += least
	}
	return n, true
}

// withoutEdge removes the parts at the beginning of a pattern that match characters before a run.
func withoutEdge(parts []*syntax.Regexp) []*syntax.Regexp {
	for left := runEdges; len(parts) > 0 && !ofRunBytes(parts[0]); parts = parts[1:] {
		_, most := widths(parts[0])
		if left -= most; most == unbounded || left < 0 {
			break
		}
	}
	return parts
}

// ofRunBytes reports whether matches of re consist of [runBytes].
func ofRunBytes(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r >= utf8.RuneSelf || !runBytes[r] {
				return false
			}
			if re.Flags&syntax.FoldCase != 0 && strings.ContainsRune("kKsS", r) { // also K (Kelvin), ſ
				return false
			}
		}
		return true
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				if r >= utf8.RuneSelf || !runBytes[r] {
					return false
				}
			}
		}
		return true
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return false
	}
	return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !ofRunBytes(sub) })
}

// unbounded is the width of a match without an upper limit.
const unbounded = 1 << 30

// widths returns the minimum and maximum number of characters of a match of re.
func widths(re *syntax.Regexp) (least, most int) {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune), len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1, 1
	case syntax.OpCapture:
		return widths(re.Sub[0])
	case syntax.OpStar:
		return 0, unbounded
	case syntax.OpPlus:
		least, _ = widths(re.Sub[0])
		return least, unbounded
	case syntax.OpQuest:
		_, most = widths(re.Sub[0])
		return 0, most
	case syntax.OpRepeat:
		least, most = widths(re.Sub[0])
		if re.Max < 0 || most == unbounded {
			return least * re.Min, unbounded
		}
		return least * re.Min, most * re.Max
	case syntax.OpConcat, syntax.OpAlternate:
		for i, sub := range re.Sub {
			l, m := widths(sub)
			switch {
			case re.Op == syntax.OpConcat:
				least, most = least+l, min(most+m, unbounded)
			case i == 0:
				least, most = l, m
			default:
				least, most = min(least, l), max(most, m)
			}
		}
	}
	return least, most
}

// pointer determines which shapes may match a text.
type pointer struct {
	whole, runs     *experimental.Set // nil if there are no such shapes
	ofWhole, ofRuns []int             // the indexes of the shapes, by position in the set
}

// newPointer returns a pointer to shapes; patterns are their patterns for the sets.
func newPointer(shapes []shape, patterns []string) (p pointer, err error) {
	var whole, runs []string
	for i, pattern := range patterns {
		if shapes[i].runs {
			runs, p.ofRuns = append(runs, pattern), append(p.ofRuns, i)
		} else {
			whole, p.ofWhole = append(whole, pattern), append(p.ofWhole, i)
		}
	}
	if len(whole) > 0 {
		if p.whole, err = experimental.CompileSet(whole); err != nil {
			return p, err
		}
	}
	if len(runs) > 0 {
		p.runs, err = experimental.CompileSet(runs)
	}
	return p, err
}

// hits returns the shapes that may match buf, in order.
func (p *pointer) hits(buf []byte) ([]int, error) {
	var out []int
	find := func(set *experimental.Set, of []int, buf []byte) error {
		if set == nil || len(buf) == 0 {
			return nil
		}
		hits, err := set.FindAllWithError(buf, len(of))
		for _, i := range hits {
			out = append(out, of[i])
		}
		return err
	}
	if err := find(p.whole, p.ofWhole, buf); err != nil {
		return nil, err
	}
	if err := find(p.runs, p.ofRuns, appendRuns(nil, buf)); err != nil {
		return nil, err
	}
	slices.Sort(out)
	return out, nil
}
