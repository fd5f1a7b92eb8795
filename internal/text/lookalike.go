package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// minLookalike is how long a word that holds no Latin letter must be to be taken
// for a Latin one: short words of other scripts look like Latin by chance.
const minLookalike = 5

// twins are letters that look exactly like Latin ones. A word without any Latin
// letter is read as Latin only when it is made of them alone.
const twins = "АВЕКМНОРСТУХІЈЅҮԚԜаеорсухіјѕһԁԛԝүӏ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονϳ" + "ՕՏօսյհոց"

// foldLookalikes replaces letters of other scripts by the ASCII letters they
// look like (Unicode Technical Standard 39), in words that then are ASCII
// throughout.
func foldLookalikes(s string) (builder, bool) {
	var b builder
	changed := false
	for at := 0; at < len(s); {
		n, foreign := word(s[at:])
		if n == 0 {
			_, size := utf8.DecodeRuneInString(s[at:])
			n = size
		}
		piece := s[at : at+n]
		if folded, ok := latin(piece); foreign && ok {
			changed = true
			for _, m := range folded.marks {
				m.at, m.source = m.at+len(b.text), m.source+at
				b.marks = append(b.marks, m)
			}
			b.text = append(b.text, folded.text...)
		} else {
			b.copy(piece, at)
		}
		at += n
	}
	return b, changed
}

// word is the length of the word that s begins with, and whether it holds
// anything but ASCII. Words go on over what joins the parts of a token.
func word(s string) (n int, foreign bool) {
	for n < len(s) {
		if s[n] < utf8.RuneSelf {
			if !isAlnum(s[n]) && strings.IndexByte("_-/+=.", s[n]) < 0 {
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

// latin spells a word with the ASCII letters it looks like; ok is false when
// it cannot, or when it rather is a word of its own script.
func latin(s string) (b builder, ok bool) {
	ascii, identical, letters := false, true, 0
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
		identical = identical && strings.ContainsRune(twins, r)
		b.put(like, at, utf8.RuneLen(r))
		letters++
	}
	return b, ascii || identical && letters >= minLookalike
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
