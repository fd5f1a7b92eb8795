package scan

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxWord is the maximum length of a word that is looked up, in letters.
	maxWord = 40
	// minFuzzy is the minimum length of a word whose misspellings are recognised.
	minFuzzy = 6
	// maxPhrase is the maximum length of a phrase, in words.
	maxPhrase = 5
	// hashBase is the base of the polynomial word hash.
	hashBase = 0x9E3779B97F4A7C15

	slotBits   = 16 // size of the word table
	filterBits = 20 // size of the filter before it
)

// vocabularyWord is a word of the vocabulary.
type vocabularyWord struct {
	word    []rune // folded
	means   set    // empty for a decoy, and for a word that occurs only in phrases
	ends    bool   // a phrase ends with it
	carries bool   // the next word can still be at the position of a command
	joins   bool   // joins two commands, as "and" does
	asks    bool   // begins a command by itself, as "please" does
}

// meansFuzzy are the concepts whose misspelt words are recognised.
var meansFuzzy = means(
	"ignore|override|prior|instr|safety|limit|free|system|prompt|model|expose|send|secret|urgent|user|task",
)

// fuzzy reports whether misspellings of the word are recognised.
func (e *vocabularyWord) fuzzy() bool { return len(e.word) >= minFuzzy && e.means.has(meansFuzzy) }

// vocabulary contains all words of all lexicons. A word is found by the hash of its letters. A misspelt word is found
// because it has the same hash as the word after one letter is left out of either. A filter makes lookups of unknown
// words fast.
type vocabulary struct {
	entries []vocabularyWord
	phrases map[phrase]set
	chars   map[string]set // words of scripts without spaces
	longest int            // length of the longest of chars, in characters

	filter []uint64
	keys   []uint64
	slots  []int32 // entry, or -1-entry for a misspelling
	heads  map[rune]bool
}

// phrase is a sequence of entries, numbered from 1, the last one first.
type phrase [maxPhrase]int32

// powers holds the powers of hashBase.
var powers = func() (p [maxWord + 2]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * hashBase
	}
	return p
}()

func newVocabulary(languages []Lexicon) *vocabulary {
	v := &vocabulary{
		phrases: map[phrase]set{},
		chars:   map[string]set{},
		heads:   map[rune]bool{},
		filter:  make([]uint64, 1<<filterBits/64),
		keys:    make([]uint64, 1<<slotBits),
		slots:   make([]int32, 1<<slotBits),
	}
	index := map[string]int32{}
	for _, lex := range languages {
		for _, sense := range lex {
			var meaning set // empty for a decoy
			if sense.Means != "" {
				meaning = means(sense.Means)
			}
			for _, words := range expand(sense.Words) {
				v.add(index, split(words), meaning)
			}
		}
	}
	for _, word := range strings.Fields(decoys) {
		v.number(index, word)
	}
	for _, word := range strings.Fields(carriers) {
		v.entries[v.number(index, word)-1].carries = true
	}
	for _, word := range strings.Fields(joiners) {
		e := &v.entries[v.number(index, word)-1]
		e.joins, e.carries = true, true
	}
	for _, word := range strings.Fields(askers) {
		e := &v.entries[v.number(index, word)-1]
		e.asks, e.carries = true, true
	}
	for i := range v.entries {
		v.insert(int32(i))
	}
	return v
}

// minStem is the minimum length of a stem that is a word by itself.
const minStem = 5

// expand expands a list of words: "regel/n" stands for regel and regeln. A short stem is a word only if it has an
// empty ending: "dein//e" stands for dein and deine.
func expand(list string) []string {
	var out []string
	for item := range strings.FieldsSeq(list) {
		stem, endings, more := strings.Cut(item, "/")
		if !more {
			out = append(out, item)
			continue
		}
		if utf8.RuneCountInString(stem) >= minStem {
			out = append(out, stem)
		}
		for ending := range strings.SplitSeq(endings, "/") {
			out = append(out, stem+ending)
		}
	}
	return out
}

// split splits an item of a lexicon into the words that the reader would read.
func split(item string) []string {
	var out []string
	for _, word := range strings.FieldsFunc(item, func(c rune) bool { return c == '_' || c == '-' || c == '.' }) {
		if head, tail, ok := strings.Cut(word, "'"); ok && elides(foldWord(head)) && tail != "" {
			out = append(out, head, tail)
			continue
		}
		out = append(out, word)
	}
	return out
}

// elides reports whether the word before an apostrophe is a separate word, as in "l'utente" but not in "don't".
func elides(word string) bool {
	switch word {
	case "l",
		"d",
		"n",
		"s",
		"c",
		"j",
		"m",
		"t",
		"qu",
		"dell",
		"all",
		"un",
		"nell",
		"sull",
		"dall",
		"jusqu",
		"lorsqu",
		"puisqu":
		return true
	}
	return false
}

// add adds a word or phrase with its meaning.
func (v *vocabulary) add(index map[string]int32, words []string, meaning set) {
	if isIdeograph([]rune(words[0])[0]) {
		v.addCharacters(strings.Join(words, ""), meaning)
		v.addCharacters(strings.Join(words, " "), meaning)
		return
	}
	if len(words) == 1 {
		e := &v.entries[v.number(index, words[0])-1]
		e.means = e.means.and(meaning)
		return
	}
	var key phrase
	for i, word := range words {
		key[len(words)-1-i] = v.number(index, word)
	}
	v.entries[key[0]-1].ends = true
	v.phrases[key] = v.phrases[key].and(meaning)
}

