package main

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// build selects the characters of data that look like ASCII, adds those that data lacks, and sets the case of
// letters.
func build(data map[string]string) (map[rune]string, error) {
	table := map[rune]string{}
	for from, to := range data {
		if runes := []rune(from); len(runes) == 1 {
			add(table, runes[0], seen(runes[0], to))
		}
	}
	for r, to := range prototypes {
		add(table, r, to)
	}
	for r, to := range additions {
		add(table, r, to)
	}
	for _, a := range alphabets {
		for i, c := range a.ascii {
			add(table, a.first+rune(i), string(c))
		}
	}
	return table, addDigits(table)
}

// add adds one character, unless it is ASCII, resembles none, or is not in normal form because NFKC replaces it or
// NFD removes its accent.
func add(table map[rune]string, r rune, ascii string) {
	if r < 0x80 || ascii == "" || !isASCII(ascii) || norm.NFKC.String(string(r)) != string(r) ||
		norm.NFD.String(string(r)) != string(r) {
		return
	}
	table[r] = ascii
}

// addDigits maps each decimal digit of every script to the ASCII digit of the same value. People read a digit as its
// value even if it looks like another character.
func addDigits(table map[rune]string) error {
	digits := func(lo, hi, stride uint32) error {
		if stride != 1 || (hi-lo+1)%10 != 0 {
			return fmt.Errorf("the digits from %U to %U are not runs of ten", lo, hi)
		}
		for r := lo; r <= hi; r++ {
			add(table, rune(r), string('0'+rune((r-lo)%10)))
		}
		return nil
	}
	for _, run := range unicode.Nd.R16 {
		if err := digits(uint32(run.Lo), uint32(run.Hi), uint32(run.Stride)); err != nil {
			return err
		}
	}
	for _, run := range unicode.Nd.R32 {
		if err := digits(run.Lo, run.Hi, run.Stride); err != nil {
			return err
		}
	}
	return nil
}

// seen returns the ASCII text that people read when they see r, given the prototype of its lookalikes; "" if there is
// none.
// Strokes, hooks and accents are dropped. The data has one prototype for texts that only context distinguishes (l, I,
// 1 and |; m and rn), so the category of r decides.
func seen(r rune, prototype string) string {
	var b strings.Builder
	for _, c := range norm.NFD.String(prototype) {
		switch {
		case unicode.Is(unicode.Mn, c):
		case c < 0x80:
			b.WriteRune(c)
		case prototypes[c] != "":
			b.WriteString(prototypes[c])
		default:
			return ""
		}
	}
	s := b.String()
	if letters := strings.ReplaceAll(s, "'", ""); letters != "" && unicode.IsLetter(r) {
		s = letters // a lookalike of an apostrophe is a hook
	}
	switch {
	case s == "rn":
		s = "m"
	case s == "''":
		s = `"`
	case strings.Trim(s, "l") == "" && s != "":
		s = strings.ReplaceAll(s, "l", stroke(r))
	case unicode.IsLower(r):
		s = strings.ToLower(s)
	}
	return s
}

// capitalScripts are scripts without case whose letters look like capitals.
var capitalScripts = []*unicode.RangeTable{
	unicode.Lisu,
	unicode.Miao,
	unicode.Lycian,
	unicode.Lydian,
	unicode.Carian,
	unicode.Old_Italic,
	unicode.Runic,
	unicode.Tifinagh,
}

// stroke returns the reading of a character that is a plain vertical stroke.
func stroke(r rune) string {
	switch {
	case unicode.IsUpper(r), unicode.IsLetter(r) && unicode.In(r, capitalScripts...):
		return "I"
	case unicode.IsLetter(r):
		return "l"
	case unicode.IsNumber(r):
		return "1"
	}
	return "|"
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
