package personal

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"strings"

	"mcpproxy"
)

// cryptoKinds are addresses of crypto currencies.
var cryptoKinds = []dataKind{
	{
		id:       "bitcoin_address",
		category: ofCrypto,
		severity: mcpproxy.SeverityMedium,
		named:    0.98,
		bare:     0.95,
	},
	{
		id:       "ethereum_address",
		category: ofCrypto,
		severity: mcpproxy.SeverityMedium,
		topics:   aboutCoin,
		named:    0.95,
		bare:     0.85,
	},
	{
		id:       "litecoin_address",
		category: ofCrypto,
		severity: mcpproxy.SeverityMedium,
		named:    0.95,
		bare:     0.95,
	},
	{
		id:       "dogecoin_address",
		category: ofCrypto,
		severity: mcpproxy.SeverityMedium,
		named:    0.95,
		bare:     0.9,
	},
	{
		id:       "tron_address",
		category: ofCrypto,
		severity: mcpproxy.SeverityMedium,
		named:    0.95,
		bare:     0.9,
	},
	{
		id:       "xrp_address",
		category: ofCrypto,
		severity: mcpproxy.SeverityMedium,
		named:    0.95,
		bare:     0.9,
	},
	{
		id:       "dash_zcash_address",
		category: ofCrypto,
		severity: mcpproxy.SeverityMedium,
		named:    0.95,
		bare:     0.9,
	},
	{
		id:       "cardano_address",
		category: ofCrypto,
		severity: mcpproxy.SeverityMedium,
		named:    0.95,
		bare:     0.9,
	},
	{
		id:       "cosmos_address",
		category: ofCrypto,
		severity: mcpproxy.SeverityMedium,
		named:    0.9,
		bare:     0.85,
	},
	{
		id:       "stellar_address",
		category: ofCrypto,
		severity: mcpproxy.SeverityMedium,
		named:    0.95,
		bare:     0.9,
	},
	{
		id:       "solana_address",
		category: ofCrypto,
		severity: mcpproxy.SeverityMedium,
		topics:   aboutCoin,
		named:    0.8,
	},
	{
		id:       "monero_address",
		category: ofCrypto,
		severity: mcpproxy.SeverityMedium,
		topics:   aboutCoin,
		named:    0.9,
		bare:     0.7,
	},
}

// coin finds the address of a cryptocurrency in the word text[s:e].
func (r *textReader) coin(s, e int) {
	w := r.text[s:e]
	id := ""
	switch n := len(w); {
	case n == 42 && w[0] == '0' && w[1]|0x20 == 'x':
		r.ether(s, e)
		return
	case n <= 36:
		id = base58Coin(w)
	}
	if id == "" {
		id = bech32Coin(w)
	}
	if id == "" && len(w) == 56 && w[0] == 'G' && isStellar(w) {
		id = "stellar_address"
	}
	if id != "" {
		r.add(r.x.byID[id], s, e, r.x.kinds[r.x.byID[id]].bare)
		return
	}
	switch n := len(w); {
	case n == 95 && (w[0] == '4' || w[0] == '8') && isBase58(w):
		r.add(r.x.byID["monero_address"], s, e, 0.8)
	case n >= 32 && n <= 44 && lowerCase(w) && isBase58(w):
		k := r.x.byID["solana_address"]
		if r.context(s, e).tags.meets(&r.x.want[k]) && len(decode58(w, bitcoin58)) == 32 {
			r.add(k, s, e, r.x.kinds[k].named)
		}
	}
}

// ether weighs an address of forty hexadecimal digits. The case of its letters may be a checksum.
func (r *textReader) ether(s, e int) {
	w := r.text[s+2 : e]
	if !allHex(w) || strings.Trim(w, "0") == "" || strings.Trim(strings.ToLower(w), "f") == "" {
		return
	}
	k := r.x.byID["ethereum_address"]
	lower := strings.ToLower(w)
	switch {
	case w != lower && w != strings.ToUpper(w):
		if !isEIP55(w, lower) {
			return
		}
		r.add(k, s, e, 0.9)
	case r.context(s, e).tags.meets(&r.x.want[k]):
		r.add(k, s, e, 0.8)
	case r.whole(s, e):
		r.add(k, s, e, 0.5)
	}
}

// isEIP55 compares the case of the letters with the hash of the lower-case address.
func isEIP55(w, lower string) bool {
	sum := keccak256([]byte(lower))
	for i := range len(w) {
		nibble := sum[i/2] >> (4 * (1 - i%2)) & 15
		if isLetter(w[i]) && (w[i] < 'a') != (nibble >= 8) {
			return false
		}
	}
	return true
}

