package intent

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"mcpproxy"
)

// part is the text between two punctuation marks.
type part struct {
	text  string
	asked bool // a question mark ends it
}

// parts yields the parts of a text. A point within a word, as in an address, does not end a part.
func parts(s string) iter.Seq[part] {
	return func(yield func(part) bool) {
		start := 0
		for i, r := range s {
			end := i + utf8.RuneLen(r)
			switch {
			case strings.ContainsRune(";!?\n。，、；：！？()→–—،؛؟।", r):
			case r == ',' && end < len(s) && unspaced(firstRune(s[end:])):
			case strings.ContainsRune(".,:+&", r) && (end == len(s) || strings.ContainsRune(" \n\t\"'”“)", firstRune(s[end:]))):
			default:
				continue
			}
			if start < i && !yield(part{s[start:i], r == '?' || r == '？' || r == '؟'}) {
				return
			}
			start = end
		}
		if start < len(s) {
			yield(part{s[start:], false})
		}
	}
}

// clause is a part of a text, or the section of a part between two words that join requests.
type clause struct {
	words []string // in lower case
	leads bool     // a joining word follows
	asked bool     // a question mark ends it
}

// openers are words that can precede the first word of a question or a request.
var openers = strings.Fields("and or so but hey hi hello ok okay please also well und oder et ou y o e a och en of ve")

// minAsked is the minimum number of words of a clause that a question mark makes a question. A shorter clause may only
// follow a request, as in "pay it, ok?".
const minAsked = 3

// isQuestion reports whether a clause asks for no effect. Such a clause asks for an answer, as in "did anyone restart
// the server", or says what the speaker will do, as in "I'll restart it". A request in the form of a question is not a
// question: "could you restart it?".
func (l *lexicon) isQuestion(c clause, in language) bool {
	i := 0
	for i < len(c.words)-1 && slices.Contains(openers, c.words[i]) {
		i++
	}
	if i >= len(c.words) || unspaced(firstRune(c.words[i])) {
		return c.asked && l.unspacedQuestion(c.words)
	}
	for j := i; j < min(i+3, len(c.words)); j++ {
		if (l.word(c.words[j], in) | l.phrase(c.words, j, in)).Any(requests) {
			return false
		}
	}
	first := l.word(c.words[i], in) | l.phrase(c.words, i, in)
	if first.Any(asks) {
		return true
	}
	orders := first.Any(acts|general) && !first.Any(noun)
	return c.asked && len(c.words)-i >= minAsked && !orders
}

// withoutAsked returns the meaning of word i of a clause. It removes the effect that an embedded question is about, as
// in "tell me what restarts it".
func (l *lexicon) withoutAsked(words []string, i int, in language, means Set) Set {
	if !means.Any(acts) || i < 2 || !l.word(words[0], in).Any(bits[mcpproxy.EffectRead]) {
		return means
	}
	for j := 1; j < i; j++ {
		if (l.word(words[j], in) | l.phrase(words, j, in)).Any(asks) {
			return means &^ acts
		}
	}
	return means
}

// unspacedQuestion reports whether words of a script without spaces are a question rather than a request.
func (l *lexicon) unspacedQuestion(words []string) bool {
	var set Set
	for _, w := range words {
		for j := range w {
			set |= l.glyphsAt(w[j:])
		}
	}
	return set.Any(asks) && !set.Any(requests)
}

// answered returns what a question with these meanings asks for: reading instead of other effects.
func answered(set Set) Set { return set&^(acts|general|resets) | bits[mcpproxy.EffectRead] }
