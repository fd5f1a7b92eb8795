package personal

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words announce a value if they are within this many bytes before or after it.
const (
	reachBefore = 48
	reachAfter  = 24
)

// tagSet is a set of tags, which words announce: topics, and kinds by their own words.
type tagSet [6]uint64

func (t *tagSet) add(i int)      { t[i/64] |= 1 << (i % 64) }
func (t *tagSet) has(i int) bool { return t[i/64]&(1<<(i%64)) != 0 }

func (t *tagSet) merge(o *tagSet) {
	for i := range t {
		t[i] |= o[i]
	}
}

func (t *tagSet) meets(o *tagSet) bool {
	return (t[0]&o[0])|(t[1]&o[1])|(t[2]&o[2])|(t[3]&o[3])|(t[4]&o[4])|(t[5]&o[5]) != 0
}

// vocabulary is the list of words that announce personal data, in many languages. Words are in lower case without
// accents. A space stands for any separator or none, and "*" at the end for the rest of a word. A word in capitals
// only matches capitals, except in the name of a member, where case does not matter. Words in scripts without spaces
// match anywhere.
type vocabulary struct {
	entries []vocable
	byWord  map[string]int
	keys    []uint32                // the first letters of each entry
	buckets [bucketCount + 1]uint16 // start of the entries for each hash of first letters
	starts  [1 << 10]uint32         // the first three letters of all words; see startOf
}

type vocable struct {
	word   string // folded
	key    uint32 // its first letters
	prefix bool   // the word may continue
	upper  bool   // capitals only
	script bool   // of a script without spaces
	tags   tagSet
}

func newVocabulary() *vocabulary { return &vocabulary{byWord: map[string]int{}} }

// addList adds the words of a list for a tag.
func (v *vocabulary) addList(list string, tag int) {
	for _, word := range strings.Split(list, ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		i, ok := v.byWord[word]
		if !ok {
			i = len(v.entries)
			v.byWord[word] = i
			e := vocable{upper: word == strings.ToUpper(word) && word != strings.ToLower(word)}
			word, e.prefix = strings.CutSuffix(word, "*")
			e.key = firstLetters(word)
			e.script = word[0] >= 0xd6
			e.word = foldString(word)
			v.entries = append(v.entries, e)
		}
		v.entries[i].tags.add(tag)
	}
}

// seal sorts the entries into buckets.
func (v *vocabulary) seal() {
	slices.SortFunc(v.entries, func(a, b vocable) int { return cmp.Compare(bucketOf(a.key), bucketOf(b.key)) })
	v.byWord = nil // the entries have moved
	for _, e := range v.entries {
		v.keys = append(v.keys, e.key)
		v.buckets[bucketOf(e.key)+1]++
		if e.word[0] < 0x80 {
			v.noteStart(e.word)
		}
	}
	for b := range bucketCount {
		v.buckets[b+1] += v.buckets[b]
	}
}

// startOf packs three bytes, the first of which is a letter: five bits for each letter, 0 for the end of the word.
func startOf(a, b, c byte) uint32 {
	n := uint32(a&31) << 10
	if byteClass[b]&isLetterByte == 0 {
		return n
	}
	n |= uint32(b&31) << 5
	if byteClass[c]&isLetterByte == 0 {
		return n
	}
	return n | uint32(c&31)
}

const bucketCount = 1 << 11

func bucketOf(key uint32) uint32 { return key * 0x9e3779b1 >> 21 }

// firstLetters packs up to four folded bytes of the word at the start of s. A word ends at a hump, as in "taxId".
func firstLetters(s string) uint32 {
	if s[0] >= 0xd6 { // scripts without spaces: the first character
		_, n := utf8.DecodeRuneInString(s)
		key := uint32(0)
		for i := range min(n, 3) {
			key = key<<8 | uint32(s[i])
		}
		return key
	}
	key, n := uint32(0), 0
	for n < len(s) && n < 4 && byteClass[s[n]]&isLetterByte != 0 && (n == 0 || !isHump(s, n)) {
		key = key<<8 | uint32(s[n]|0x20)
		n++
	}
	if n == 4 || n == len(s) || s[n] < 0x80 {
		return key
	}
	for i := n; i < len(s) && n < 4; {
		c, size := foldAt(s, i)
		if c == 0 || i > 0 && isHump(s, i) {
			break
		}
		key = key<<8 | uint32(c)
		i, n = i+size, n+1
	}
	return key
}

func isHump(s string, i int) bool {
	return s[i] >= 'A' && s[i] <= 'Z' && s[i-1] >= 'a' && s[i-1] <= 'z' && i > 1 &&
		isLetter(s[i-2]) // but not the one in "iPhone"
}

// foldAt returns the letter at s[i] in lower case and without accent, or 0. For Greek and Cyrillic it returns a byte
// that stands for the letter.
func foldAt(s string, i int) (letter byte, size int) {
	switch c := s[i]; {
	case c < 0x80:
		if !isLetter(c) {
			return 0, 1
		}
		return c | 0x20, 1
	case c >= 0xc3 && c <= 0xd4 && i+1 < len(s):
		r, size := utf8.DecodeRuneInString(s[i:])
		if r >= 0xc0 && r < 0x180 {
			return latinFold[r-0xc0], size
		}
		if f := otherFold(r); f != 0 {
			return f, size
		}
		return byte(unicode.ToLower(r)&0x7f) | 0x80, size
	}
	return 0, 1
}

// latinFold holds the letters of U+00C0 to U+017F without their accents.
const latinFold = "aaaaaaaceeeeiiii" + "dnoooooxouuuuyts" + "aaaaaaaceeeeiiii" + "dnoooooxouuuuyty" +
	"aaaaaaccccccccdd" + "ddeeeeeeeeeegggg" + "gggghhhhiiiiiiii" + "iiiijjkkklllllll" +
	"lllnnnnnnnnnoooo" + "oooorrrrrrssssss" + "ssttttttuuuuuuuu" + "uuuuwwyyyzzzzzzs"

