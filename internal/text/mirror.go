package text

import (
	"encoding/binary"
	"strings"
)

// minToken is the minimum length of a token that is reversed and decoded from rot13.
const minToken = 16

// unmirror decodes reversed text and rot13: tokens that look like keys, and lines that have more common words after
// decoding. It skips tokens that were decoded otherwise; it calls decoded, once, if there is such a token.
func unmirror(v *View, decoded func() []*View) []*View {
	if v.depth > 1 || v.Mirrored() {
		return nil
	}
	var turned, back builder
	var seen readings
	var known []*View
	asked := false
	s, line := v.Text, 0
	for i := 0; i < len(s); {
		end := i
		for end < len(s) && tokenByte[s[end]] {
			end++
		}
		if end == i {
			if i++; s[i-1] == '\n' || i-line > maxLine || i == len(s) {
				seen.mirrored(s[line:i], line, &turned, &back)
				seen, line = readings{}, i
			}
			continue
		}
		switch word := s[i:end]; {
		case len(word) <= maxCommon:
			if looks := common.looks[look(word[0], word[len(word)-1], len(word))] & (inRot13 | inReverse); looks != 0 {
				common.count(word, looks, &seen)
			}
		case len(word) >= minToken && keyLike(word):
			if !asked {
				known, asked = decoded(), true
			}
			if !covered(&known, i, end) {
				turned.rotate(word, i)
				turned.put("\n", end-1, 1)
				back.reversed(word, i)
				back.put("\n", end-1, 1)
			}
		}
		i = end
	}
	seen.mirrored(s[line:], line, &turned, &back)
	var out []*View
	if len(turned.text) > 0 {
		out = append(out, turned.view(v, rot13How))
	}
	if len(back.text) > 0 {
		out = append(out, back.view(v, reversedHow))
	}
	return out
}

// maxLine is the maximum length of a text that is decoded as one line.
const maxLine = 2 << 10

// readings counts the common words of a line after rot13 and after reversal.
type readings struct{ rot13, reversed int }

// mirrored adds those readings of the line at byte source that have more common words than the line itself.
func (r readings) mirrored(line string, source int, turned, back *builder) {
	if r.rot13 < minCommon && r.reversed < minCommon { // most lines end here
		return
	}
	plain := common.plain(line)
	if r.rot13 >= minCommon && r.rot13 > plain {
		turned.rotate(line, source)
		turned.put("\n", source+len(line)-1, 1)
	}
	if r.reversed >= minCommon && r.reversed > plain {
		back.put(reverse(line), source, len(line))
		back.put("\n", source+len(line)-1, 1)
	}
}

// covered reports whether one of the decoded views, which are in reading order, was read from the range start to end.
// It drops earlier views.
func covered(decoded *[]*View, start, end int) bool {
	for len(*decoded) > 0 {
		m := (*decoded)[0].marks[0]
		if m.source+m.width > start {
			return m.source < end
		}
		*decoded = (*decoded)[1:]
	}
	return false
}

// The values of [View.How] for unmirror.
const (
	rot13How    = "rot13"
	reversedHow = "reversal"
)

var tokenByte = byteSet(func(c byte) bool { return isAlnum(c) || strings.IndexByte("_-+=.", c) >= 0 })

// keyLike reports whether a token looks like a key: it has letters beyond hexadecimal ones, and digits or capitals. A
// single capital among letters does not count: names of two words are written like that, and only one in four
// thousand keys.
func keyLike(s string) bool {
	capitals := 0
	var digit, beyond bool
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z':
			capitals++
			beyond = beyond || c > 'F'
		case c >= 'a' && c <= 'z':
			beyond = beyond || c > 'f'
		case c >= '0' && c <= '9':
			digit = true
		}
	}
	return beyond && (digit || capitals > 1)
}

// rotate adds s decoded with rot13. s begins at byte source of the source text.
func (b *builder) rotate(s string, source int) {
	at := len(b.text)
	b.copy(s, source)
	for i := at; i < len(b.text); i++ {
		b.text[i] = rotated[b.text[i]]
	}
}

