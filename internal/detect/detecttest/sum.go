package detecttest

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"hash/crc32"
	"math/big"
	"strings"
)

// sums complete a value with its checksum.
var sums = map[string]func(string) string{
	"crc62":   crc62,
	"stellar": stellar,
	"wif":     wif,
}

// crc62 appends the checksum of tokens such as GitHub's: the CRC-32 of the characters after the prefix, as six digits
// of base 62.
func crc62(s string) string {
	body := s[strings.LastIndexByte(s, '_')+1:]
	sum, tail := crc32.ChecksumIEEE([]byte(body)), ""
	for range 6 {
		tail = alphabets["alnum"][sum%62:sum%62+1] + tail
		sum /= 62
	}
	return s + tail
}

// stellar returns the secret key of the Stellar network made from s.
func stellar(s string) string {
	body := sha256.Sum256([]byte(s))
	raw := append([]byte{18 << 3}, body[:]...)
	crc := uint16(0)
	for _, b := range raw {
		crc ^= uint16(b) << 8
		for range 8 {
			high := crc >> 15
			crc = crc<<1 ^ high*0x1021
		}
	}
	return base32.StdEncoding.EncodeToString(binary.LittleEndian.AppendUint16(raw, crc))
}

// wif returns the private key of the Bitcoin network made from s, in the wallet import format.
func wif(s string) string {
	const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	body := sha256.Sum256([]byte(s))
	raw := append(append([]byte{0x80}, body[:]...), 1)
	once := sha256.Sum256(raw)
	twice := sha256.Sum256(once[:])
	n := new(big.Int).SetBytes(append(raw, twice[:4]...))
	radix := big.NewInt(58)
	out := ""
	for n.Sign() > 0 {
		digit := new(big.Int)
		n.DivMod(n, radix, digit)
		out = digits[digit.Int64():digit.Int64()+1] + out
	}
	return out
}
