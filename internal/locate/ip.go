package locate

import (
	"net/netip"
	"strconv"
	"strings"
)

// IPRune reports whether r, in lower case, can be part of an IP address in any notation.
func IPRune(r rune) bool {
	return r == '.' || r == ':' || r == 'x' || r >= '0' && r <= '9' || r >= 'a' && r <= 'f'
}

// maxAddress is longer than any notation of an address.
const maxAddress = 64

// IP parses an IP address, in lower case, in every notation that programs accept: one to four numbers, in decimal,
// octal or hexadecimal, of which the last fills the remaining bytes; and IPv6. For an IPv6 address that contains an
// IPv4 address, it returns the latter.
func IP(s string) (netip.Addr, bool) {
	if s == "" || len(s) > maxAddress || !mayEndAddress(s) {
		return netip.Addr{}, false
	}
	if addr, err := netip.ParseAddr(s); err == nil {
		return addr.Unmap().WithZone(""), true
	}
	parts := strings.Split(s, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var whole uint64
	for i, part := range parts {
		room := 8
		if i == len(parts)-1 {
			room = 8 * (4 - i)
		}
		n, err := strconv.ParseUint(numeral(part), 0, room)
		if err != nil {
			return netip.Addr{}, false
		}
		whole = whole<<room | n
	}
	return netip.AddrFrom4([4]byte{byte(whole >> 24), byte(whole >> 16), byte(whole >> 8), byte(whole)}), true
}

// numeral parses a number in an address. It refuses notations that only Go accepts.
func numeral(s string) string {
	if strings.HasPrefix(s, "0x") {
		return s
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return ""
		}
	}
	return s // Go also reads a leading zero as octal
}

// mayEndAddress reports whether s has a colon, or its last part begins with a digit. This distinguishes names from
// addresses without parsing them.
func mayEndAddress(s string) bool {
	last := s[strings.LastIndexByte(s, '.')+1:]
	return last != "" && last[0] >= '0' && last[0] <= '9' || strings.Contains(s, ":")
}
