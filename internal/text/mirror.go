package text

import (
	"encoding/binary"
	"strings"
)

// minToken is how long a token must be to be read backwards and in rot13.
const minToken = 16

// unmirror reads what was written backwards or in rot13: tokens that look like
// keys, and lines in which more common words appear that way than as they
// stand. Tokens that were decoded are not read again; decoded is asked, once, when
// there is such a token.
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

// maxLine is the length of text that is judged as one line.
const maxLine = 2 << 10

// readings count the common words of a line in rot13, and backwards.
type readings struct{ rot13, reversed int }

// mirrored adds the line, which stands at byte source, in the readings that make
// more sense than the line as it stands.
func (r readings) mirrored(line string, source int, turned, back *builder) {
	if r.rot13 < minCommon && r.reversed < minCommon { // as of most lines
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

// covered reports whether one of the views in decoded, which are in reading
// order, was read from what stands at start to end. It drops those that lie
// before.
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

// What unmirror does, in [View.How].
const (
	rot13How    = "rot13"
	reversedHow = "reversal"
)

var tokenByte = byteSet(func(c byte) bool { return isAlnum(c) || strings.IndexByte("_-+=.", c) >= 0 })

// keyLike reports whether a token has what keys have: letters beyond those of
// hexadecimal, and digits or capitals. One capital among nothing but letters is how
// names of two words are written, and of four thousand keys one.
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

// rotate adds s, which stands at byte source, in rot13.
func (b *builder) rotate(s string, source int) {
	at := len(b.text)
	b.copy(s, source)
	for i := at; i < len(b.text); i++ {
		b.text[i] = rotated[b.text[i]]
	}
}

// reversed adds s, which is ASCII and stands at byte source, backwards.
func (b *builder) reversed(s string, source int) {
	b.marks = append(b.marks, mark{len(b.text), source, len(s)})
	for i := len(s) - 1; i >= 0; i-- {
		b.text = append(b.text, s[i])
	}
}

// reverse is s backwards, character by character.
func reverse(s string) string {
	runes := []rune(s)
	for i, j := 0, len(runes)-1; i < j; i, j = i+1, j-1 {
		runes[i], runes[j] = runes[j], runes[i]
	}
	return string(runes)
}

// rotated is each byte in rot13.
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
	minCommon = 3  // common words that give a reading away
)

// common are words that English prose, and instructions in it, can hardly do
// without. None of them is another one backwards or in rot13.
var common = newWords("the and you your are this that with from have not for all to of in is it be " +
	"please ignore previous instruction instructions system prompt user send secret password execute command " +
	"file files tool tools message email data token key now must will can here there what when which these above")

// words is a set of words, and what is quickly seen of each: its first and last
// letter and its length, under every reading.
type words struct {
	looks [1 << 14]uint8
	all   [1 << 9]spelled // each word in the first free slot from its own
}

// spelled is a word's letters, in lower case.
type spelled [maxCommon]byte

// slot is where a word is kept, or a slot after it.
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

// count adds a word to the mirrored readings in which it is one of the words, of those
// under which it looks like one.
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

// plain counts the words of a line as it stands.
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

// has is 1 when word, in lower case, is one of the words.
func (w *words) has(word *spelled) int {
	for at := word.slot(); w.all[at] != (spelled{}); at = (at + 1) % len(w.all) {
		if w.all[at] == *word {
			return 1
		}
	}
	return 0
}
