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

// Set is a set of meanings of words: effects, and the marks below.
type Set uint32

// The meanings of words other than effects.
const (
	general  Set = 1 << (31 - iota) // asks for a result and names no effect
	follows                         // tells the agent to follow a text
	points                          // says where a value can be found
	grants                          // names an object that gives access: a role, a key
	checks                          // names a protection
	money                           // names an object that people pay
	resets                          // gives a person's access back
	noun                            // is also an English noun
	gives                           // hands an object to a person other than the speaker
	rights                          // names access that can be given
	looks                           // is an idiom for reading whose verb has another meaning on its own
	aims                            // is an address, a channel or a handle, which says where data goes
	forbids                         // negates a request, as "not" does
	asks                            // begins a question
	requests                        // makes a question a request
	rotates                         // replaces a key by a new one
	vouches                         // says that something is approved
)

// marks maps the names of marks in the word lists to their bits.
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
	"rotate":       rotates,
	"vouch":        vouches,
}

// bits maps effects to their bits in a Set.
var bits = func() map[mcpproxy.Effect]Set {
	all := map[mcpproxy.Effect]Set{}
	for i, e := range mcpproxy.Effects() {
		all[e] = 1 << i
	}
	return all
}()

// Of returns the set of effects.
func Of(effects ...mcpproxy.Effect) (s Set) {
	for _, e := range effects {
		s |= bits[e]
	}
	return s
}

// Has reports whether the set contains an effect.
func (s Set) Has(e mcpproxy.Effect) bool { return s&bits[e] != 0 }

// MostSerious returns the most serious effect of the set, or "" if the set contains no effect.
func (s Set) MostSerious() mcpproxy.Effect {
	for _, e := range slices.Backward(mcpproxy.Effects()) {
		if s.Has(e) {
			return e
		}
	}
	return ""
}

// Any reports whether two sets have an element in common.
func (s Set) Any(other Set) bool { return s&other != 0 }

// language is a set of languages.
type language uint32

// maxLanguages is the maximum number of languages in a [language].
const maxLanguages = 32

// everywhere is the set of all languages.
const everywhere language = 1<<maxLanguages - 1

// entry is a meaning of a word in some languages.
type entry struct {
	means Set
	in    language
}

// lexicon holds the word lists of all languages.
type lexicon struct {
	thin    language            // languages whose lists lack many verbs
	last    language            // languages in which the verb ends a clause
	english language            // English, whose short stems count in texts of any language
	small   map[string]language // short words by which a text's language is recognised
	letters map[rune]language   // letters by which a text's language is recognised
	joints  map[string]language // words that join two requests
	nots    map[string]language // words that negate a request, in addition to [negators]
	late    map[string]language // the elements of nots that may follow the verb at the end of a clause
	words   map[string][]entry  // whole words
	stems   map[string][]entry  // beginnings of words
	first   []entry             // backing array for the first entry of each word
	phrases map[string][]phrase
	glyphs  map[string]Set // words of scripts without spaces
	widest  int            // length of the longest glyph, in characters

	smallSieve, wordSieve, stemSieve, phraseSieve *sieve // one for each list
}

// phrase is an entry of several words, stored under its first word.
type phrase struct {
	// "#" stands for a word that does not mean the speaker, "~" for up to [gap] words, and "$" for the end of the
	// clause. A star at the end of a word stands for any ending.
	rest []string
	entry
}

// gap is the maximum number of words for which a "~" stands: "wirf die alten Entwürfe weg".
const gap = 8

// lexicons returns the word lists, which it reads on first use.
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
		panic(err) // the lists are embedded in the program
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

