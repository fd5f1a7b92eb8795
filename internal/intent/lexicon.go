package intent

import (
	"embed"
	mathbits "math/bits"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"mcpproxy"
)

//go:embed lexicon/*.txt
var files embed.FS

// Set is a set of what words can mean: effects, and the marks below.
type Set uint32

// What words can mean beside an effect.
const (
	general  Set = 1 << (31 - iota) // asks for a result, not for an act
	follows                         // tells to do what a text says
	points                          // tells where a value stands
	grants                          // names what lets somebody in: a role, a key
	checks                          // names a protection
	money                           // names what is paid
	resets                          // lets somebody in who was let in before
	noun                            // is a noun as well, in English
	gives                           // hands something over, to somebody else than the speaker
	rights                          // is what lets somebody in and can be given
	looks                           // is an idiom of reading, whose verb means something else by itself
	aims                            // is an address, a channel or a handle: says where something goes
	forbids                         // turns a request around, as "not" does
	asks                            // begins a question
	requests                        // makes a request of what has the form of a question
)

// marks are the marks by their names in the word lists.
var marks = map[string]Set{
	"general":      general,
	"follow":       follows,
	"points":       points,
	"grant-thing":  grants,
	"weaken-thing": checks,
	"pay-thing":    money,
	"reset":        resets,
	"noun":         noun,
	"give":         gives,
	"right":        rights,
	"look":         looks,
	"question":     asks,
	"request":      requests,
}

// bits are the effects as members of a Set.
var bits = func() map[mcpproxy.Effect]Set {
	all := map[mcpproxy.Effect]Set{}
	for i, e := range mcpproxy.Effects() {
		all[e] = 1 << i
	}
	return all
}()

// Of is the set of effects.
func Of(effects ...mcpproxy.Effect) (s Set) {
	for _, e := range effects {
		s |= bits[e]
	}
	return s
}

// Has reports whether the set holds an effect.
func (s Set) Has(e mcpproxy.Effect) bool { return s&bits[e] != 0 }

// Gravest is the gravest effect of the set; "" when it holds none.
func (s Set) Gravest() mcpproxy.Effect {
	for _, e := range slices.Backward(mcpproxy.Effects()) {
		if s.Has(e) {
			return e
		}
	}
	return ""
}

// Any reports whether two sets have a member in common.
func (s Set) Any(other Set) bool { return s&other != 0 }

// language is a set of languages.
type language uint32

// maxLanguages is how many languages a [language] can hold.
const maxLanguages = 32

// everywhere is all languages.
const everywhere language = 1<<maxLanguages - 1

// entry is what a word means in some languages.
type entry struct {
	means Set
	in    language
}

// lexicon is the word lists of all languages.
type lexicon struct {
	thin    language            // the languages whose lists miss many verbs
	english language            // the one in which short beginnings of words count in any text
	small   map[string]language // words that tell a language
	letters map[rune]language   // that tell a language
	joints  map[string]language // words that lead from one request to the next
	nots    map[string]language // words that turn a request around, beside [negators]
	late    map[string]language // of those, the ones that can end a clause whose verb they turn around
	words   map[string][]entry  // whole words
	stems   map[string][]entry  // beginnings of words
	first   []entry             // room for the first entries of words
	phrases map[string][]phrase
	glyphs  map[string]Set // of scripts that put no spaces between words
	widest  int            // of the glyphs, in characters

	smallSieve, wordSieve, stemSieve, phraseSieve *sieve // of the lists
}

// phrase is an entry of several words, by its first.
type phrase struct {
	// "#" stands for a word that does not mean the speaker, "~" for none to [gap] words, "$"
	// for the end of the clause; a star before or behind a word, for the rest of it.
	rest []string
	entry
}

// gap is how many words a "~" of a phrase stands for at most: "wirf die alten Entwürfe weg".
const gap = 8

// lexicons reads the word lists when they are first needed.
var lexicons = sync.OnceValue(readLexicons)