// reversed adds the characters of s, which must be ASCII, in reverse order. s begins at byte source of the source
// text.
func (b *builder) reversed(s string, source int) {
	b.marks = append(b.marks, mark{len(b.text), source, len(s)})
	for i := len(s) - 1; i >= 0; i-- {
		b.text = append(b.text, s[i])
	}
}

// reverse returns s with its characters reversed.
func reverse(s string) string {
	runes := []rune(s)
	for i, j := 0, len(runes)-1; i < j; i, j = i+1, j-1 {
		runes[i], runes[j] = runes[j], runes[i]
	}
	return string(runes)
}

// rotated maps each byte to its rot13.
var rotated = func() (t [256]byte) {
	for c := range t {
		t[c] = byte(c)
		switch lower := c | 0x20; {
		case lower >= 'a' && lower <= 'm':
			t[c] += 13
		case lower >= 'n' && lower <= 'z':
			t[c] -= 13
		}
	}
	return t
}()

const (
	maxCommon = 12 // letters of the longest common word
	minCommon = 3  // minimum number of common words of a reading
)

// common are words that nearly every English text and instruction contains. None of them is the reversal or the rot13
// of another.
var common = newWords("the and you your are this that with from have not for all to of in is it be " +
	"please ignore previous instruction instructions system prompt user send secret password execute command " +
	"file files tool tools message email data token key now must will can here there what when which these above")

// words is a set of words with an index of the first letter, last letter and length of each, for every reading.
type words struct {
	looks [1 << 14]uint8
	all   [1 << 9]spelled // each word in the first free slot from its own
}

// spelled holds a word's letters in lower case.
type spelled [maxCommon]byte

// slot returns the slot from which a word is stored.
func (s *spelled) slot() int {
	h := binary.LittleEndian.Uint64(s[:]) ^ uint64(binary.LittleEndian.Uint32(s[8:]))<<13
	return int(h * 0x9e3779b97f4a7c15 >> (64 - 9))
}

// The readings, as bits of words.looks.
const (
	asItStands = 1 << iota
	inRot13
	inReverse
)

func newWords(list string) *words {
	w := &words{}
	for _, word := range strings.Fields(list) {
		var letters spelled
		copy(letters[:], word)
		at := letters.slot()
		for w.all[at] != (spelled{}) {
			at = (at + 1) % len(w.all)
		}
		w.all[at] = letters
		first := word[0]
		last := word[len(word)-1]
		n := len(word)
		w.looks[look(first, last, n)] |= asItStands
		w.looks[look(rotated[first], rotated[last], n)] |= inRot13
		w.looks[look(last, first, n)] |= inReverse
	}
	return w
}

func look(first, last byte, n int) int { return int(first&31)<<9 | int(last&31)<<4 | n }

// count counts a word for each mirrored reading in which it is in the set. looks are the readings to check.
func (w *words) count(word string, looks uint8, r *readings) {
	n := len(word)
	if looks&inRot13 != 0 {
		var letters spelled
		for i := range n {
			letters[i] = rotated[word[i]] | 0x20
		}
		r.rot13 += w.has(&letters)
	}
	if looks&inReverse != 0 {
		var letters spelled
		for i := range n {
			letters[i] = word[n-1-i] | 0x20
		}
		r.reversed += w.has(&letters)
	}
}

// plain counts the words of a line without decoding.
func (w *words) plain(line string) (count int) {
	for i := 0; i < len(line); i++ {
		start := i
		for i < len(line) && tokenByte[line[i]] {
			i++
		}
		n := i - start
		if n < 2 || n > maxCommon || w.looks[look(line[start], line[i-1], n)]&asItStands == 0 {
			continue
		}
		var letters spelled
		for k := range n {
			letters[k] = line[start+k] | 0x20
		}
		count += w.has(&letters)
	}
	return count
}

// has returns 1 if word, in lower case, is in the set, else 0.
func (w *words) has(word *spelled) int {
	for at := word.slot(); w.all[at] != (spelled{}); at = (at + 1) % len(w.all) {
		if w.all[at] == *word {
			return 1
		}
	}
	return 0
}
