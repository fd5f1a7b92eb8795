package scan

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible replaces invisible characters of s by marks such as ⟦ESC[31m⟧ or ⟦U+202E⟧: terminal escape codes, controls
// of writing direction, tag characters and others. Characters that belong to a visible character stay: emoji
// sequences, variation selectors after a character that takes one, joiners within words of scripts that join letters,
// and the flags of regions.
func Visible(s string) string {
	first := firstInvisible(s)
	if first == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + len(s)/8)
	v := viewer{text: s}
	for i := 0; i < len(s); {
		c, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case c == '\x1b':
			end, _ := sequence(s, i)
			showEscape(&b, s[i:end])
			size = end - i
			v.forget()
		case isInvisible(c) && !(c == 0xfeff && i == 0) && !v.takes(c, s[i+size:]):
			fmt.Fprintf(&b, "⟦U+%04X⟧", c)
			v.forget()
		default:
			if c == 0x1f3f4 { // a black flag, possibly of a region
				size += flagTags(s[i+size:])
			}
			b.WriteString(s[i : i+size])
			v.saw(c)
		}
		i += size
	}
	return b.String()
}

// Deceives reports whether s contains characters that a terminal obeys or that change the direction of text, so that
// people see something different.
func Deceives(s string) bool {
	if strings.IndexByte(s, '\x1b') >= 0 {
		return true
	}
	return strings.ContainsFunc(s, func(c rune) bool {
		return c == 0x9b || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069 || c >= 0xe0020 && c <= 0xe007f
	})
}

// firstInvisible returns the position of the first character that may have to be replaced.
func firstInvisible(s string) int {
	for i := 0; i < len(s); {
		if c := s[i]; c < 0x80 {
			if c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == 0x7f {
				return i
			}
			i++
			continue
		}
		c, size := utf8.DecodeRuneInString(s[i:])
		if isInvisible(c) {
			return i
		}
		i += size
	}
	return len(s)
}

// showEscape writes an escape code as a mark.
func showEscape(b *strings.Builder, code string) {
	b.WriteString("⟦ESC")
	for _, c := range code[1:] {
		if c < ' ' || c == '⟦' || c == '⟧' || c == utf8.RuneError || isInvisible(c) {
			fmt.Fprintf(b, "U+%04X", c)
			continue
		}
		b.WriteRune(c)
	}
	b.WriteString("⟧")
}

// isInvisible reports whether c is invisible and not white space that text needs.
func isInvisible(c rune) bool {
	switch {
	case c < ' ':
		return c != '\n' && c != '\t' && c != '\r'
	case c < 0x7f:
		return false
	case c < 0xa0:
		return true
	}
	return unicode.Is(unicode.Cf, c) && !isSeenFormat(c) || unicode.Is(unicode.Variation_Selector, c) ||
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, c)
}

// isSeenFormat reports whether a format character is visible, like the number signs of Arabic and Kaithi.
func isSeenFormat(c rune) bool {
	return c >= 0x600 && c <= 0x605 || c == 0x6dd || c == 0x70f || c == 0x890 || c == 0x891 || c == 0x8e2 ||
		c == 0x110bd ||
		c == 0x110cd ||
		c >= 0x13430 && c <= 0x1343f
}

// viewer holds the state about the last visible character.
type viewer struct {
	text    string
	last    rune
	letter  rune // the last letter
	dressed bool // it has its variation selector
	joined  bool // a joiner or a mark of direction already follows it
	open    int  // isolates of another direction that are not closed
	rtl     int8 // whether the text contains right-to-left letters: 0 unknown, 1 yes, -1 no
}

func (v *viewer) saw(c rune) {
	switch {
	case unicode.Is(unicode.Variation_Selector, c):
		v.dressed = true
	case c == 0x200c || c == 0x200d || isDirectionMark(c):
		v.joined = true
	case c >= 0x2066 && c <= 0x2068:
		v.open++
	case c == 0x2069:
		v.open--
	default:
		v.last = c
		v.dressed = false
		v.joined = false
		if unicode.IsLetter(c) {
			v.letter = c
		}
	}
}