// readLexicons reads the word lists.
func readLexicons() *lexicon {
	l := &lexicon{
		small:   map[string]language{},
		letters: map[rune]language{},
		joints:  map[string]language{},
		nots:    map[string]language{},
		late:    map[string]language{},
		words:   make(map[string][]entry, 4<<10),
		stems:   make(map[string][]entry, 4<<10),
		phrases: make(map[string][]phrase, 1<<10),
		glyphs:  map[string]Set{},
	}
	entries, err := files.ReadDir("lexicon")
	if err != nil {
		panic(err) // they are part of the program
	}
	for i, e := range entries {
		raw, err := files.ReadFile("lexicon/" + e.Name())
		if err != nil {
			panic(err)
		}
		for line := range strings.Lines(string(raw)) {
			l.line(line, 1<<i)
		}
		if e.Name() == "en.txt" {
			l.english = 1 << i
		}
	}
	l.smallSieve = sieveOf(l.small)
	l.wordSieve = sieveOf(l.words)
	l.stemSieve = sieveOf(l.stems)
	l.phraseSieve = sieveOf(l.phrases)
	return l
}

// line reads "effect: word stem* a_phrase".
func (l *lexicon) line(line string, in language) {
	head, list, ok := strings.Cut(strings.TrimSpace(line), ":")
	if !ok || strings.HasPrefix(head, "#") {
		return
	}
	means := marks[head] | bits[mcpproxy.Effect(head)]
	for w := range strings.FieldsSeq(list) {
		first, rest, isPhrase := strings.Cut(w, "_")
		stem, isStem := strings.CutSuffix(w, "*")
		if means.Any(asks|requests) && !isPhrase && !unspaced(firstRune(w)) {
			l.small[w] |= in // as telling as "the"
		}
		switch {
		case head == "thin":
			l.thin |= in
		case head == "small":
			l.small[w] |= in
		case head == "letter":
			l.letters[firstRune(w)] |= in
		case head == "joint":
			l.joints[w] |= in
		case head == "not" && unspaced(firstRune(w)):
			l.glyphs[w] |= forbids
			l.widest = max(l.widest, utf8.RuneCountInString(w))
		case head == "not":
			l.nots[w] |= in
		case head == "late":
			l.nots[w] |= in
			l.late[w] |= in
		case unspaced(firstRune(w)):
			l.glyphs[w] |= means
			l.widest = max(l.widest, utf8.RuneCountInString(w))
		case isPhrase:
			l.phrases[first] = append(l.phrases[first], phrase{strings.Split(rest, "_"), entry{means, in}})
		case isStem:
			l.add(l.stems, stem, entry{means, in})
		default:
			l.add(l.words, w, entry{means, in})
		}
	}
}

// shortest is the length from which on a word is known without its accents, in bytes: the
// Portuguese "dê" gives, "de" does not.
const shortest = 3

// add notes a word as it is written, and as it is written without accents.
func (l *lexicon) add(list map[string][]entry, w string, e entry) {
	l.note(list, w, e)
	if bare := unaccented(w); bare != w && len(bare) >= shortest {
		l.note(list, bare, e)
	}
}

// note adds an entry to those of a word. The first entries of words share one array: most words
// have one entry.
func (l *lexicon) note(list map[string][]entry, w string, e entry) {
	known := list[w]
	if known == nil {
		if len(l.first) == cap(l.first) {
			l.first = make([]entry, 0, 1<<10)
		}
		n := len(l.first)
		l.first = append(l.first, e)
		list[w] = l.first[n : n+1 : n+1]
		return
	}
	list[w] = append(known, e)
}

// unaccented is a word without its accents: an ending moves them, as in "manda" and "mándale".
func unaccented(w string) string {
	if isASCII(w) {
		return w
	}
	var room [64]byte
	letters := norm.NFD.AppendString(room[:0], w)
	bare := letters[:0]
	for len(letters) > 0 {
		r, size := utf8.DecodeRune(letters)
		if !isMark(r) {
			bare = append(bare, letters[:size]...)
		}
		letters = letters[size:]
	}
	return string(bare)
}

