package text

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// longString is the length, in bytes, from which a string of JSON is read stretch by
// stretch.
const longString = 256

// meaning is what the string that tok stands for says.
func (w *walker) meaning(tok jsontext.Token) string {
	if quoted := w.raw[w.start+1 : w.end-1]; len(quoted) >= longString && (w.nested == 0 || utf8.Valid(quoted)) {
		if s, ok := unquoted(quoted); ok {
			return s
		}
	}
	return tok.String()
}

// unquoted is what stands between the quotation marks of a JSON string that is known
// to be valid, without its escapes. It is not ok where a character is escaped in two
// halves, which nobody does in a long text.
func unquoted(quoted []byte) (string, bool) {
	var b strings.Builder
	b.Grow(len(quoted))
	for {
		at := bytes.IndexByte(quoted, '\\')
		if at < 0 {
			b.Write(quoted)
			return b.String(), true
		}
		b.Write(quoted[:at])
		switch c := quoted[at+1]; c {
		case 'u':
			n, err := strconv.ParseUint(string(quoted[at+2:at+6]), 16, 16)
			if err != nil || utf16.IsSurrogate(rune(n)) {
				return "", false
			}
			b.WriteRune(rune(n))
			at += 4
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		default:
			b.WriteByte(c)
		}
		quoted = quoted[at+2:]
	}
}
