package text

import (
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"
)

// ViewKind names a way of reading a part.
type ViewKind string

// The views.
const (
	Raw    ViewKind = "raw"
	Normal ViewKind = "normal"
)

// View is a part's text under one reading.
type View struct {
	Kind ViewKind
	Text string
}

// Views lists the readings of s: always the raw one, and the normal one where
// it differs.
func Views(s string) []View {
	views := []View{{Raw, s}}
	if n := NormalForm(s); n != s {
		views = append(views, View{Normal, n})
	}
	return views
}

// NormalForm is s in Unicode normalisation form KC without format characters
// (category Cf) and variation selectors. Case is kept.
func NormalForm(s string) string {
	if isASCII(s) {
		return s
	}
	return norm.NFKC.String(strings.Map(func(r rune) rune {
		if r >= 0x80 && (unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r)) {
			return -1
		}
		return r
	}, s))
}

// Folded is the form in which reformatted text is compared: normal form, lower
// case, white space runs as one space, none at the ends (spec-027, FR-012).
func Folded(s string) string {
	n := NormalForm(s)
	if !isASCII(n) {
		return strings.Join(strings.Fields(strings.ToLower(n)), " ")
	}
	out := make([]byte, 0, len(n))
	gap := false
	for i := 0; i < len(n); i++ {
		c := n[i]
		switch {
		case c == ' ' || c >= '\t' && c <= '\r':
			gap = len(out) > 0
			continue
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		}
		if gap {
			out, gap = append(out, ' '), false
		}
		out = append(out, c)
	}
	return string(out)
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// Quote is s as a JSON string, for reading it as a document of its own.
func Quote(s string) []byte {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil { // invalid UTF-8 is replaced by U+FFFD
		b, _ = jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\uFFFD"))
	}
	return b
}
