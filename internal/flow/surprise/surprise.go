package surprise

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpproxy/internal/flow/model"
	"mcpproxy/internal/text"
)

// The bits of one character of a random-looking token, by the kinds of characters in the token.
const (
	digitBits = 3.32
	hexBits   = 4
	lowerBits = 4.7
	alnumBits = 5.17
	mixedBits = 5.95
)

const (
	shortToken  = 3   // letters up to which any token can be a word
	shortBits   = 5   // bits of a token of at most shortToken letters
	knownBits   = 3   // bits of a known word
	yearBits    = 1   // bits of a year
	smallBits   = 2   // bits of a number of one or two digits
	nameBits    = 12  // bits of an unknown word, such as a name
	wordyShare  = 5.2 // a token whose letters have fewer bits on average, given the letters before them, is a word
	maxWordy    = 16  // maximum number of letters of a token that is a word by wordyShare
	maxOrdinals = 4   // maximum number of digits that may follow a word
)

// Bits returns the information of a token. A known word, a token that may be a word, and a year or another short
// number have little. A token that looks random has the full capacity of its characters.
func Bits(token string) float64 {
	n := utf8.RuneCountInString(token)
	letters, digits := split(token)
	switch {
	case letters == "" && n == 4 && (strings.HasPrefix(token, "19") || strings.HasPrefix(token, "20")):
		return yearBits
	case letters == "" && n <= 2:
		return smallBits
	case letters == "":
		return digitBits * float64(n)
	case digits == "" && n <= shortToken:
		if model.Known(folded(token)) && n > 1 {
			return knownBits
		}
		return shortBits
	case IsWord(token):
		return 0
	case digits != "" && len(digits) <= maxOrdinals && letters+digits == token &&
		(len(letters) <= 2 || IsWord(letters)):
		return Bits(digits) + smallBits // v18, python3, u2724
	case IsWordy(token):
		return nameBits
	}
	return charBits(token) * float64(n)
}

// charBits returns the bits of one character of a token that looks random.
func charBits(token string) float64 {
	var lower, upper, digit bool
	hex := true
	for _, r := range token {
		switch {
		case unicode.IsDigit(r):
			digit = true
		case unicode.IsUpper(r):
			upper = true
		default:
			lower = true
		}
		hex = hex && strings.ContainsRune("0123456789abcdefABCDEF", r)
	}
	switch {
	case hex:
		return hexBits
	case lower && upper:
		return mixedBits
	case digit:
		return alnumBits
	}
	return lowerBits
}

// split splits a token into the letters at its beginning and the digits after them. Either can be empty.
func split(token string) (letters, digits string) {
	i := strings.IndexFunc(token, unicode.IsDigit)
	if i < 0 {
		return token, ""
	}
	end := i
	for end < len(token) && token[end] >= '0' && token[end] <= '9' {
		end++
	}
	if i == 0 && end < len(token) {
		return token, token[:end]
	}
	return token[:i], token[i:end]
}

// IsWord reports whether a token is a known word, or consists of known words that begin with capitals.
func IsWord(token string) bool {
	if hasDigit(token) {
		return false
	}
	if model.Known(folded(token)) && utf8.RuneCountInString(token) > shortToken {
		return true
	}
	words := camelWords(token)
	if len(words) < 2 {
		return false
	}
	for _, w := range words {
		if len(w) < 2 || !model.Known(folded(w)) {
			return false
		}
	}
	return len(token) >= 4*len(words) // words at random capitals are shorter
}

// IsWordy reports whether a token may be a word of some language: each of its letters is likely after the letters
// before it.
func IsWordy(token string) bool {
	if hasDigit(token) || utf8.RuneCountInString(token) > maxWordy || mixedCase(token) {
		return false
	}
	skeleton := folded(token)
	if len(skeleton) == 0 { // another script
		return true
	}
	bits := float32(0)
	for _, c := range model.Cost(skeleton, make([]float32, 0, len(skeleton))) {
		bits += c
	}
	return bits <= wordyShare*float32(len(skeleton))
}

// mixedCase reports whether a capital follows a small letter.
func mixedCase(token string) bool {
	small := false
	for _, r := range token {
		if unicode.IsUpper(r) && small {
			return true
		}
		small = small || unicode.IsLower(r)
	}
	return false
}

func folded(token string) []byte { return text.AppendLetters(nil, token, nil) }

// camelWords splits a token where a capital follows a small letter.
func camelWords(token string) (words []string) {
	start, before := 0, ' '
	for i, r := range token {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			words = append(words, token[start:i])
			start = i
		}
		before = r
	}
	return append(words, token[start:])
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }
