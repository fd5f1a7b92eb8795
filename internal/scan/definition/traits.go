package definition

import (
	"math/bits"
	"strings"
	"unicode"

	"mcpproxy/internal/scan"
	"mcpproxy/internal/scan/learned"
)

// traitsOf computes the traits of the sentences of one definition.
type traitsOf struct {
	names    map[string]bool // the tool's own name and parameters
	begun    bool            // the purpose has been determined
	purpose  class           // classes in the name and the first sentence
	concepts [3]uint64       // the same for the grammar's concepts
}

// begin determines the purpose of the tool from its name and the first sentence.
func (o *traitsOf) begin(name string, first *sentence, meanings []scan.Meaning) {
	o.begun = true
	o.purpose = first.class
	for _, w := range nameWords(name) {
		o.purpose |= clauseWords().single[w].class
	}
	for i := range meanings {
		for k, c := range meanings[i].Concepts {
			o.concepts[k] |= c
		}
	}
}

// beside are the classes that are the strongest evidence if the tool's purpose does not explain them.
const beside = secret | talk | deep | foreign | rule | consent | belongs | person | outside | persistence | guard

// pairedMeanings is the number of meanings after another one with which it forms pairs.
const pairedMeanings = 3

// add adds the traits of a sentence.
func (o *traitsOf) add(t *learned.Traits, at spot, w *worded, meanings []scan.Meaning) {
	two := ""
	eachWord(w.text, w.of, o.names, func(before, word string) {
		t.Text(learned.Words, 'w', word)
		t.Text(learned.Words, 'b', before, word)
		if two != "" {
			t.Text(learned.Words, '3', two, before, word)
		}
		two = before
		addPieces(t, word)
	})
	for _, word := range nameWords(w.field) {
		t.Text(learned.Words, 'n', word)
	}
	t.Number(learned.Frames, 'l', int(at), 0, 0)
	o.addMentions(t, w.of)
	addOrder(t, w.of)
	o.addMeanings(t, meanings)
}

// The lengths of the pieces of words.
const (
	shortPiece = 3
	longPiece  = 5
)

// addPieces adds stretches of letters of a word.
func addPieces(t *learned.Traits, word string) {
	if len(word) <= shortPiece || len(word) > 40 {
		return
	}
	word = "<" + word + ">"
	for n := shortPiece; n <= longPiece; n++ {
		for i := 0; i+n <= len(word); i++ {
			t.Text(learned.Pieces, 'c', word[i:i+n])
		}
	}
}

// addMentions adds the acts of a sentence and their objects.
func (o *traitsOf) addMentions(t *learned.Traits, s *sentence) {
	for i := range s.mentions {
		d := &s.mentions[i]
		how := int(d.mood) << 1
		if d.negated {
			how |= 1
		}
		for a := uint64(d.class & acts); a != 0; a &= a - 1 {
			act := bits.TrailingZeros64(a)
			t.Number(learned.Frames, 'd', act, how, 0)
			for x := uint64(d.what &^ functional); x != 0; x &= x - 1 {
				t.Number(learned.Frames, 'D', act, how, bits.TrailingZeros64(x))
			}
			for k := shapeName; k <= shapeCode; k++ {
				if d.has(k) {
					t.Number(learned.Frames, 'S', act, how, int(k))
				}
			}
		}
	}
	for x := uint64(s.class); x != 0; x &= x - 1 {
		t.Number(learned.Frames, 'o', bits.TrailingZeros64(x), 0, 0)
	}
	for x := uint64(s.class &^ o.purpose & beside); x != 0; x &= x - 1 {
		t.Number(learned.Frames, 'O', bits.TrailingZeros64(x), 0, 0)
	}
}

// nearClasses is the number of words with a class, after another one, with which it forms pairs.
const nearClasses = 4

