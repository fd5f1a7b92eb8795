package lazyregexp

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// boundary is the byte that stands for \b in a literal text.
	boundary = '\x00'
	// maxTexts is the maximum number of literal texts that are combined.
	maxTexts = 256
	// maxChars is the maximum number of characters in a class that is expanded, one literal text for each.
	maxChars = 8
)

// literals describes the texts that an expression matches. Letters are in lower case.
type literals struct {
	exact    []string // all matches, unless nil
	required []string // every match contains one of them, unless nil
}

// anything describes an expression whose matches are not known.
var anything = literals{}

// emptyMatch describes an expression that only matches the empty text.
var emptyMatch = literals{exact: []string{""}}

// literalsOf returns the literals of a simplified expression. It ignores case only for ASCII letters.
func literalsOf(re *syntax.Regexp) literals {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpNoWordBoundary:
		return emptyMatch
	case syntax.OpWordBoundary:
		return literals{exact: []string{string(boundary)}}
	case syntax.OpLiteral:
		return ofRunes(re.Rune)
	case syntax.OpCharClass:
		return ofClass(re.Rune)
	case syntax.OpCapture:
		return literalsOf(re.Sub[0])
	case syntax.OpPlus:
		sub := literalsOf(re.Sub[0])
		return literals{required: sub.best()}
	case syntax.OpQuest:
		if sub := literalsOf(re.Sub[0]); sub.exact != nil && len(sub.exact) < maxTexts {
			return literals{exact: append([]string{""}, sub.exact...)}
		}
	case syntax.OpConcat:
		return ofSequence(re.Sub)
	case syntax.OpAlternate:
		return ofAlternatives(re.Sub)
	}
	return anything
}

func ofRunes(runes []rune) literals {
	beyond := func(r rune) bool { return r == boundary || r >= utf8.RuneSelf }
	if slices.ContainsFunc(runes, beyond) {
		return anything
	}
	return literals{exact: []string{strings.ToLower(string(runes))}}
}

// ofClass returns the characters of a small class. runes are pairs of the first and the last of each range.
func ofClass(runes []rune) literals {
	var out []string
	for i := 0; i < len(runes); i += 2 {
		for r := runes[i]; r <= runes[i+1]; r++ {
			if len(out) == maxChars || r == boundary || r >= utf8.RuneSelf {
				return anything
			}
			out = append(out, strings.ToLower(string(r)))
		}
	}
	if out == nil {
		return anything
	}
	return literals{exact: out}
}

// ofSequence combines the literals of expressions that follow each other. If all matches of adjacent expressions are
// known, it concatenates them to longer literals.
func ofSequence(subs []*syntax.Regexp) literals {
	whole, best := true, []string(nil)
	run := emptyMatch.exact
	for _, sub := range subs {
		l := literalsOf(sub)
		if joined := join(run, l.exact); joined != nil {
			run = joined
			continue
		}
		whole = false
		best = better(best, known(run))
		if run = l.exact; run == nil {
			best = better(best, l.required)
			run = emptyMatch.exact
		}
	}
	if whole {
		return literals{exact: run}
	}
	return literals{required: better(best, known(run))}
}

// ofAlternatives combines the literals of the alternatives of an expression.
func ofAlternatives(subs []*syntax.Regexp) literals {
	var exact, required []string
	whole, each := true, true
	for _, sub := range subs {
		l := literalsOf(sub)
		texts := l.best()
		exact, required = append(exact, l.exact...), append(required, texts...)
		whole, each = whole && l.exact != nil, each && texts != nil
	}
	switch {
	case whole && len(exact) <= maxTexts:
		return literals{exact: exact}
	case each && len(required) <= 4*maxTexts:
		return literals{required: required}
	}
	return anything
}

// best returns texts at least one of which occurs in every match, or nil if such texts are not known.
func (l *literals) best() []string { return better(known(l.exact), l.required) }

// known returns texts unchanged, or nil if one of them is empty or consists only of word boundaries.
func known(texts []string) []string {
	for _, s := range texts {
		if strings.Trim(s, string(boundary)) == "" {
			return nil
		}
	}
	return texts
}

// better returns the set whose shortest text is longer. Of equals it returns the smaller set.
func better(a, b []string) []string {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	la, lb := least(a), least(b)
	if la > lb || la == lb && len(a) <= len(b) {
		return a
	}
	return b
}

// least returns the length of the shortest text. A boundary counts, because it excludes most places of a short text.
func least(texts []string) int {
	n := len(texts[0])
	for _, s := range texts {
		n = min(n, len(s))
	}
	return n
}

// join returns every text of a followed by every text of b, or nil if there are too many.
func join(a, b []string) []string {
	if a == nil || b == nil || len(a)*len(b) > maxTexts {
		return nil
	}
	out := make([]string, 0, len(a)*len(b))
	for _, first := range a {
		for _, second := range b {
			out = append(out, first+second)
		}
	}
	return out
}
