package flow

import (
	"crypto/sha256"
	"io"
	"regexp"
	"strings"

	"mcpproxy/internal/text"
)

// hash identifies a text: SHA-256, truncated to 128 bits (FR-011).
type hash [16]byte

func hashOf(s string) hash {
	sum := sha256.Sum256([]byte(s))
	return hash(sum[:16])
}

// match says how a hash was made; earlier ones tell more.
type match uint8

const (
	matchSecret match = iota
	matchFull
	matchField
	matchNormalized
	matchWord
)

func (m match) String() string {
	return [...]string{"secret", "full", "field", "normalized", "word"}[m]
}

// print is one hash of a document and where it came from.
type print struct {
	hash  hash
	match match
	part  int // index into Document.Parts; -1 for the whole document
	bytes int
	text  string // what was hashed, as it stands in the part; "" for the whole
}

// maxWords bounds the words taken from one text.
const maxWords = 2000

// prints hashes a document: the whole, its fields and their words.
func prints(doc *text.Document, minLength, maxBytes int) []print {
	out := make([]print, 0, 2*len(doc.Parts)+1)
	whole := sha256.New()
	taken, values, only := 0, 0, ""
	for i, p := range doc.Parts {
		if p.Kind != text.Value || taken > maxBytes {
			continue
		}
		s := p.Text[:min(len(p.Text), maxBytes-taken)]
		taken += len(p.Text)
		values, only = values+1, s
		_, _ = io.WriteString(whole, s)
		_, _ = whole.Write([]byte{0})
		normal := s
		if n := p.Normal(); n != p.Text {
			normal = text.NormalForm(s)
		}
		out = appendField(out, s, normal, i, doc.Field(p), minLength)
	}
	if taken >= minLength && (values > 1 || telling(strings.TrimSpace(only))) {
		out = append(out, print{hash(whole.Sum(nil)[:16]), matchFull, -1, taken, ""})
	}
	return out
}

// appendField hashes one text; normal is its normal form.
func appendField(out []print, s, normal string, part int, field string, minLength int) []print {
	if len(s) < minLength || addressing(field, s) {
		return out
	}
	t := strings.TrimSpace(s)
	if len(t) < minLength {
		return out
	}
	if telling(t) {
		out = append(out, print{hashOf(t), matchField, part, len(t), t})
		if f := text.Folded(t); f != t && len(f) >= minLength {
			out = append(out, print{hashOf(f), matchNormalized, part, len(t), t})
		}
	}
	n := 0
	for start, i := 0, 0; i <= len(normal) && n < maxWords; i++ {
		if i < len(normal) && !breaks[normal[i]] {
			continue
		}
		if i-start >= minLength {
			if word := normal[start:i]; telling(word) {
				out = append(out, print{hashOf(strings.ToLower(word)), matchWord, part, len(word), word})
				n++
			}
		}
		start = i + 1
	}
	return out
}

// breaks are the bytes that separate words; the characters of tokens and keys
// do not.
var breaks = func() (table [256]bool) {
	for c := range byte(' ' + 1) {
		table[c] = true
	}
	for _, c := range []byte("\"'<>()[]{},;:=|`") {
		table[c] = true
	}
	return table
}()

// shapes of texts that address something instead of being something.
var shapes = regexp.MustCompile(`^(?:` +
	`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}` + // UUID
	`|[0-9a-f]{40}|[0-9a-f]{64}` + // git and SHA-256 object names
	`|\d{4}-\d\d-\d\d[T ][0-9:.,+\-Zz ]+` + // ISO 8601
	`|[a-z][a-z0-9+.\-]*://[^\s?#]*` + // a URL without a query
	`|(?:[A-Za-z]:)?[/\\.~][^\s]*/[^\s]*` + // a path
	`|[\w.+\-]+@[\w\-]+(?:\.[\w\-]+)+` + // an e-mail address
	`)$`)

// addressFields are parameters that say where, not what.
var addressFields = map[string]bool{
	"to": true, "channel": true, "id": true, "owner": true, "repo": true, "path": true, "url": true, "uri": true,
	"file_path": true, "cwd": true, "branch": true, "ref": true, "sha": true, "cursor": true, "name": true,
}

// addressing reports whether a value only says where something is.
func addressing(field, s string) bool {
	return addressFields[strings.ToLower(field)] && !strings.ContainsAny(s, " \n\t")
}

// maxShape is the longest text that can be an address, and as much of a longer
// one as it takes to see that it tells something.
const maxShape = 512

// minBits is the information below which equality proves nothing.
const minBits = 60

// telling reports whether a text carries enough information to be recognised.
func telling(s string) bool {
	if len(s) <= maxShape && shapes.MatchString(s) {
		return false
	}
	return bits(s[:min(len(s), maxShape)]) >= minBits
}

// bits is a rough estimate of the information in s: 2.5 bits a character for
// running text, where repetition counts for nothing, and 3 for an unbroken word.
func bits(s string) float64 {
	var seen [256]bool
	distinct, changes, unbroken := 0, 0, true
	for i := 0; i < len(s); i++ {
		if !seen[s[i]] {
			seen[s[i]] = true
			distinct++
		}
		unbroken = unbroken && s[i] > ' '
		if i > 0 && s[i] != s[i-1] {
			changes++
		}
	}
	switch {
	case distinct < 6:
		return 0
	case unbroken:
		return 3 * float64(len(s))
	}
	return 2.5 * float64(changes+1)
}
