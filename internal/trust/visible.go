package trust

import (
	"fmt"
	"strings"
	"unicode"
)

// Visible returns s in a readable form: characters that are invisible, move the cursor or change
// the writing direction are replaced by their number.
func Visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t' || r == ' ':
			b.WriteRune(r)
		case r == 0x1b:
			b.WriteString("⟦ESC⟧")
		case !unicode.IsPrint(r) || unicode.Is(unicode.Variation_Selector, r) || blank(r):
			fmt.Fprintf(&b, "⟦U+%04X⟧", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// blank reports whether r is classified as a letter but has no visible shape, or is a space that no
// keyboard produces.
func blank(r rune) bool {
	switch r {
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x2800, 0x3164, 0xffa0:
		return true
	}
	return unicode.IsSpace(r)
}
