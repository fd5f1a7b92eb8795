package personal

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
)

// newAddress makes up an address of a cryptocurrency from a fixed seed.
func newAddress(name string) (string, bool) {
	seed := sha256.Sum256([]byte(name))
	switch name {
	case "btc1":
		return check58([]byte{0}, seed[:20], bitcoin58), true
	case "btc3":
		return check58([]byte{5}, seed[:20], bitcoin58), true
	case "ltc":
		return check58([]byte{48}, seed[:20], bitcoin58), true
	case "doge":
		return check58([]byte{30}, seed[:20], bitcoin58), true
	case "trx":
		return check58([]byte{65}, seed[:20], bitcoin58), true
	case "dash":
		return check58([]byte{76}, seed[:20], bitcoin58), true
	case "zec":
		return check58([]byte{0x1c, 0xb8}, seed[:20], bitcoin58), true
	case "xrp":
		return check58([]byte{0}, seed[:20], ripple58), true
	case "sol":
		return encode58(seed[:], bitcoin58), true
	case "xmr":
		return "4" + strings.Repeat(encode58(seed[:], bitcoin58), 3)[:94], true
	case "bc", "ltc1", "cosmos", "osmo", "addr", "stake":
		return bech32(strings.TrimSuffix(name, "1"), seed[:20]), true
	case "xlm":
		return stellar(seed[:]), true
	case "ethlower":
		return "0x" + hex.EncodeToString(seed[:20]), true
	case "eth":
		return "0x" + mixedCase(hex.EncodeToString(seed[:20])), true
	}
	return "", false
}

// spoil changes the last letter or digit of an address.
func spoil(address string) string {
	last := address[len(address)-1]
	for _, c := range []byte("q2aB") {
		if c|0x20 != last|0x20 {
			return address[:len(address)-1] + string(c)
		}
	}
	return address
}

func check58(version, body []byte, alphabet string) string {
	raw := append(append([]byte(nil), version...), body...)
	first := sha256.Sum256(raw)
	second := sha256.Sum256(first[:])
	return encode58(append(raw, second[:4]...), alphabet)
}

func encode58(raw []byte, alphabet string) string {
	digits := []int{0}
	for _, b := range raw {
		carry := int(b)
		for i := range digits {
			carry += digits[i] << 8
			digits[i] = carry % 58
			carry /= 58
		}
		for ; carry > 0; carry /= 58 {
			digits = append(digits, carry%58)
		}
	}
	var out strings.Builder
	for i := 0; i < len(raw)-1 && raw[i] == 0; i++ {
		out.WriteByte(alphabet[0])
	}
	for i := len(digits) - 1; i >= 0; i-- {
		out.WriteByte(alphabet[digits[i]])
	}
	return out.String()
}

// bech32 encodes a body after a prefix, for Bitcoin as a witness program of version 0.
func bech32(prefix string, body []byte) string {
	const alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
	var data []byte
	if prefix == "bc" || prefix == "ltc" {
		data = append(data, 0)
	}
	bits, have := 0, 0
	for _, b := range body {
		bits, have = bits<<8|int(b), have+8
		for ; have >= 5; have -= 5 {
			data = append(data, byte(bits>>(have-5)&31))
		}
	}
	all := append([]byte(nil), data...)
	var head []byte
	for i := range len(prefix) {
		head = append(head, prefix[i]>>5)
	}
	head = append(head, 0)
	for i := range len(prefix) {
		head = append(head, prefix[i]&31)
	}
	sum := uint32(1)
	for _, v := range append(append(head, all...), 0, 0, 0, 0, 0, 0) {
		top := sum >> 25
		sum = sum&0x1ffffff<<5 ^ uint32(v)
		for i, g := range []uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
			sum ^= g * (top >> i & 1)
		}
	}
	sum ^= 1
	for i := range 6 {
		all = append(all, byte(sum>>(5*(5-i))&31))
	}
	out := prefix + "1"
	for _, v := range all {
		out += string(alphabet[v])
	}
	return out
}

// stellar encodes a public key in base 32 with its CRC-16.
func stellar(body []byte) string {
	raw := append([]byte{6 << 3}, body...)
	crc := uint16(0)
	for _, b := range raw {
		crc ^= uint16(b) << 8
		for range 8 {
			top := crc >> 15
			crc = crc<<1 ^ 0x1021*top
		}
	}
	raw = append(raw, byte(crc), byte(crc>>8))
	out := ""
	bits := 0
	have := 0
	for _, b := range raw {
		bits, have = bits<<8|int(b), have+8
		for ; have >= 5; have -= 5 {
			out += string("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[bits>>(have-5)&31])
		}
	}
	return out
}

func mixedCase(lower string) string {
	sum := keccak256([]byte(lower))
	out := []byte(lower)
	for i, c := range out {
		if isLetter(c) && sum[i/2]>>(4*(1-i%2))&15 >= 8 {
			out[i] = c - 'a' + 'A'
		}
	}
	return string(out)
}

func TestKeccakIsTheOneOfEthereum(t *testing.T) {
	for in, want := range map[string]string{
		"":    "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
		"abc": "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45",
	} {
		if got := fmt.Sprintf("%x", keccak256([]byte(in))); got != want {
			t.Errorf("%q gives %s, want %s", in, got, want)
		}
	}
}
