package main

import (
	"slices"
	"strings"

	"mcpproxy/internal/flow/model"
	"mcpproxy/internal/text"
)

// maxWord is the maximum length of a word that is learned.
const maxWord = 32

// vocabulary counts the words of texts and pairs of adjacent words. Words with a digit are counted separately,
// because most of them are values.
type vocabulary struct {
	words, codes, pairs keyCounter
	folded              []byte
}

// done ends the words of one owner.
func (v *vocabulary) done() {
	v.words.done()
	v.codes.done()
	v.pairs.done()
}

// common returns the keys of the words that enough owners write.
func (v *vocabulary) common() []uint64 {
	return distinct(slices.Concat(v.words.common(wordOwners), v.codes.common(codeOwners), v.pairs.common(pairOwners)))
}

// learn reads the words of a text: runs of letters and digits, and the parts of words in camel case.
func (v *vocabulary) learn(s string) {
	var before, at int // start and end of the previous word
	for i := 0; i < len(s); {
		if !wordByte(s[i]) {
			i++
			continue
		}
		end := i
		for end < len(s) && wordByte(s[end]) {
			end++
		}
		v.word(s[i:end])
		if at > 0 && i == at+1 && s[at] != '\n' {
			v.pair(s[before:at], s[i:end])
		}
		before, at, i = i, end, end
	}
}

// word counts a word and its parts.
func (v *vocabulary) word(w string) {
	v.single(w)
	last, start := "", 0
	for i := 1; i <= len(w); i++ {
		if i < len(w) && !hump(w[i-1], w[i]) {
			continue
		}
		if part := w[start:i]; len(part) < len(w) {
			v.single(part)
			if last != "" {
				v.pair(last, part)
			}
			last = part
		}
		start = i
	}
}

func (v *vocabulary) single(w string) {
	if strings.ContainsAny(w, "0123456789") {
		v.add(&v.codes, w)
		return
	}
	v.add(&v.words, w)
}

func (v *vocabulary) pair(a, b string) { v.add(&v.pairs, a+b) }

func (v *vocabulary) add(t *keyCounter, w string) {
	if len(w) > 2*maxWord {
		return
	}
	v.folded = text.AppendLetters(v.folded[:0], w, nil)
	if n := len(v.folded); n > 0 && n <= maxWord {
		t.add(model.Key(v.folded))
	}
}

func wordByte(c byte) bool {
	return c >= 0x80 || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// hump reports whether another word begins in a word in camel case.
func hump(a, b byte) bool { return 'a' <= a && a <= 'z' && 'A' <= b && b <= 'Z' }
