package detect

import (
	"encoding/base64"
	"hash/crc32"
	"strings"
	"unicode/utf8"
)

// tally counts the digits, capitals and small letters of s.
func tally(s string) (digits, upper, lower int) {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'A' && c <= 'Z':
			upper++
		case c >= 'a' && c <= 'z':
			lower++
		}
	}
	return digits, upper, lower
}

// isRandom reports whether value looks random rather than like words: it has digits among letters, or similar numbers
// of capitals and small letters.
func isRandom(value string) bool {
	digits, upper, lower := tally(value)
	return digits > 0 && upper+lower > 0 || upper*3 >= len(value) && lower*4 >= len(value)
}

// isScattered reports whether letters of both cases and digits are distributed in value as in random text, not as in
// an identifier.
func isScattered(value string) bool {
	digits, upper, lower := tally(value)
	runs := 0 // runs of digits
	for i := range len(value) {
		if isNumeral(value[i]) && (i == 0 || !isNumeral(value[i-1])) {
			runs++
		}
	}
	return digits > 1 && runs > 1 && upper > 1 && lower > 1
}

func isNumeral(c byte) bool { return c >= '0' && c <= '9' }

// isLogin64 reports whether value is the base64 of "user:password", as in Basic authentication.
func isLogin64(value string) bool {
	user, password, ok := strings.Cut(decoded64(value), ":")
	return ok && len(user)+len(password) >= 3 && password != ""
}

// decoded64 returns the text that value encodes in base64, or "" if the text is not printable.
func decoded64(value string) string {
	value = strings.TrimRight(value, "=")
	raw, err := base64.RawStdEncoding.DecodeString(value)
	if err != nil {
		if raw, err = base64.RawURLEncoding.DecodeString(value); err != nil {
			return ""
		}
	}
	if !utf8.Valid(raw) {
		return ""
	}
	for _, c := range raw {
		if c < ' ' && c != '\n' || c == 0x7f {
			return ""
		}
	}
	return string(raw)
}

// isSecretData reports whether at least one of the lines of a Kubernetes Secret's data has base64.
func isSecretData(lines string) bool {
	for line := range strings.Lines(lines) {
		_, value, named := strings.Cut(line, ":")
		if !named {
			value = line // a line of a block
		}
		value = strings.Trim(value, " \t\r\n\"'")
		if raw, err := base64.StdEncoding.DecodeString(value); err == nil && len(raw) >= 4 {
			return true
		}
	}
	return false
}

// base62 are the digits of the checksums in tokens.
const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// hasCRC62 reports whether the last six characters of a token are the CRC-32, in base 62, of the characters between
// its prefix and them, as in tokens of GitHub and npm.
func hasCRC62(value string) bool {
	_, body, found := strings.Cut(value, "_")
	if !found || len(body) <= 6 {
		return false
	}
	sum := uint64(0)
	for _, c := range body[len(body)-6:] {
		digit := strings.IndexRune(base62, c)
		if digit < 0 {
			return false
		}
		sum = sum*62 + uint64(digit)
	}
	return sum == uint64(crc32.ChecksumIEEE([]byte(body[:len(body)-6])))
}
