package locate

import (
	"net/netip"
	"strconv"
	"strings"
)

// IPRune reports whether r, in lower case, can stand in an IP address in any
// notation.
func IPRune(r rune) bool {
	return r == '.' || r == ':' || r == 'x' || r >= '0' && r <= '9' || r >= 'a' && r <= 'f'
}

// maxAddress is longer than every notation of an address.
const maxAddress = 64

// IP reads an IP address, in lower case, in each notation that programs accept: four
// numbers or fewer, decimal, octal or hexadecimal, of which the last fills what
// is left; IPv6, also around an IPv4 address, which is meant then.
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

// numeral returns a number of an address as Go writes it: forms that only
// Go accepts do not count.
func numeral(s string) string {
	if strings.HasPrefix(s, "0x") {
		return s
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return ""
		}
	}
	return s // a leading zero means octal to Go, too
}

// mayEndAddress reports whether s has a colon, or its last part begins with a digit: this
// distinguishes names from addresses without parsing them.
func mayEndAddress(s string) bool {
	last := s[strings.LastIndexByte(s, '.')+1:]
	return last != "" && last[0] >= '0' && last[0] <= '9' || strings.Contains(s, ":")
}