// addCharacters adds a word of a script without spaces.
func (v *vocabulary) addCharacters(word string, meaning set) {
	r := []rune(word)
	v.chars[word] = v.chars[word].and(meaning)
	v.longest = max(v.longest, len(r))
	v.heads[r[0]] = true
}

// number returns the number of a word, from 1.
func (v *vocabulary) number(index map[string]int32, word string) int32 {
	folded := foldWord(word)
	if n, ok := index[folded]; ok {
		return n
	}
	v.entries = append(v.entries, vocabularyWord{word: []rune(folded)})
	index[folded] = int32(len(v.entries))
	return index[folded]
}

// foldWord returns a lexicon's word in the form in which the reader folds words.
func foldWord(word string) string {
	var out []rune
	for _, r := range word {
		switch a, b, two := spelledOut(r); {
		case two:
			out = append(out, a, b)
		case isMark(r) || r == '\'' || r == '’':
		case r < foldable && folds()[r] != 0:
			out = append(out, rune(folds()[r]))
		default:
			out = append(out, r)
		}
	}
	return string(out)
}

// insert adds the hashes of a word and of its misspellings.
func (v *vocabulary) insert(i int32) {
	word := v.entries[i].word
	h := hashes(word)
	v.put(h[len(word)], i)
	if !v.entries[i].fuzzy() {
		return
	}
	for skip := range word {
		v.put(without(&h, len(word), skip), -1-i)
	}
}

func (v *vocabulary) put(key uint64, value int32) {
	bit := key * hashBase >> (64 - filterBits)
	v.filter[bit/64] |= 1 << (bit % 64)
	at := key * hashBase >> (64 - slotBits)
	for v.keys[at] != 0 {
		at = (at + 1) % (1 << slotBits)
	}
	v.keys[at], v.slots[at] = key, value
}

// hashes returns the hashes of the word's prefixes, beginning with the empty one.
func hashes(word []rune) (h [maxWord + 1]uint64) {
	for i, r := range word {
		h[i+1] = h[i]*hashBase + uint64(r) + 1
	}
	return h
}

// without returns the hash of n letters without the one at skip.
func without(h *[maxWord + 1]uint64, n, skip int) uint64 {
	return h[n] + (h[skip]-h[skip+1])*powers[n-1-skip]
}

// maybe reports whether there may be an entry for key.
func (v *vocabulary) maybe(key uint64) bool {
	bit := key * hashBase >> (64 - filterBits)
	return v.filter[bit/64]&(1<<(bit%64)) != 0
}

// lookup returns the number of the word with these hashes, from 1, or 0. A word of sufficient length is also found if
// one letter is missing, added, wrong or swapped with its neighbour.
func (v *vocabulary) lookup(word []rune, h *[maxWord + 1]uint64, fuzzy bool) int32 {
	n := len(word)
	if v.maybe(h[n]) {
		if found := v.probe(h[n], word, fuzzy && n >= minFuzzy-1); found != 0 {
			return found
		}
	}
	if !fuzzy || n < minFuzzy-1 {
		return 0
	}
	for skip := range n {
		if key := without(h, n, skip); v.maybe(key) {
			if found := v.probe(key, word, true); found != 0 {
				return found
			}
		}
	}
	return 0
}

// probe looks for the word itself at key, or for a word of which it is a misspelling.
func (v *vocabulary) probe(key uint64, word []rune, fuzzy bool) int32 {
	near := int32(0)
	for at := key * hashBase >> (64 - slotBits); v.keys[at] != 0; at = (at + 1) % (1 << slotBits) {
		if v.keys[at] != key {
			continue
		}
		i := v.slots[at]
		if i >= 0 && slices.Equal(v.entries[i].word, word) {
			return i + 1
		}
		if i < 0 {
			i = -1 - i
		}
		if e := &v.entries[i]; fuzzy && near == 0 && e.fuzzy() && misspells(e.word, word) {
			near = i + 1
		}
	}
	return near
}

// misspells reports whether word is a misspelling of right: one letter is missing, added or wrong, or two adjacent
// letters are swapped. A last letter that is added or different, or a missing final "s", usually makes another form
// of the word and does not count.
func misspells(right, word []rune) bool {
	head := 0
	for head < min(len(right), len(word)) && right[head] == word[head] {
		head++
	}
	tail := 0
	for tail < min(len(right), len(word))-head && right[len(right)-1-tail] == word[len(word)-1-tail] {
		tail++
	}
	missing, extra := len(right)-head-tail, len(word)-head-tail
	switch {
	case missing == 1 && extra == 0:
		return tail > 0 || right[head] != 's'
	case missing == 0 && extra == 1:
		return tail > 0 || word[len(word)-1] == word[len(word)-2]
	case missing == 1 && extra == 1:
		return tail > 0
	case missing == 2 && extra == 2:
		return right[head] == word[head+1] && right[head+1] == word[head]
	}
	return false
}
