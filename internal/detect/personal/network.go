package personal

import (
	"net/netip"
	"slices"
	"strings"

	"mcpproxy"
)

// networkKinds are network addresses.
var networkKinds = []dataKind{
	{
		id:       "ip_address",
		category: ofNetwork,
		severity: mcpproxy.SeverityMedium,
		named:    0.9,
	},
	{
		id:       "mac_address",
		category: ofNetwork,
		severity: mcpproxy.SeverityLow,
		named:    0.9,
	},
}

// network reads an address around the word text[s:e], and returns its end, or 0.
func (r *textReader) network(s, e int) int {
	t := r.text
	if e < len(t) && t[e] == '.' && e-s <= 3 || e-s == 4 && e < len(t) && t[e] == '.' {
		if end := r.ipv4(s); end > 0 {
			return end
		}
		return r.hardware(s, e)
	}
	if e < len(t) && (t[e] == ':' || t[e] == '-') || s > 0 && (t[s-1] == ':' || t[s-1] == '-') {
		if e-s == 2 || e-s == 4 {
			if end := r.hardware(s, e); end > 0 {
				return end
			}
		}
		if e-s <= 4 && (e < len(t) && t[e] == ':' || s > 0 && t[s-1] == ':') {
			return r.ipv6(s)
		}
	}
	return 0
}

// ipv4 reads four numbers up to 255, separated by dots.
func (r *textReader) ipv4(s int) int {
	t := r.text
	if s > 0 && (t[s-1] == '.' || t[s-1] == '-' && s > 1 && isAlnum(t[s-2]) || t[s-1] == '_') {
		return 0
	}
	var parts [4]int
	i := s
	for n := range 4 {
		start := i
		for i < len(t) && isNumber(t[i]) && i-start < 4 {
			parts[n] = parts[n]*10 + digit(t[i])
			i++
		}
		if w := i - start; w == 0 || w > 3 || parts[n] > 255 || w > 1 && t[start] == '0' {
			return 0
		}
		if n < 3 {
			if i >= len(t) || t[i] != '.' {
				return 0
			}
			i++
		}
	}
	if i < len(t) && isAlnum(t[i]) || i+1 < len(t) && (t[i] == '.' || t[i] == '-') && isAlnum(t[i+1]) {
		return 0
	}
	if confidence, severity := r.ipv4Trust(parts, s, i); confidence >= leastConfidence {
		r.addAs(r.x.byID["ip_address"], s, i, confidence, severity)
	}
	return i
}

// ipv4Trust distinguishes addresses from version numbers, and public addresses from others.
func (r *textReader) ipv4Trust(p [4]int, s, e int) (float64, mcpproxy.Severity) {
	t := r.text
	ctx := r.context(s, e)
	named := ctx.tags.has(topicIP)
	inPath := s > 1 && t[s-1] == '/' && isLetter(t[s-2])
	if !named &&
		(ctx.tags.has(topicVersion) || inPath || s > 0 && (t[s-1]|0x20 == 'v' ||
			t[s-1] == '=' && s > 1 && t[s-2] == '=')) {
		return 0, mcpproxy.SeverityLow
	}
	prefix := e < len(t) && t[e] == '/' // a network
	switch {
	case p[0] == 127 || p[0] == 0 || p[0] >= 224:
		return 0.4, mcpproxy.SeverityLow
	case contains(unroutable, netip.AddrFrom4([4]byte{byte(p[0]), byte(p[1]), byte(p[2]), byte(p[3])})):
		return 0.7, mcpproxy.SeverityLow
	case !named && !prefix && p[0] < 10 && p[1] < 10 && p[2] < 10 && p[3] < 10 || !named && p[3] == 0 && p[2] == 0:
		return 0.4, mcpproxy.SeverityLow
	case named:
		return 0.95, mcpproxy.SeverityMedium
	}
	return 0.75, mcpproxy.SeverityMedium
}

