package detect

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// required says what every text that a pattern matches contains. ASCII letters are in lower case.
type required struct {
	exact []string // all texts that the pattern matches, if they are few; nil otherwise
	parts []string // every match contains one of these; nil if none is known
}

const (
	maxExact = 64 // texts of one pattern that are enumerated
	maxClass = 12 // characters of a class that are enumerated
	// longPart is the length of a part, in bytes, beyond which being longer makes it no better.
	longPart = 6
)

// partsOf returns texts of which every match of re contains at least one, compared without the case of ASCII
// letters. It returns nil if it finds none.
func partsOf(re *syntax.Regexp) []string {
	parts := requiredOf(re).best()
	slices.Sort(parts)
	return slices.Compact(parts)
}

func requiredOf(re *syntax.Regexp) required {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return required{exact: []string{""}}
	case syntax.OpLiteral:
		folded := re.Flags&syntax.FoldCase != 0
		return ofSequence(len(re.Rune), func(i int) required { return ofRune(re.Rune[i], folded) })
	case syntax.OpCharClass:
		return ofClass(re.Rune)
	case syntax.OpCapture:
		return requiredOf(re.Sub[0])
	case syntax.OpQuest:
		if sub := requiredOf(re.Sub[0]); sub.exact != nil {
			return required{exact: append([]string{""}, sub.exact...)}
		}
	case syntax.OpPlus:
		return required{parts: requiredOf(re.Sub[0]).best()}
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required{parts: requiredOf(re.Sub[0]).best()}
		}
	case syntax.OpAlternate:
		return ofAlternatives(re.Sub)
	case syntax.OpConcat:
		return ofSequence(len(re.Sub), func(i int) required { return requiredOf(re.Sub[i]) })
	}
	return required{}
}

// ofRune returns what is required by one character. If case does not matter, the Kelvin sign is also a k and the long
// s an s; a [sieve] lets texts that contain them pass, so they are left out here.
func ofRune(r rune, folded bool) required {
	if r < utf8.RuneSelf || !folded {
		return required{exact: []string{string(lower(r))}}
	}
	exact := []string{string(r)}
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		exact = append(exact, string(lower(other)))
	}
	return required{exact: exact}
}

// ofClass returns what is required by a class of characters, given as ranges.
func ofClass(ranges []rune) required {
	var exact []string
	for i := 0; i < len(ranges); i += 2 {
		if len(exact)+int(ranges[i+1]-ranges[i]) >= maxClass {
			return required{}
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			exact = append(exact, string(lower(r)))
		}
	}
	return required{exact: exact}
}

// lower returns the lower case of an ASCII letter, and any other character unchanged.
func lower(r rune) rune {
	if r < utf8.RuneSelf {
		return rune(folded[r])
	}
	return r
}

func ofAlternatives(subs []*syntax.Regexp) required {
	all := required{exact: []string{}, parts: []string{}}
	for _, sub := range subs {
		r := requiredOf(sub)
		if all.exact != nil && r.exact != nil && len(all.exact)+len(r.exact) <= maxExact {
			all.exact = append(all.exact, r.exact...)
		} else {
			all.exact = nil
		}
		if best := r.best(); all.parts != nil && best != nil {
			all.parts = append(all.parts, best...)
		} else {
			all.parts = nil
		}
	}
	return all
}

// ofSequence returns what is required by n patterns that follow each other.
func ofSequence(n int, at func(int) required) required {
	run := required{exact: []string{""}} // what the patterns from the last unknown text on match
	var parts []string
	whole := true
	for i := range n {
		r := at(i)
		if r.exact != nil && len(run.exact)*len(r.exact) <= maxExact {
			run.exact = product(run.exact, r.exact)
			continue
		}
		parts = better(better(parts, run.best()), r.parts)
		whole, run.exact = false, []string{""}
		if r.exact != nil {
			run.exact = r.exact
		}
	}
	if whole {
		return run
	}
	return required{parts: better(parts, run.best())}
}

func product(a, b []string) (all []string) {
	for _, x := range a {
		for _, y := range b {
			all = append(all, x+y)
		}
	}
	return all
}

// best returns the parts that the fewest texts contain.
func (r required) best() []string {
	if r.exact == nil || shortest(r.exact) == 0 {
		return r.parts
	}
	return better(r.exact, r.parts)
}

// better returns those of two lists of parts that fewer texts contain: the longer parts.
func better(a, b []string) []string {
	if a == nil || b != nil && min(shortest(b), longPart) > min(shortest(a), longPart) {
		return b
	}
	return a
}

// shortest returns the length of the shortest part, in bytes.
func shortest(parts []string) int {
	n := longPart
	for _, p := range parts {
		n = min(n, len(p))
	}
	return n
}