// addOrder adds ordered pairs and triples of the roles of words, which say who does what to what, without the words.
func addOrder(t *learned.Traits, s *sentence) {
	var roles [64]class
	n := 0
	for i := range s.words {
		w := &s.words[i]
		c := w.class &^ (functional | auxiliary | pointer | adverb | joiner)
		if w.shape != shapeNone {
			c |= 1 << (56 + w.shape)
		}
		if c == 0 {
			continue
		}
		if n == len(roles) {
			break
		}
		roles[n] = c
		n++
	}
	for i := range n {
		for j := i + 1; j < min(n, i+1+nearClasses); j++ {
			eachClass(roles[i], func(a int) {
				eachClass(roles[j], func(b int) { t.Number(learned.Frames, 'P', a, b, 0) })
			})
		}
		if i+2 < n {
			t.Number(learned.Frames, 'T', first(roles[i]), first(roles[i+1]), first(roles[i+2]))
		}
	}
}

// first returns the number of the first class in a set.
func first(set class) int { return bits.TrailingZeros64(uint64(set)) }

// eachClass calls f with the number of each class in a set.
func eachClass(set class, f func(int)) {
	for x := uint64(set); x != 0; x &= x - 1 {
		f(bits.TrailingZeros64(x))
	}
}

// addMeanings adds the meanings of words in the grammar, which covers more languages.
func (o *traitsOf) addMeanings(t *learned.Traits, all []scan.Meaning) {
	var seen [3]uint64
	for i := range all {
		for k, c := range all[i].Concepts {
			seen[k] |= c
		}
		for j := i + 1; j < len(all) && j <= i+pairedMeanings; j++ {
			eachConcept(all[i].Concepts, func(a int) {
				eachConcept(all[j].Concepts, func(b int) { t.Number(learned.Frames, 'K', a, b, 0) })
			})
		}
	}
	eachConcept(seen, func(c int) { t.Number(learned.Frames, 'k', c, 0, 0) })
	for k := range seen {
		seen[k] &^= o.concepts[k]
	}
	eachConcept(seen, func(c int) { t.Number(learned.Frames, 'q', c, 0, 0) })
}

// eachConcept calls f with the number of each concept in a set.
func eachConcept(set [3]uint64, f func(int)) {
	for k, rest := range set {
		for ; rest != 0; rest &= rest - 1 {
			f(64*k + bits.TrailingZeros64(rest))
		}
	}
}

// The placeholders for words: wordStart for the start of a sentence, and masked with a letter after it for a name or
// an address.
const (
	wordStart = "^"
	masked    = "#"
)

// eachWord calls f with each word of the sentence and the word before it, in lower case. Names, paths and addresses
// are replaced by placeholders, because they only identify the server.
func eachWord(s string, of *sentence, own map[string]bool, f func(before, word string)) {
	before := wordStart
	pass := func(word string) {
		f(before, word)
		before = word
	}
	for i := range of.words {
		w := &of.words[i]
		inner := strings.Trim(s[w.start-of.start:w.end-of.start], "`")
		switch {
		case w.shape == shapeURL:
			pass(masked + "u")
		case w.shape == shapePath:
			pass(masked + "p")
		case w.shape == shapeKey:
			pass(masked + "k")
		case (w.shape == shapeCode || w.shape == shapeName) && own[inner]:
			pass(masked + "o")
		case w.shape == shapeName, w.shape == shapeCode && strings.Contains(inner, "_"):
			pass(masked + "n")
		default:
			splitWord(inner, pass)
		}
	}
}

// splitWord calls pass with the words that w is made of: runs of letters, and single characters of
// scripts without spaces.
func splitWord(w string, pass func(string)) {
	low := strings.ToLower(w)
	start := -1
	flush := func(end int) {
		if start >= 0 {
			pass(low[start:end])
		}
		start = -1
	}
	digits := false
	for i, c := range low {
		switch {
		case ideograph(c):
			flush(i)
			pass(string(c))
		case unicode.IsLetter(c), c == '\'':
			if start < 0 {
				start = i
			}
		default:
			flush(i)
			digits = digits || c >= '0' && c <= '9'
		}
	}
	flush(len(low))
	if digits {
		pass("0")
	}
}

// ideograph reports whether c is a character of a script without spaces.
func ideograph(c rune) bool {
	return c >= 0x2E80 && unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// ideographs counts the characters of scripts without spaces.
func ideographs(s string) int {
	n := 0
	for _, c := range s {
		if ideograph(c) {
			n++
		}
	}
	return n
}