// unroutable are the IPv4 networks that belong to nobody: private, link-local, shared, for documentation and for
// benchmarks.
var unroutable = []netip.Prefix{
	netip.MustParsePrefix("10.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("169.254.0.0/16"),
	netip.MustParsePrefix("172.16.0.0/12"),
	netip.MustParsePrefix("192.0.0.0/16"),
	netip.MustParsePrefix("192.168.0.0/16"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
}

// unroutable6 are the IPv6 networks that belong to nobody: unique local, link-local, site-local and for
// documentation.
var unroutable6 = []netip.Prefix{
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("fc00::/7"),
	netip.MustParsePrefix("fe00::/8"),
}

// contains reports whether addr is in one of the networks.
func contains(networks []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(networks, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// maxIPv6 exceeds the length of an address with eight groups, in bytes.
const maxIPv6 = 46

// isIPv6 reports whether an address of hexadecimal groups can contain c.
func isIPv6(c byte) bool { return c == ':' || isHex(c) }

// ipv6 reads groups of up to four hexadecimal digits with colons around s.
func (r *textReader) ipv6(s int) int {
	t := r.text
	for s > r.done && s > 0 && isIPv6(t[s-1]) {
		s--
	}
	end := s
	for end < len(t) && end-s <= maxIPv6 && isIPv6(t[end]) {
		end++
	}
	if strings.HasSuffix(t[s:end], ":") && !strings.HasSuffix(t[s:end], "::") {
		end-- // punctuation after the address
	}
	if s > 0 && isAlnum(t[s-1]) || !r.endsIPv6(end) {
		return 0
	}
	word := t[s:end]
	if !strings.HasPrefix(word, "::") {
		word = strings.TrimPrefix(word, ":")
	}
	addr, err := netip.ParseAddr(word)
	if err != nil {
		return 0
	}
	short := strings.Contains(word, "::") && len(strings.FieldsFunc(word, isColon)) < 3
	if short && !r.context(s, end).tags.has(topicIP) && (word == "::" || !r.whole(s, end)) {
		return 0
	}
	if len(word) < 6 || contains(unroutable6, addr) {
		r.addAs(r.x.byID["ip_address"], s, end, 0.7, mcpproxy.SeverityLow)
	} else {
		r.addAs(r.x.byID["ip_address"], s, end, 0.9, mcpproxy.SeverityMedium)
	}
	return end
}

func isColon(c rune) bool { return c == ':' }

// endsIPv6 reports whether an address can end before byte i: no letter, digit or dotted part follows. A zone can
// follow.
func (r *textReader) endsIPv6(i int) bool {
	t := r.text
	if i == len(t) {
		return true
	}
	dotted := t[i] == '.' && i+1 < len(t) && isNumber(t[i+1])
	return !isAlnum(t[i]) && !dotted
}

// hardware reads six pairs of hexadecimal digits with colons or hyphens, or three groups of four with dots.
func (r *textReader) hardware(s, e int) int {
	t := r.text
	if e >= len(t) {
		return 0
	}
	width, groups := 2, 6
	if t[e] == '.' {
		width, groups = 4, 3
	}
	sep := t[e]
	for at := s - 1 - width; at >= r.done && t[s-1] == sep && allHex(t[at:s-1]); at = s - 1 - width {
		s = at
	}
	if s > 0 && (isAlnum(t[s-1]) || t[s-1] == sep) {
		return 0
	}
	i := s
	for n := range groups {
		for range width {
			if i >= len(t) || !isHex(t[i]) {
				return 0
			}
			i++
		}
		if n < groups-1 {
			if i >= len(t) || t[i] != sep {
				return 0
			}
			i++
		}
	}
	if i < len(t) && (isAlnum(t[i]) || t[i] == sep && i+1 < len(t) && isHex(t[i+1])) {
		return 0
	}
	if id := r.squeeze(s, i); trivial(id) || sep == '.' && allNumbers(id) {
		return 0
	}
	confidence := 0.85
	if sep == '-' && allNumbers(r.squeeze(s, i)) && !r.whole(s, i) {
		confidence = 0.3
	}
	r.add(r.x.byID["mac_address"], s, i, confidence)
	return i
}

func allHex(s string) bool {
	for i := range len(s) {
		if !isHex(s[i]) {
			return false
		}
	}
	return true
}