// forget makes following characters belong to no visible character.
func (v *viewer) forget() {
	v.last = 0
	v.dressed = false
	v.joined = false
}

func isDirectionMark(c rune) bool { return c == 0x200e || c == 0x200f || c == 0x061c }

// bidirectional reports whether the text contains right-to-left letters.
func (v *viewer) bidirectional() bool {
	if v.rtl == 0 {
		v.rtl = -1
		if strings.ContainsFunc(v.text, isRightToLeft) {
			v.rtl = 1
		}
	}
	return v.rtl > 0
}

// maxIsolated is the maximum length of an isolate, in bytes.
const maxIsolated = 256

// turns reports whether text in two directions needs a control of direction: a mark at the end of a word, or a closed
// isolate that contains right-to-left letters or is among them. Other controls are never needed.
func (v *viewer) turns(c rune, next rune, after string) bool {
	switch {
	case !v.bidirectional():
		return false
	case isDirectionMark(c):
		return !v.joined &&
			(isRightToLeft(v.last) || isRightToLeft(next) || !unicode.IsLetter(v.last) || !unicode.IsLetter(next))
	case c == 0x2069:
		return v.open > 0
	}
	end := strings.Index(after[:min(len(after), maxIsolated)], "\u2069")
	switch {
	case v.open > 0 || end < 0:
		return false
	case strings.ContainsFunc(after[:end], isRightToLeft):
		return true
	}
	// A left-to-right name in a right-to-left text.
	return c != 0x2067 &&
		(isRightToLeft(v.letter) || isRightToLeft(firstLetter(after[end:min(len(after), end+maxIsolated)])))
}

// firstLetter returns the first letter of s, or 0.
func firstLetter(s string) rune {
	if i := strings.IndexFunc(s, unicode.IsLetter); i >= 0 {
		c, _ := utf8.DecodeRuneInString(s[i:])
		return c
	}
	return 0
}

// takes reports whether the invisible character c belongs to the visible one before it, or joins it with the
// following text.
func (v *viewer) takes(c rune, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	switch {
	case c == 0xfe0f || c == 0xfe0e:
		return !v.dressed && takesStyle(v.last)
	case unicode.Is(unicode.Variation_Selector, c):
		return !v.dressed && takesVariant(v.last)
	case c == 0x200d:
		return isPictograph(v.last) && isPictograph(next) || joins(v.last) && (joins(next) || unicode.IsMark(v.last))
	case c == 0x200c:
		return !v.joined && joins(v.last)
	case isDirectionMark(c) || c >= 0x2066 && c <= 0x2069:
		return v.turns(c, next, after)
	case c == 0x180e:
		return unicode.Is(unicode.Mongolian, v.last)
	case c == 0x200b: // a possible line break in Thai
		return unbroken(v.last) && unbroken(next)
	case c == 0x00ad: // a possible hyphenation
		return unicode.IsLetter(v.last) && unicode.IsLetter(next)
	}
	return false
}

// takesStyle reports whether a character has a text and an emoji presentation.
func takesStyle(c rune) bool {
	return isPictograph(c) || c == '#' || c == '*' || c >= '0' && c <= '9' || c == 0xa9 || c == 0xae ||
		c == 0x203c || c == 0x2049 || c == 0x2122 || c == 0x2139 || c == 0x3030 || c == 0x303d || c == 0x3297 ||
		c == 0x3299
}

// takesVariant reports whether a character has standardised variants.
func takesVariant(c rune) bool {
	return unicode.In(c, unicode.Han, unicode.Mongolian, unicode.Myanmar) || c >= 0x2200 && c <= 0x22ff
}

