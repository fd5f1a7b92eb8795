package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// minLookalike is the minimum length of a word without Latin letters that is read as Latin. Short words of other
// scripts can look like Latin by chance.
const minLookalike = 5

// homoglyphs are letters that look exactly like Latin ones. A word without Latin letters is read as Latin only if it
// consists of them.
const homoglyphs = "АВЕКМНОРСТУХІЈЅҮԚԜаеорсухіјѕһԁԛԝүӏ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονϳ" + "ՕՏօսյհոց"

// foldLookalikes replaces letters of other scripts by the ASCII letters that they look like (Unicode Technical
// Standard 39), in words that then are completely ASCII.
func foldLookalikes(s string) (builder, bool) {
	var b builder
	copied := 0 // of s
	for at, end := foreignWord(s, 0), 0; at < len(s); at = foreignWord(s, end) {
		n, foreign := word(s[at:])
		if end = at + n; n == 0 {
			_, size := utf8.DecodeRuneInString(s[at:])
			end = at + size
		}
		if !foreign {
			continue
		}
		if folded, ok := latin(s[at:end]); ok {
			b.copy(s[copied:at], copied)
			for _, m := range folded.marks {
				m.at, m.source = m.at+len(b.text), m.source+at
				b.marks = append(b.marks, m)
			}
			b.text = append(b.text, folded.text...)
			copied = end
		}
	}
	if copied == 0 {
		return b, false
	}
	b.copy(s[copied:], copied)
	return b, true
}

// foreignWord returns the start, not before byte from, of the word with the next non-ASCII character.
func foreignWord(s string, from int) int {
	at := from + asciiRun(s[from:])
	if at == len(s) {
		return at
	}
	for at > from && wordByte[s[at-1]] {
		at--
	}
	return at
}

// wordByte are the ASCII characters of words, including those that join the parts of a token.
var wordByte = byteSet(func(c byte) bool { return isAlnum(c) || strings.IndexByte("_-/+=.", c) >= 0 })

// word returns the length of the word at the beginning of s, and whether it contains non-ASCII characters.
func word(s string) (n int, foreign bool) {
	for n < len(s) {
		if s[n] < utf8.RuneSelf {
			if !wordByte[s[n]] {
				return n, foreign
			}
			n++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[n:])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r) && !unicode.IsSymbol(r) {
			return n, foreign
		}
		n += size
		foreign = true
	}
	return n, foreign
}

// latin replaces the letters of a word by ASCII lookalikes. ok is false if that is impossible, or if the word is
// probably a word of its own script.
func latin(s string) (b builder, ok bool) {
	ascii := false
	identical := true
	letters := 0
	for at, r := range s {
		if r < utf8.RuneSelf {
			b.copy(s[at:at+1], at)
			ascii = ascii || isAlnum(byte(r))
			letters++
			continue
		}
		like, known := confusable(r)
		if !known {
			return b, false
		}
		identical = identical && strings.ContainsRune(homoglyphs, r)
		b.put(like, at, utf8.RuneLen(r))
		letters++
	}
	return b, ascii || identical && letters >= minLookalike
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
