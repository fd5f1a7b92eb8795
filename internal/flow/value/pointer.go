package value

import (
	"strings"

	"mcpproxy/internal/flow/model"
	"mcpproxy/internal/text"
)

// Joints are the characters that join the parts of references. A word without them can only be a reference if it is a
// hash.
var Joints = [256]bool{
	'.':  true,
	'/':  true,
	'\\': true,
	'-':  true,
}

// LeastHash is the minimum length of a hash.
const LeastHash = 32

// Reference returns the length of the reference at the beginning of a word: a UUID, a hash, a date, a DOI, a host or a
// path. It returns 0 for other words.
func Reference(w string) int {
	w = strings.TrimRight(w, ".:!?")
	if i := strings.Index(w, "//"); i == 0 || i > 0 && w[i-1] == ':' { // a whole URL without its query
		if end := strings.IndexAny(w[i:], "?#"); end >= 0 {
			return i + end
		}
		return len(w)
	}
	switch {
	case isUUID(w), isHash(w), isDate(w), isDOI(w):
		return len(w)
	case strings.IndexByte(w, '/') >= 0 || strings.IndexByte(w, '\\') >= 0:
		return path(w)
	case strings.IndexByte(w, '.') > 0 && strings.IndexByte(w, '@') < 0 && Wordy(w):
		return len(w)
	}
	return 0
}

// path returns the length of the path at the beginning of w: the first segments that are words or hashes.
func path(w string) int {
	length := 0
	for i := 0; i <= len(w); i++ {
		if i < len(w) && strings.IndexByte("/\\?#", w[i]) < 0 {
			continue
		}
		if segment := w[length:i]; !Wordy(segment) && !isHash(segment) {
			return length
		}
		if length = min(i+1, len(w)); i == len(w) || w[i] == '?' || w[i] == '#' {
			return i
		}
	}
	return length
}

func isUUID(w string) bool {
	if len(w) != 36 {
		return false
	}
	for i := 0; i < len(w); i++ {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (w[i] == '-') || !dash && !isHex(w[i]) {
			return false
		}
	}
	return true
}

// isHash reports whether w has the length of an MD5 hash, a git object name or a SHA hash.
func isHash(w string) bool {
	if n := len(w); n != LeastHash && n != 40 && n != 64 {
		return false
	}
	for i := 0; i < len(w); i++ {
		if !isHex(w[i]) {
			return false
		}
	}
	return true
}

// isDOI reports whether w is a DOI (ISO 26324), which identifies a publication and is no secret: "10.", the number of
// a registrant, a slash and a short name.
func isDOI(w string) bool {
	registrant, name, ok := strings.Cut(strings.TrimPrefix(w, "10."), "/")
	return ok && len(registrant) >= 4 && len(registrant) <= 9 && len(registrant)+len("10./")+len(name) == len(w) &&
		digitRun(registrant) == len(registrant) && name != "" && len(name) <= maxDOIName
}

// maxDOIName is the maximum length of the name after the slash of a DOI, in bytes.
const maxDOIName = 40

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

// isDate reports whether w is an ISO 8601 date, with or without a time.
func isDate(w string) bool {
	if len(w) < 10 || w[4] != '-' || w[7] != '-' {
		return false
	}
	for i := 0; i < len(w); i++ {
		if c := w[i]; (c < '0' || c > '9') && strings.IndexByte("-TtZz:.+", c) < 0 {
			return false
		}
	}
	return true
}

// Wordy reports whether w consists of words, as paths do. Random text has more information a letter than any language.
func Wordy(w string) bool {
	if len(w) > maxSegment {
		return false
	}
	var letters [maxSegment]byte
	var costs [maxSegment]float32
	skeleton := text.AppendLetters(letters[:0], w, nil)
	return len(skeleton) <= shortSegment || sum(model.Cost(skeleton, costs[:0])) <= wordyBits*float32(len(skeleton))
}

const (
	maxSegment   = 60
	shortSegment = 6   // letters of a segment that is too short to tell
	wordyBits    = 4.7 // bits a letter; words have 3.5, random text over 6
)

// IsMail reports whether s is an e-mail address.
func IsMail(s string) bool {
	at := strings.IndexByte(s, '@')
	return at > 0 && strings.IndexByte(s[at:], '.') > 0 && !strings.ContainsAny(s, "/?&=")
}
