package redact

import (
	"errors"
	"net/netip"
	"strings"
)

// suffixes end the names of hosts that only those inside can reach.
var suffixes = []string{".internal", ".local", ".lan", ".corp", ".intranet", ".localdomain", ".svc", ".cluster.local", ".home.arpa", ".private", ".consul"}

// reaching are words after which a host stands, as resolvers and dialers write them.
var reaching = map[string]bool{"ECONNREFUSED": true, "ECONNRESET": true, "ENOTFOUND": true, "EHOSTUNREACH": true, "ENETUNREACH": true,
	"ETIMEDOUT": true, "EAI_AGAIN": true, "EPIPE": true, "EADDRINUSE": true}

// places are words after which four numbers are an address, and no version.
var places = map[string]bool{"host": true, "address": true, "addr": true, "ip": true, "to": true, "from": true, "at": true, "connect": true,
	"peer": true, "server": true, "dial": true, "tcp": true, "udp": true, "on": true, "ping": true, "upstream": true, "gateway": true}

// versions are words after which four numbers are a version, and no address.
var versions = map[string]bool{"version": true, "v": true, "release": true, "ver": true, "build": true}

// host cuts out the address or the name of a host that stands from i to end.
func (s *scanner) host(i, end int) int {
	if s.secrets {
		return i
	}
	if at(s.s, end) == ':' && isHex(s.s[i:end]) {
		if stop := s.address(i); stop > i {
			return stop
		}
	}
	for end > i && strings.IndexByte(".-+", s.s[end-1]) >= 0 {
		end--
	}
	name := s.s[i:end]
	stop := portEnd(s.s, end)
	gone := false
	if ip, err := parseIPv4(name); err == nil {
		gone = stop > end || s.isAddress(i, ip)
		stop = maskEnd(s.s, stop)
	} else {
		gone = isInside(name) || stop > end && isReachable(name) || reaching[s.before(i)] && isName(name) && at(s.s, i-1) != '['
	}
	if !gone || s.keeps(s.s[i:stop]) || s.keeps(name) {
		return i
	}
	return s.cut(i, stop, fit(s.s[i:stop], addressMark, hostMark))
}

// errNoAddress says that a word does not look like one.
var errNoAddress = errors.New("no address")

// parseIPv4 is cheap for what is none, as most words are.
func parseIPv4(s string) (netip.Addr, error) {
	if s == "" || !isDigit(s[0]) || len(s) > len("255.255.255.255") {
		return netip.Addr{}, errNoAddress
	}
	return netip.ParseAddr(s)
}

// isAddress reports whether four numbers at i are an address, going by what stands
// around them.
func (s *scanner) isAddress(i int, ip netip.Addr) bool {
	word := strings.ToLower(s.before(i))
	if c := at(s.s, i-1); c == '/' || c == '=' && at(s.s, i-2) == '=' || versions[word] {
		return false
	}
	return ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() || places[word]
}

// address cuts out an IPv6 address that begins at i, in brackets or bare.
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

// plausible tells an address from names of code such as dead::beef, and from the
// numbers of network cards.
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

// portEnd is where a port ends that begins at i with its colon; i when none does.
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

// maskEnd is where the length of a network's prefix ends, as in 10.0.0.0/8.
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

// inside reports whether the authority of a URL tells of the inside: an address, a
// port, or a host that only those inside reach.
func inside(authority string) bool {
	name, _, port := strings.Cut(authority, ":")
	_, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return port || err == nil || strings.HasPrefix(authority, "[") || isInside(name)
}

// isInside reports whether only those inside can reach a host of this name.
func isInside(name string) bool {
	if strings.IndexByte(name, '.') < 0 {
		return false
	}
	name = strings.ToLower(name)
	for _, suffix := range suffixes {
		if strings.HasSuffix(name, suffix) && len(name) > len(suffix) && isName(name) {
			return true
		}
	}
	return false
}

// isReachable reports whether name, before a port, is a host and no file.
func isReachable(name string) bool {
	if name == "localhost" || strings.Count(name, ".") >= 2 && isName(name) {
		return true
	}
	_, top, ok := strings.Cut(name, ".")
	return ok && strings.Contains(" com net org io dev cloud app ai co example test ", " "+top+" ")
}

// isName reports whether s can be the name of a host: letters, digits, dashes, dots.
func isName(s string) bool {
	for i := range len(s) {
		if !isAlnum(s[i]) && s[i] != '-' && s[i] != '.' && s[i] != '_' {
			return false
		}
	}
	return s != "" && isAlnum(s[0])
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