// otherFold returns the byte for a letter with an accent that latinFold does not contain, and 0 for all other
// letters.
func otherFold(r rune) byte {
	switch r {
	case 'ș', 'Ș':
		return 's'
	case 'ț', 'Ț':
		return 't'
	case 'ά', 'Ά':
		return 'α'&0x7f | 0x80
	case 'έ', 'Έ':
		return 'ε'&0x7f | 0x80
	case 'ή', 'Ή':
		return 'η'&0x7f | 0x80
	case 'ί', 'Ί':
		return 'ι'&0x7f | 0x80
	case 'ό', 'Ό':
		return 'ο'&0x7f | 0x80
	case 'ύ', 'Ύ':
		return 'υ'&0x7f | 0x80
	case 'ώ', 'Ώ':
		return 'ω'&0x7f | 0x80
	case 'ς':
		return 'σ'&0x7f | 0x80
	case 'ё', 'Ё':
		return 'е'&0x7f | 0x80
	}
	return 0
}

// foldString returns a word in the form for comparison.
func foldString(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		c, size := foldAt(s, i)
		if c == 0 || s[i] >= 0xd6 {
			b.WriteString(s[i : i+size])
		} else {
			b.WriteByte(c)
		}
		i += size
	}
	return b.String()
}

// matchAt returns the end of the vocable e at s[i:], or -1. In a name, case does not matter.
func (e *vocable) matchAt(s string, i int, inName bool) int {
	start := i
	for j := 0; j < len(e.word); j++ {
		want := e.word[j]
		if want == ' ' {
			for n := 0; n < 2 && i < len(s) && s[i] < 0x80 && !isAlnum(s[i]); n++ {
				i++
			}
			continue
		}
		if i >= len(s) {
			return -1
		}
		if c := s[i]; c < 0x80 {
			if c|0x20 != want {
				return -1
			}
			i++
			continue
		}
		got, size := foldAt(s, i)
		if got == 0 {
			got = s[i]
		}
		if got != want {
			return -1
		}
		i += size
	}
	if e.upper && !inName && (s[start]&0x20 != 0 || s[i-1]&0x20 != 0) {
		return -1
	}
	if e.prefix || e.script || i == len(s) {
		return i
	}
	if s[i] == 's' && !isHump(s, i) && (i+1 == len(s) || s[i+1] < 0x80 && !isLetter(s[i+1])) {
		return i
	}
	if c, _ := foldAt(s, i); c != 0 && !isHump(s, i) && !(inName && e.upper && s[i] >= 'A' && s[i] <= 'Z') {
		return -1
	}
	return i
}

// wordHit is a vocable found in the text.
type wordHit struct {
	start, end int
	entry      uint16
}

// scan adds to hits every vocable that starts in s[from:to].
func (v *vocabulary) scan(hits []wordHit, s string, from, to int, inName bool) []wordHit {
	for i := from; i < to; {
		c := s[i]
		if byteClass[c]&isLetterByte == 0 && (c < 0xc3 || c == 0xcc || c == 0xcd) {
			i++
			continue
		}
		if (c >= 0xd6 || i == 0 || !isWordByte(s[i-1]) || isHump(s, i)) && v.mayStart(s, i) {
			key := firstLetters(s[i:])
			b := bucketOf(key)
			for n := v.buckets[b]; n < v.buckets[b+1]; n++ {
				if v.keys[n] != key {
					continue
				}
				if end := v.entries[n].matchAt(s, i, inName); end > 0 {
					hits = append(hits, wordHit{i, end, n})
				}
			}
		}
		for i++; c < 0x80 && i < to && s[i] >= 'a' && s[i] <= 'z'; {
			i++ // a small letter after a letter does not begin a word
		}
		for c >= 0xc3 && i < len(s) && s[i] >= 0x80 && s[i] < 0xc0 {
			i++
		}
	}
	return hits
}

// noteStart adds the first letters of a vocable, also those of its parts at a hump or at a missing space.
func (v *vocabulary) noteStart(word string) {
	letters := strings.ReplaceAll(word, " ", "") + "\x00\x00"
	for n := 1; n <= min(3, len(word)); n++ {
		if n == 3 || n == len(word) || word[n] == ' ' {
			var cut [3]byte
			copy(cut[:], letters[:n])
			v.addStart(startOf(cut[0], cut[1], cut[2]))
		}
	}
	v.addStart(startOf(letters[0], letters[1], letters[2]))
}

func (v *vocabulary) addStart(n uint32)      { v.starts[n/32] |= 1 << (n % 32) }
func (v *vocabulary) hasStart(n uint32) bool { return v.starts[n/32]&(1<<(n%32)) != 0 }

// mayStart reports whether a vocable has the first letters of the word at s[i].
func (v *vocabulary) mayStart(s string, i int) bool {
	if i+2 >= len(s) || (s[i]|s[i+1]|s[i+2]) >= 0x80 {
		return true
	}
	return v.hasStart(startOf(s[i], s[i+1], s[i+2]))
}

// isWordByte reports whether a letter after c does not begin a word.
func isWordByte(c byte) bool { return isLetter(c) || c >= 0x80 }

// inName returns the tags that the name of a member announces.
func (v *vocabulary) inName(name string) (tags tagSet) {
	if len(name) > 80 {
		name = name[:80]
	}
	for _, h := range v.scan(nil, name, 0, len(name), true) {
		tags.merge(&v.entries[h.entry].tags)
	}
	return tags
}
