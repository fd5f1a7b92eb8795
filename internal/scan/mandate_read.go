package scan

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// roleToken is a word of a passage with its roles.
type roleToken struct {
	role
	start, end int  // bytes of the text
	comma      bool // a comma, a dash or a bracket precedes it
	stop       bool // a colon, a semicolon or the beginning of a line or a sentence precedes it
	semicolon  bool
	sentence   int
}

// The maximum extent of a passage, in bytes: before and after the word for a machine.
const (
	passageBefore = 240
	passageAfter  = 480
)

// passageStart returns the beginning of the sentence that contains i.
func passageStart(t string, i int) int {
	from := max(0, i-passageBefore)
	for j := i; j > from; j-- {
		if t[j-1] == '\n' && !wrapped(t, j) || endsSentence(t, j-1) {
			return j
		}
	}
	for from < i && !utf8.RuneStart(t[from]) {
		from++
	}
	return from
}

// passageEnd returns the end of the given number of sentences from i on, within the paragraph.
func passageEnd(t string, i, sentences int) int {
	to := min(len(t), i+passageAfter)
	for j := i; j < to; j++ {
		if t[j] == '\n' && (!wrapped(t, j+1) || j+1 < to && t[j+1] == '\n') {
			return j
		}
		if endsSentence(t, j) {
			if sentences--; sentences == 0 {
				return j + 1
			}
		}
	}
	for to < len(t) && !utf8.RuneStart(t[to]) {
		to++
	}
	return to
}

// wrapped reports whether the line that begins at i continues the sentence of the line before it.
func wrapped(t string, i int) bool {
	line := strings.TrimLeft(t[i:min(len(t), i+12)], " \t/#*")
	if line == "" || line[0] < 'a' || line[0] > 'z' {
		return false
	}
	return i-2 >= 0 && !strings.ContainsRune(".:;!?\n>}", rune(t[i-2]))
}

// endsSentence reports whether the character at j ends a sentence.
func endsSentence(t string, j int) bool {
	switch t[j] {
	case '!', '?':
		return true
	case '.':
		return j+1 == len(t) || strings.IndexByte(" \n\t\"')<", t[j+1]) >= 0
	case 0x82: // the last byte of 。
		return strings.HasSuffix(t[:j+1], "。")
	case 0xA4: // the last byte of the danda
		return strings.HasSuffix(t[:j+1], "।")
	}
	return false
}

// tokens reads the words of t from start to end.
func (w *roleWords) tokens(t string, start, end int, into []roleToken) []roleToken {
	next := roleToken{stop: true}  // the signs before the next word
	words := make([]string, 0, 64) // the folded words; "" for addresses and characters
	add := func(r role, from, to int, word string) {
		next.role = r
		next.start, next.end = from, to
		into, words = append(into, next), append(words, word)
		next = roleToken{sentence: next.sentence}
	}
	for i := start; i < end; {
		c, size := utf8.DecodeRuneInString(t[i:end])
		switch {
		case isIdeograph(c):
			n, r := w.character(t[i:end])
			if r != 0 {
				add(r, i, i+n, "")
			}
			size = n
		case unicode.IsLetter(c) || unicode.IsDigit(c) || c == '.' && dotted(t, i, end):
			j, address := wordEnd(t, i, end)
			if address {
				add(roleAddress, i, j, "")
			} else {
				add(0, i, j, foldRole(t[i:j]))
			}
			size = j - i
		case strings.ContainsRune(",、，–—(", c), c == '-' && i > start && t[i-1] == ' ':
			next.comma = true
		case c == ';', c == '；':
			next.stop, next.semicolon = true, true
		case strings.ContainsRune(":：\n\"“„«[{=>", c):
			next.stop = true
		case endsSentence(t, i+size-1):
			next.sentence++
			next.stop = true
		}
		i += size
	}
	l := w.language(words)
	for i, word := range words {
		if word != "" {
			into[i].role = l.of(word) | w.all.of(word)
			l.joined(into[:i+1], words[:i+1])
			w.all.joined(into[:i+1], words[:i+1])
		}
	}
	return into
}

// dotted reports whether a name such as .env begins at i.
func dotted(t string, i, end int) bool {
	return i+1 < end && kinds[t[i+1]] == letter && (i == 0 || kinds[t[i-1]] != letter && kinds[t[i-1]] != digit)
}

// wordEnd returns the end of the word at i, and whether it is an address.
func wordEnd(t string, i, end int) (int, bool) {
	j := i
	for j < end && kinds[t[j]] == letter {
		j++
	}
	if j > i && (j == end || kinds[t[j]] == space) {
		return j, false
	}
	for j < end {
		c, size := utf8.DecodeRuneInString(t[j:end])
		inner := j > i && j+size < end && strings.ContainsRune("@./:_-+%?&", c) && !unicode.IsSpace(rune(t[j+1])) ||
			j == i && c == '.' || c == '\u200c'
		if isIdeograph(c) || !inner && !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c) {
			break
		}
		j += size
	}
	word := t[i:j]
	at := strings.IndexByte(word, '@')
	if at > 0 && strings.IndexByte(word[at:], '.') > 0 || strings.Contains(word, "://") || strings.HasPrefix(word, "www.") {
		return j, true
	}
	if strings.Count(word, ".") == 3 && strings.Trim(word, "0123456789.:") == "" {
		return j, true // an IPv4 address
	}
	// Other signs end the word, except a hyphen: ki-assistent, e-mail.
	if n := strings.IndexAny(word[1:], "@./:_+%?&"); n >= 0 {
		return i + 1 + n, false
	}
	return j, false
}

// character returns the length and the roles of the longest word at the beginning of t, in a script without spaces.
func (w *roleWords) character(t string) (int, role) {
	_, size := utf8.DecodeRuneInString(t)
	length, roles := size, role(0)
	for j, n := size, 1; n <= w.longest; n++ {
		if r, ok := w.chars[t[:j]]; ok {
			length, roles = j, r
		}
		if j == len(t) {
			break
		}
		_, next := utf8.DecodeRuneInString(t[j:])
		j += next
	}
	return length, roles
}
