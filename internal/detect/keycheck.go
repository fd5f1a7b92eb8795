package detect

import (
	"bytes"
	"crypto/sha256"
	"math/big"
	"strings"

	"mcpproxy/internal/detect/personal"
)

// isPEM reports whether value is a PEM key whose body is base64 and not words.
func isPEM(value string) bool {
	_, body, _ := strings.Cut(value, "PRIVATE KEY")
	other := func(r rune) bool { return r >= 0x80 || !in64[r] }
	for _, line := range strings.FieldsFunc(body, other) {
		if len(line) >= 24 && isRandom(line) {
			return true
		}
	}
	return false
}

// in64 are the characters of base64.
var in64 = table("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// isBase58Check reports whether value is base 58 with a valid checksum at its end: the first four bytes of a double
// SHA-256 of the rest.
func isBase58Check(value string) bool {
	n, radix := new(big.Int), big.NewInt(58)
	for i := range len(value) {
		digit := strings.IndexByte(base58, value[i])
		if digit < 0 {
			return false
		}
		n.Add(n.Mul(n, radix), big.NewInt(int64(digit)))
	}
	raw := n.Bytes()
	if len(raw) < 5 {
		return false
	}
	body, sum := raw[:len(raw)-4], raw[len(raw)-4:]
	once := sha256.Sum256(body)
	twice := sha256.Sum256(once[:])
	return bytes.Equal(twice[:4], sum)
}

// isStellarSeed reports whether value is a secret key of Stellar.
func isStellarSeed(value string) bool { return personal.IsStellarKey(value, 'S'-'A') }