func isASCII(w string) bool {
	for i := range len(w) {
		if w[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// nukta is the dot of Devanagari that people often leave out.
const nukta = '\u093c'

// isMark reports whether a character is a mark on a letter, such as an accent. The signs of
// Devanagari that spell vowels do not count: a word without them is another word.
func isMark(r rune) bool {
	const beforeMarks, afterMarks, cyrillicMarks = 0x300, 0x370, 0x483
	if r < beforeMarks || afterMarks <= r && r < cyrillicMarks {
		return false // as [unicode.Is] says, and faster
	}
	return unicode.Is(unicode.Mn, r) && (r == nukta || !unicode.Is(unicode.Devanagari, r))
}

// languageOf returns the languages that a text can be in: those with the most hits among its small
// words and letters. A text without hits can be in any language.
func (l *lexicon) languageOf(words []string) language {
	var counts [maxLanguages]int
	best := 0
	for _, w := range words {
		in := l.lettersOf(w)
		if l.smallSieve.may(w) {
			in |= l.small[w]
		}
		for ; in != 0; in &= in - 1 {
			i := mathbits.TrailingZeros32(uint32(in))
			counts[i]++
			best = max(best, counts[i])
		}
	}
	if best == 0 {
		return everywhere
	}
	var in language
	for i, n := range counts {
		if n == best {
			in |= 1 << i
		}
	}
	return in
}

// lettersOf are the languages that the letters of a word tell.
func (l *lexicon) lettersOf(w string) (in language) {
	for _, r := range w {
		if r > unicode.MaxASCII {
			in |= l.letters[r]
		}
	}
	return in
}

// of is what entries mean in some languages.
func of(entries []entry, in language) (s Set) {
	for _, e := range entries {
		if e.in&in != 0 {
			s |= e.means
		}
	}
	return s
}

// tellingStem is from which length on a beginning of a word, in bytes, tells its meaning
// where the language is not known: "pag*" would make a payment of "page".
const tellingStem = 5

// word is what one word means, also when its accents stand where no list has them.
func (l *lexicon) word(w string, in language) Set {
	s := l.spelled(w, in)
	if s == 0 {
		if bare := unaccented(w); bare != w {
			s = l.spelled(bare, in)
		}
	}
	if s == 0 {
		if rest := afterConjunction(w); rest != "" {
			return l.word(rest, in)
		}
	}
	return s
}

// afterConjunction is what follows the "and" that Arabic and Hebrew write as the first letter of
// a word; "" if the word does not begin with it.
func afterConjunction(w string) string {
	for _, and := range []string{"و", "ف", "ו"} {
		if rest, ok := strings.CutPrefix(w, and); ok && utf8.RuneCountInString(rest) > 2 {
			return rest
		}
	}
	return ""
}

// spelled is what a word means as it is written.
func (l *lexicon) spelled(w string, in language) (s Set) {
	if l.wordSieve.may(w) {
		s = of(l.words[w], in)
	}
	for n := range l.stemSieve.prefixes(w) {
		if in == everywhere && n < tellingStem {
			in = l.english
		}
		if m := of(l.stems[w[:n]], in); m != 0 {
			return s | m // the longest beginning tells most
		}
	}
	return s
}

// phrase is what the words from i on mean together.
func (l *lexicon) phrase(words []string, i int, in language) (s Set) {
	if !l.phraseSieve.may(words[i]) {
		return 0
	}
	for _, p := range l.phrases[words[i]] {
		if p.in&in != 0 && follow(p.rest, words[i+1:]) {
			s |= p.means
		}
	}
	return s
}

// follow reports whether words begin with those of a phrase.
func follow(rest, words []string) bool {
	if len(rest) == 0 {
		return true
	}
	switch rest[0] {
	case "$":
		return len(words) == 0
	case "~":
		for n := range min(gap, len(words)) + 1 {
			if follow(rest[1:], words[n:]) {
				return true
			}
		}
		return false
	}
	return len(words) > 0 && fits(rest[0], words[0]) && follow(rest[1:], words[1:])
}

// fits reports whether a word is the one of a phrase.
func fits(want, w string) bool {
	switch {
	case want == "#":
		return !isSpeaker(w)
	case strings.HasSuffix(want, "*"):
		return strings.HasPrefix(w, want[:len(want)-1])
	case strings.HasPrefix(want, "*"):
		return strings.HasSuffix(w, want[1:])
	}
	return w == want
}

// isSpeaker reports whether a word means the speaker: "tell me" sends nothing.
func isSpeaker(w string) bool {
	switch w {
	case "me", "us", "mir", "uns", "moi", "nous", "mich", "mi", "ci", "noi", "mij", "ons", "mně", "мне", "нам",
		"мені", "mie", "nouă", "saya", "aku", "kami", "mig", "meg", "oss", "minulle", "mulle", "meille", "nekem",
		"nekünk", "μου", "μας", "tôi", "mình", "לי", "לנו", "من", "ما", "لي", "لنا", "मुझे", "हमें", "mujhe", "hume":
		return true
	}
	return false
}

// glyphsAt returns the glyphs at the beginning of s, for scripts without spaces.
func (l *lexicon) glyphsAt(s string) (set Set) {
	for n, end := 0, 0; n < l.widest && end < len(s); n++ {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
		set |= l.glyphs[s[:end]]
	}
	return set
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
