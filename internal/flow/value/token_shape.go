package value

import (
	"strings"

	"mcpproxy/internal/flow/model"
	"mcpproxy/internal/flow/table"
	"mcpproxy/internal/text"
)

const (
	minText     = 6   // minimum bytes of the skeleton of a text that is a value
	maxWordsOf  = 8   // maximum number of words of a text that is a value
	sentence    = 4   // number of common words from which a text is a sentence
	minKey      = 12  // minimum bytes of the skeleton of a word that can be recognised as random
	minAccount  = 12  // minimum number of digits of an account number
	maxAccount  = 48  // maximum bytes of an account number, with spaces
	randomBits  = 4.5 // information of a byte of random text
	namedSecret = 6   // minimum bytes of the skeleton of a secret that its name announces
)

// classify returns the class of a value by its name and its form. ok is false if v is not a single value. It may then
// contain values.
func classify(name, v string, skeleton []byte, named bool) (c class, ok bool) {
	n := len(skeleton)
	spaced := isSpaced(v)
	switch {
	case n < leastToken:
		return 0, false
	case !spaced && n >= namedSecret && secretName(name) && (mixed(skeleton) ||
		variegated(v)) && Reference(v) < len(v):
		return classKey, true
	case !spaced && IsMail(v):
		return classPersonal, true
	case !spaced && (Reference(v) == len(v) && !isDecimal(v) || isAddress(v)), pointerName(name):
		return pointer(v, skeleton), !spaced
	case isAccount(v), isPhone(name, v):
		return classPersonal, true
	}
	if num, size := readNumber(trimSign(v)); size > 0 && size == len(trimSign(v)) {
		return classNumber, num.hash != 0
	}
	switch {
	case !spaced && mixed(skeleton) && random(skeleton):
		if n >= minKey && variegated(v) {
			return classKey, true
		}
		return pointer(v, skeleton), true
	case n < minText || n > table.MaxToken:
		return 0, false
	case named:
		return classText, valueWords(v, skeleton)
	}
	return classText, !spaced && mixed(skeleton)
}

// isSpaced reports whether v has more than one word.
func isSpaced(v string) bool {
	for i := 0; i < len(v); i++ {
		if c := v[i]; c == ' ' || c == '\t' || c == '\n' {
			return true
		}
	}
	return false
}

// pointer returns the class of a reference. A name that consists of words identifies nothing, and neither does a day.
func pointer(v string, skeleton []byte) class {
	digits := 0
	for _, c := range skeleton {
		digits += b2i(IsDigit(c))
	}
	if isDate(v) && len(v) > len("2006-01-02T15:04") || isUUID(v) ||
		!isDate(v) && len(skeleton) >= minText && (digits >= 4 || random(skeleton)) {
		return classPointer
	}
	return classNothing
}

// variegated reports whether a word mixes capital and small letters irregularly. Keys do, but identifiers with a
// prefix do not.
func variegated(v string) bool {
	if i := strings.IndexByte(v, '_'); i >= 0 && i < 7 {
		return false
	}
	changes := 0
	for i := 1; i < len(v); i++ {
		a, b := v[i-1], v[i]
		changes += b2i(isUpper(a) != isUpper(b) && !IsDigit(a) && !IsDigit(b))
	}
	return changes*5 >= len(v)
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// valueWords reports whether v looks like a value and not like code or a sentence.
func valueWords(v string, skeleton []byte) bool {
	if strings.ContainsAny(v, "(){}[];=<>*\\$`") || model.Known(skeleton) {
		return false
	}
	var letters [maxCell]byte
	words, plain := 0, 0
	for w := range strings.FieldsSeq(v) {
		words++
		plain += b2i(model.Known(text.AppendLetters(letters[:0], w, nil)))
	}
	return words <= maxWordsOf && (words < sentence || plain < words)
}

// isDecimal reports whether v consists of digits, points and commas. A path or a host may have this form too.
func isDecimal(v string) bool { return strings.Trim(v, "0123456789.,") == "" }

// isAddress reports whether v is a URL or an IP address.
func isAddress(v string) bool {
	return strings.Contains(v, "://") || strings.Count(v, ".") == 3 && strings.Trim(v, "0123456789.") == ""
}

// isAccount reports whether v is the number of a bank account or a card: at most four letters, and then digits in any
// grouping.
func isAccount(v string) bool {
	digits, letters := 0, 0
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'A' && c <= 'Z':
			if letters++; letters > 6 || letters > 4 && digits < 2 {
				return false
			}
		case c != ' ' && c != '-':
			return false
		}
	}
	return digits >= minAccount && len(v) <= maxAccount
}

// isPhone reports whether v is a telephone number. It must begin with a plus sign or have a name that says so.
func isPhone(name, v string) bool {
	if !strings.HasPrefix(v, "+") && (name == "" || !containsAny(folded(name), phoneNames)) {
		return false
	}
	digits := 0
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case c >= '0' && c <= '9':
			digits++
		case strings.IndexByte("+-. ()/", c) < 0:
			return false
		}
	}
	return digits >= 8 && digits <= 15
}

// mixed reports whether a skeleton has letters and digits.
func mixed(skeleton []byte) bool {
	digits := 0
	for _, c := range skeleton {
		if c >= '0' && c <= '9' {
			digits++
		}
	}
	return digits > 0 && digits < len(skeleton)
}

// random reports whether letters and digits alternate in a way that words do not.
func random(skeleton []byte) bool {
	changes := 0
	for i := 1; i < len(skeleton); i++ {
		if IsDigit(skeleton[i]) != IsDigit(skeleton[i-1]) {
			changes++
		}
	}
	return changes*4 >= len(skeleton)-4 && information(skeleton) >= randomBits*float64(len(skeleton))
}

// information returns the information of a skeleton, in bits.
func information(skeleton []byte) float64 {
	var costs [table.MaxToken]float32
	bits := 0.0
	for _, c := range model.Cost(skeleton, costs[:0]) {
		bits += float64(c)
	}
	return bits
}