// isPictograph reports whether c is an emoji or a part of one.
func isPictograph(c rune) bool {
	return c >= 0x1f000 && c <= 0x1faff || c >= 0x2190 && c <= 0x23ff || c >= 0x25a0 && c <= 0x27bf ||
		c >= 0x2900 && c <= 0x297f ||
		c >= 0x2b00 && c <= 0x2bff
}

// joins reports whether c is a letter or mark of a script that changes adjacent letters, such as Arabic and the
// scripts of India.
func joins(c rune) bool {
	return (unicode.IsLetter(c) || unicode.IsMark(c)) &&
		unicode.In(
			c,
			unicode.Arabic,
			unicode.Syriac,
			unicode.Nko,
			unicode.Mongolian,
			unicode.Devanagari,
			unicode.Bengali,
			unicode.Gurmukhi,
			unicode.Gujarati,
			unicode.Oriya,
			unicode.Tamil,
			unicode.Telugu,
			unicode.Kannada,
			unicode.Malayalam,
			unicode.Sinhala,
			unicode.Tibetan,
			unicode.Myanmar,
			unicode.Khmer,
		)
}

func isRightToLeft(c rune) bool {
	return unicode.In(c, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko)
}

// unbroken reports whether c belongs to a script without spaces between words.
func unbroken(c rune) bool {
	return unicode.In(c, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// flagTags returns the length of the tags at the beginning of s, if they encode a regional flag: three to six letters
// and digits, then the end tag.
func flagTags(s string) int {
	n, letters := 0, 0
	for n < len(s) {
		c, size := utf8.DecodeRuneInString(s[n:])
		n += size
		switch {
		case c >= 0xe0061 && c <= 0xe007a || c >= 0xe0030 && c <= 0xe0039:
			letters++
		case c == 0xe007f && letters >= 3 && letters <= 6:
			return n
		default:
			return 0
		}
	}
	return 0
}

// Unseen calls yield for every character of s that [Visible] would replace by a mark, and for every private
// character.
func Unseen(s string, yield func(at int, c rune)) {
	v := viewer{text: s}
	for i := 0; i < len(s); {
		c, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case isInvisible(c) && !(c == 0xfeff && i == 0) && !v.takes(c, s[i+size:]),
			unicode.Is(unicode.Co, c) && c != 0xf8ff: // a logo in the fonts of one manufacturer
			yield(i, c)
			v.forget()
		default:
			if c == 0x1f3f4 { // a black flag, possibly of a region
				size += flagTags(s[i+size:])
			}
			v.saw(c)
		}
		i += size
	}
}

// Stripped removes the characters that [Visible] would replace by marks, and private characters. The result is
// unchanged by another call.
func Stripped(s string) string {
	for range maxStrips {
		next := strip(s)
		if next == s {
			return s
		}
		s = next
	}
	return strings.Map(func(c rune) rune { // neighbours that repeatedly lose the character to which they belonged
		if isInvisible(c) || unicode.Is(unicode.Co, c) {
			return -1
		}
		return c
	}, s)
}

// maxStrips is the maximum number of passes over characters whose neighbours were removed.
const maxStrips = 4

// strip returns one pass of [Stripped].
func strip(s string) string {
	var b strings.Builder
	from := 0 // end of the part that was processed
	for i := 0; i < len(s); {
		next := strings.IndexByte(s[i:], '\x1b')
		if next < 0 {
			break
		}
		end, _ := sequence(s, i+next)
		b.WriteString(s[from : i+next])
		i, from = end, end
	}
	if from > 0 {
		b.WriteString(s[from:])
		s = b.String()
		b.Reset()
		from = 0
	}
	Unseen(s, func(at int, c rune) {
		b.WriteString(s[from:at])
		from = at + utf8.RuneLen(c)
	})
	if s[:min(len(s), 3)] == "\ufeff" && from == 0 {
		return s[3:]
	}
	if from == 0 {
		return s
	}
	b.WriteString(s[from:])
	return b.String()
}
