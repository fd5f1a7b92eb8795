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
	if n := NormalForm(s); n != s {
		return []View{{Raw, s}, {Normal, n}}
	}
	return []View{{Raw, s}}
}

// Views lists the readings of p.
func (p Part) Views() []View {
	if p.ascii {
		return []View{{Raw, p.Text}}
	}
	return Views(p.Text)
}

// Normal is the normal form of p.
func (p Part) Normal() string {
	if p.ascii {
		return p.Text
	}
	return NormalForm(p.Text)
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
	out := make([]byte, len(n))
	end, gap := 0, false
	for i := 0; i < len(n); i++ {
		c := folds[n[i]]
		if c == 0 {
			gap = end > 0
			continue
		}
		if gap {
			out[end] = ' '
			end++
			gap = false
		}
		out[end] = c
		end++
	}
	return string(out[:end])
}

// folds is each ASCII byte in lower case; 0 for white space and NUL.
var folds = func() (table [256]byte) {
	for c := range table {
		switch {
		case c == ' ' || c >= '\t' && c <= '\r':
		case c >= 'A' && c <= 'Z':
			table[c] = byte(c) + 'a' - 'A'
		default:
			table[c] = byte(c)
		}
	}
	return table
}()

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