const (
	bitcoin58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	ripple58  = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"
)

// base58Coin returns the kind of an address in base 58 with a checksum, or "".
func base58Coin(w string) string {
	id, alphabet := "", bitcoin58
	switch w[0] {
	case '1', '3':
		id = "bitcoin_address"
	case 'L', 'M':
		id = "litecoin_address"
	case 'D', 'A', '9':
		id = "dogecoin_address"
	case 'T':
		id = "tron_address"
	case 'X', 't':
		id = "dash_zcash_address"
	case 'r':
		id, alphabet = "xrp_address", ripple58
	default:
		return ""
	}
	raw := decode58(w, alphabet)
	if len(raw) < 25 || len(raw) > 26 {
		return ""
	}
	body := raw[:len(raw)-4]
	first := sha256.Sum256(body)
	second := sha256.Sum256(first[:])
	if !bytes.Equal(second[:4], raw[len(raw)-4:]) {
		return ""
	}
	return id
}

func isBase58(w string) bool {
	for i := range len(w) {
		if strings.IndexByte(bitcoin58, w[i]) < 0 {
			return false
		}
	}
	return true
}

// decode58 decodes a number in base 58. It returns nil if there is another character.
func decode58(w, alphabet string) []byte {
	var out [48]byte // little-endian
	n := 0
	for i := range len(w) {
		carry := strings.IndexByte(alphabet, w[i])
		if carry < 0 {
			return nil
		}
		for j := 0; j < n || carry > 0; j++ {
			if j == len(out) {
				return nil
			}
			carry += int(out[j]) * 58
			out[j] = byte(carry)
			carry >>= 8
			n = max(n, j+1)
		}
	}
	for i := 0; i < len(w) && w[i] == alphabet[0] && n < len(out); i++ {
		n++
	}
	raw := make([]byte, n)
	for i := range raw {
		raw[i] = out[n-1-i]
	}
	return raw
}

// bech32Kinds are the prefixes of addresses in Bech32.
var bech32Kinds = map[string]string{
	"bc":       "bitcoin_address",
	"tb":       "bitcoin_address",
	"ltc":      "litecoin_address",
	"addr":     "cardano_address",
	"stake":    "cardano_address",
	"cosmos":   "cosmos_address",
	"osmo":     "cosmos_address",
	"terra":    "cosmos_address",
	"celestia": "cosmos_address",
	"inj":      "cosmos_address",
}

// bech32Coin returns the kind of an address in Bech32 or Bech32m, or "".
func bech32Coin(w string) string {
	const alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
	lower := w
	if w[0] < 'a' {
		if lower = strings.ToLower(w); w != strings.ToUpper(w) {
			return ""
		}
	}
	prefix, data, ok := strings.Cut(lower, "1")
	id := bech32Kinds[prefix]
	if !ok || id == "" || len(data) < 6 {
		return ""
	}
	sum := uint32(1)
	step := func(v int) {
		top := sum >> 25
		sum = sum&0x1ffffff<<5 ^ uint32(v)
		for i, g := range [5]uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
			if top>>i&1 == 1 {
				sum ^= g
			}
		}
	}
	for i := range len(prefix) {
		step(int(prefix[i] >> 5))
	}
	step(0)
	for i := range len(prefix) {
		step(int(prefix[i] & 31))
	}
	for i := range len(data) {
		v := strings.IndexByte(alphabet, data[i])
		if v < 0 {
			return ""
		}
		step(v)
	}
	if sum != 1 && sum != 0x2bc830a3 {
		return ""
	}
	return id
}

// isStellar reports whether w is a public key of Stellar.
func isStellar(w string) bool { return IsStellarKey(w, 'G'-'A') }

// IsStellarKey reports whether w is a key of Stellar in base 32. letter is its first letter, counted from A, and its
// last two bytes are the CRC-16 (XMODEM) of the others (Stellar Ecosystem Proposal 23).
func IsStellarKey(w string, letter byte) bool {
	raw, err := base32.StdEncoding.DecodeString(w)
	if err != nil || len(raw) != 35 || raw[0] != letter<<3 {
		return false
	}
	crc := uint16(0)
	for _, b := range raw[:33] {
		crc ^= uint16(b) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return crc == binary.LittleEndian.Uint16(raw[33:])
}