// line reads a line of the form "effect: word stem* a_phrase".
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
			l.small[w] |= in // the word identifies its language
		}
		switch {
		case head == "thin":
			l.thin |= in
		case head == "last":
			l.last |= in
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

// shortest is the minimum length, in bytes, of a word that is also recognised without its accents. Shorter words
// differ: the Portuguese "dê" means give, and "de" does not.
const shortest = 3

// add adds a word, with and without its accents.
func (l *lexicon) add(list map[string][]entry, w string, e entry) {
	l.note(list, w, e)
	if bare := unaccented(w); bare != w && len(bare) >= shortest {
		l.note(list, bare, e)
	}
}

// note adds an entry for a word. Most words have only one entry, so all first entries share one array.
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

// unaccented removes the accents of a word. An ending can move the accent, as in "manda" and "mándale".
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

// isMark reports whether a character is a mark on a letter, such as an accent. A vowel sign of Devanagari is not a
// mark, because a word without it is a different word.
func isMark(r rune) bool {
	const beforeMarks, afterMarks, cyrillicMarks = 0x300, 0x370, 0x483
	if r < beforeMarks || afterMarks <= r && r < cyrillicMarks {
		return false // same result as [unicode.Is], but faster
	}
	return unicode.Is(unicode.Mn, r) && (r == nukta || !unicode.Is(unicode.Devanagari, r))
}

// languageOf returns the languages that a text may be in, which are those with the most hits among its short words and
// letters. Without any hit, it returns all languages.
func (l *lexicon) languageOf(words []string) language {
	var votes votes
	for _, w := range words {
		votes.add(l.languagesOf(w, l.look(w)))
	}
	return votes.most()
}

// votes counts, for each language, the words that indicate it.
type votes struct {
	counts [maxLanguages]int
	best   int
}

func (v *votes) add(in language) {
	for ; in != 0; in &= in - 1 {
		i := mathbits.TrailingZeros32(uint32(in))
		v.counts[i]++
		v.best = max(v.best, v.counts[i])
	}
}

// most returns the languages with the most votes. Without any vote, it returns all languages.
func (v *votes) most() (in language) {
	if v.best == 0 {
		return everywhere
	}
	for i, n := range v.counts {
		if n == v.best {
			in |= 1 << i
		}
	}
	return in
}

// languagesOf returns the languages that a word and its letters indicate.
func (l *lexicon) languagesOf(w string, found look) (in language) {
	if !found.ascii {
		for _, r := range w {
			if r > unicode.MaxASCII {
				in |= l.letters[r]
			}
		}
	}
	if l.smallSieve.has(found.hash) {
		in |= l.small[w]
	}
	return in
}

// of returns the meanings of the entries that apply in a set of languages.
func of(entries []entry, in language) (s Set) {
	for _, e := range entries {
		if e.in&in != 0 {
			s |= e.means
		}
	}
	return s
}

// tellingStem is the minimum length of a stem, in bytes, in a text of an unknown language. With shorter stems, the
// Spanish "pag*" would make "page" a payment.
const tellingStem = 5

// word returns the meanings of a word. The accents of the word may differ from the list.
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

// afterConjunction returns the rest of an Arabic or Hebrew word whose first letter is the conjunction "and". It
// returns "" for other words.
func afterConjunction(w string) string {
	if w == "" || w[0] < utf8.RuneSelf {
		return ""
	}
	for _, and := range []string{"و", "ف", "ו"} {
		if rest, ok := strings.CutPrefix(w, and); ok && utf8.RuneCountInString(rest) > 2 {
			return rest
		}
	}
	return ""
}

// spelled returns the meanings of a word without a change of its accents.
func (l *lexicon) spelled(w string, in language) Set { return l.listed(w, l.look(w), in) }

// look holds the results of reading the bytes of a word once.
type look struct {
	stems uint64 // lengths of the prefixes that may be stems, see [sieve.prefixes]
	hash  uint32
	ascii bool
}

// look reads the bytes of a word.
func (l *lexicon) look(w string) (found look) {
	found.stems, found.hash = l.stemSieve.prefixes(w)
	found.ascii = isASCII(w)
	return found
}

// listed is [lexicon.spelled] for a word that look has read.
func (l *lexicon) listed(w string, found look, in language) (s Set) {
	if l.wordSieve.has(found.hash) {
		s = of(l.words[w], in)
	}
	for lengths := found.stems; lengths != 0; {
		n := mathbits.Len64(lengths) - 1
		lengths &^= 1 << n
		if in == everywhere && n < tellingStem {
			in = l.english
		}
		if m := of(l.stems[w[:n]], in); m != 0 {
			return s | m // the longest stem is the most specific
		}
	}
	return s
}

// phrase returns the meanings of the phrases that begin with word i.
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

// follow reports whether words begin with the further words of a phrase.
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

// fits reports whether a word matches a word of a phrase.
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

// isSpeaker reports whether a word means the speaker. "Tell me" is no request to send.
func isSpeaker(w string) bool {
	switch w {
	case "me", "us", "mir", "uns", "moi", "nous", "mich", "mi", "ci", "noi", "mij", "ons", "mně", "мне", "нам",
		"мені", "mie", "nouă", "saya", "aku", "kami", "mig", "meg", "oss", "minulle", "mulle", "meille", "nekem",
		"nekünk", "μου", "μας", "tôi", "mình", "לי", "לנו", "من", "ما", "لي", "لنا", "मुझे", "हमें", "mujhe", "hume":
		return true
	}
	return false
}

// glyphsAt returns the meanings of the glyphs at the beginning of s, in scripts without spaces.
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
