package scan

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxEvidence is the maximum length of evidence, in characters.
const maxEvidence = 120

// evidence returns s[start:end] with some of the following text, safe to print: control, format and other invisible
// characters are escaped.
func evidence(s string, start, end int) string {
	for start > 0 && !utf8.RuneStart(s[start]) {
		start--
	}
	var b strings.Builder
	n, space := 0, false
	for i, r := range s[start:] {
		piece := printable(r)
		if piece == " " && space && start+i < end {
			continue
		}
		space = piece == " "
		size := utf8.RuneCountInString(piece)
		if n+size > maxEvidence-1 {
			b.WriteString("…")
			break
		}
		if start+i >= end && (r == '\n' || n > 60 && strings.ContainsRune(".!?", r)) {
			break
		}
		b.WriteString(piece)
		n += size
	}
	return strings.TrimSpace(b.String())
}

// printable returns r in printable form.
func printable(r rune) string {
	switch {
	case r == '\n' || r == '\t' || r == '\r' || r == ' ':
		return " "
	case r == utf8.RuneError,
		!unicode.IsGraphic(r),
		unicode.Is(unicode.Variation_Selector, r),
		unicode.Is(unicode.Co, r),
		unicode.Is(
			unicode.Zs,
			r,
		),
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r),
		unicode.Is(unicode.Mn, r) && r >= 0x300 && r <= 0x36f:
		return fmt.Sprintf("\\u{%X}", r)
	}
	return string(r)
}

// Printable returns s in printable form: control, format and other invisible characters are escaped, and line ends
// become spaces.
func Printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteString(printable(r))
	}
	return b.String()
}
