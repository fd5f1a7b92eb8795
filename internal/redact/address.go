package redact

import (
	"errors"
	"net/netip"
	"strings"
)

// errNoAddress reports that a word does not look like an address.
var errNoAddress = errors.New("no address")

// parseIPv4 returns fast for words that are not addresses, which most are not.
func parseIPv4(s string) (netip.Addr, error) {
	if s == "" || !isDigit(s[0]) || len(s) > len("255.255.255.255") {
		return netip.Addr{}, errNoAddress
	}
	return netip.ParseAddr(s)
}

// reserved are networks that cannot be reached from outside, in addition to those that netip knows.
var reserved = []netip.Prefix{
	netip.PrefixFrom(netip.AddrFrom4([4]byte{100, 64}), 10),
	netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 0, 2}), 24),
	netip.PrefixFrom(
		netip.AddrFrom4([4]byte{198, 51, 100}),
		24,
	),
	netip.PrefixFrom(netip.AddrFrom4([4]byte{203, 0, 113}), 24),
}

func isReserved(ip netip.Addr) bool {
	for _, net := range reserved {
		if net.Contains(ip) {
			return true
		}
	}
	return ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast()
}

// isAddress reports whether the four numbers from i to end, without a port, are an address, judging by their context.
// 192.168.1.20 is never a version number; 10.0.1.2 often is.
func (s *scanner) isAddress(i, end int, ip netip.Addr) bool {
	switch {
	case at(s.s, i-1) == '/' && i > s.route && i > 1 && isWord(s.s[i-2]), s.isCompared(i), s.isVersion(i):
		return false
	case isReserved(ip) || portInWords(s.s, end):
		return true
	case s.copied > 0 && i-s.copied < 4 && strings.Trim(s.s[s.copied:i], "\"' ") == "(": // of the host before it
		return true
	}
	return places[strings.ToLower(s.before(i))] || strings.HasSuffix(s.s[:i], "@'") ||
		s.follows(i, "to", "from", "at", "on", "with") && s.reaches(i)
}

// isCompared reports whether a comparison operator precedes i.
func (s *scanner) isCompared(i int) bool {
	for i > 0 && s.s[i-1] == ' ' && i > s.ended() {
		i--
	}
	c, d := at(s.s, i-1), at(s.s, i-2)
	switch c {
	case '=':
		return strings.IndexByte("=<>!~^", d) >= 0
	case '>':
		return d != '-' && d != '='
	case '<':
		return strings.IndexByte(s.s[i:min(len(s.s), i+24)], '>') < 0
	}
	return c == '~' || c == '^'
}

// isVersion reports whether the words before i say that the numbers are a version or a section.
func (s *scanner) isVersion(i int) bool {
	moved := false
	for n, word := range s.said(i) {
		word = strings.ToLower(word)
		switch {
		case strings.HasPrefix(word, "upgrad"),
			strings.HasPrefix(word, "downgrad"),
			strings.HasSuffix(word, "version") && !moved:
			return true
		case versions[word]:
			return n == 0
		case word == "from" || word == "to":
			moved = true
		case !joining[word] && !isDigit(word[0]):
			return false
		}
	}
	return false
}

// address removes an IPv6 address at i, with or without brackets.
func (s *scanner) address(i int) int {
	from := i
	if s.s[i] == '[' {
		from++
	} else if i > 0 && (isWord(s.s[i-1]) || s.s[i-1] == ':' || s.s[i-1] == ']') {
		return i
	}
	end := from
	for end < len(s.s) && end-from < 64 && (isHexDigit(s.s[end]) || s.s[end] == ':' || s.s[end] == '.') {
		end++
	}
	if at(s.s, end) == '%' { // the zone
		for end++; end < len(s.s) && end-from < 64 && isAlnum(s.s[end]); end++ {
		}
	}
	end = from + len(strings.TrimRight(s.s[from:end], "."))
	if strings.HasSuffix(s.s[from:end], ":") && !strings.HasSuffix(s.s[from:end], "::") {
		end-- // of a sentence
	}
	ip, err := netip.ParseAddr(s.s[from:end])
	if err != nil || !ip.Is6() || end < len(s.s) && isWord(s.s[end]) && s.s[end] != '.' || !plausible(s.s[from:end]) {
		return i
	}
	if from > i {
		if at(s.s, end) != ']' {
			return i
		}
		end++
	}
	stop := maskEnd(s.s, portEnd(s.s, end))
	if s.keeps(s.s[i:stop]) || s.keeps(s.s[from:end]) {
		return i
	}
	return s.cut(i, stop, fit(s.s[i:stop], addressMark, hostMark))
}

// plausible distinguishes an address from identifiers of code such as dead::beef, and from MAC addresses.
func plausible(s string) bool {
	if !strings.ContainsAny(s, "0123456789") {
		return false
	}
	if strings.Contains(s, "::") {
		return true
	}
	for group := range strings.SplitSeq(s, ":") {
		if len(group) > 2 {
			return true
		}
	}
	return false
}

// portEnd returns the end of the port whose colon is at i, or i if there is none.
func portEnd(s string, i int) int {
	end := i + 1
	for end < len(s) && isDigit(s[end]) {
		end++
	}
	if at(s, i) != ':' || end == i+1 || end > i+6 || end < len(s) && isWord(s[end]) && s[end] != '.' && s[end] != '-' {
		return i
	}
	return end
}

// portInWords reports whether a port follows at i as a word or in parentheses.
func portInWords(s string, i int) bool {
	s = strings.TrimLeft(s[i:min(len(s), i+64)], ")\"'")
	for _, before := range []string{" (", ", port", " port", " on port", ":port", ", port:", " port:", " port="} {
		n, ok := strings.CutPrefix(s, before)
		if n = strings.TrimLeft(n, " "); ok && isDigit(at(n, 0)) {
			return before != " (" || portEnd(":"+strings.Replace(n, ")", " ", 1), 0) > 0
		}
	}
	return false
}

// maskEnd returns the end of a network's prefix length, as in 10.0.0.0/8.
func maskEnd(s string, i int) int {
	end := i + 1
	for end < len(s) && isDigit(s[end]) {
		end++
	}
	if at(s, i) != '/' || end == i+1 || end > i+4 || end < len(s) && (isWord(s[end]) || s[end] == '/') {
		return i
	}
	return end
}

func isHexDigit(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }

func isHex(s string) bool {
	for i := range len(s) {
		if !isHexDigit(s[i]) {
			return false
		}
	}
	return len(s) <= 4
}
