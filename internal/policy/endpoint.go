package policy

import (
	"net/netip"
	"strings"
	"unicode/utf8"

	"mcpproxy"
	"mcpproxy/internal/locate"
)

// Suspicious returns the suspicious host to which a call would connect. If the tool keeps data inside, only a value
// that is itself an address counts, because a note may mention an endpoint.
func (t *Tables) Suspicious(f Facts) (string, bool) {
	inside := f.Class().Side == mcpproxy.Internal && !f.Class().CanExfiltrate
	listed := endpoints(t.SuspiciousEndpoints)
	for _, s := range f.Strings {
		if inside && strings.ContainsAny(strings.TrimSpace(s), " \n\t") {
			continue
		}
		if host, ok := listed.namedIn(strings.ToLower(s)); ok {
			return host, true
		}
	}
	return "", false
}

// endpointList is the configured list, prepared for lookups.
type endpointList struct {
	hosts     []endpoint
	addresses map[netip.Addr]string // the values are as written in the list
	foreign   bool                  // a host contains non-ASCII letters
}

// endpoint is a host in the form for comparison, and as written in the list.
type endpoint struct{ ascii, listed string }

func endpoints(hosts []string) endpointList {
	var list endpointList
	for _, h := range hosts {
		if addr, ok := locate.IP(strings.Trim(h, "[]")); ok {
			if list.addresses == nil {
				list.addresses = map[netip.Addr]string{}
			}
			list.addresses[addr] = h
			continue
		}
		ascii := locate.ASCII(strings.TrimSuffix(strings.ToLower(h), "."))
		list.hosts = append(list.hosts, endpoint{ascii, h})
		list.foreign = list.foreign || strings.Contains(ascii, "xn--")
	}
	return list
}

// namedIn returns the host or address of the list that occurs in s, which is in lower case.
func (l *endpointList) namedIn(s string) (string, bool) {
	if !isASCII(s) {
		s = locate.Dots(s)
		if l.foreign {
			s += "\n" + foreignHosts(s)
		}
	}
	for _, h := range l.hosts {
		if namesHost(s, h.ascii) {
			return h.listed, true
		}
	}
	if len(l.addresses) == 0 {
		return "", false
	}
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return !locate.IPRune(r) }) {
		if host, ok := l.address(word); ok {
			return host, true
		}
		for part := range strings.SplitSeq(word, ":") { // a port or a name is attached
			if host, ok := l.address(part); ok {
				return host, true
			}
		}
	}
	return "", false
}

// address returns the entry of the list that has the same address as s.
func (l *endpointList) address(s string) (string, bool) {
	addr, ok := locate.IP(strings.TrimSuffix(s, "."))
	if !ok {
		return "", false
	}
	host, ok := l.addresses[addr]
	return host, ok
}

// namesHost reports whether s contains host or one of its subdomains.
func namesHost(s, host string) bool {
	for from := 0; host != ""; {
		i := strings.Index(s[from:], host)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(host)
		if (start == 0 || !hostByte(s[start-1]) || s[start-1] == '.') &&
			(end == len(s) || !hostByte(s[end]) || s[end] == '.' && (end+1 == len(s) || !hostByte(s[end+1]))) {
			return true
		}
		from = start + 1
	}
	return false
}

func hostByte(c byte) bool {
	return c == '-' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 0x80
}

// maxHost is the maximum length of a host name, in bytes of any script.
const maxHost = 4 * 253

// foreignHosts returns the host names in s that contain non-ASCII letters, in the form in which the DNS looks them
// up, one a line.
func foreignHosts(s string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return r < utf8.RuneSelf && !hostByte(byte(r)) }) {
		if len(word) <= maxHost && strings.Contains(word, ".") && !isASCII(word) {
			b.WriteString(locate.ASCII(strings.Trim(word, ".")) + "\n")
		}
	}
	return b.String()
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
