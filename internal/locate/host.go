package locate

import (
	"net/netip"
	"strings"

	"golang.org/x/net/idna"
)

// dots replaces the characters that browsers treat as a dot in host names.
var dots = strings.NewReplacer("\u3002", ".", "\uff0e", ".", "\uff61", ".")

// Dots returns s with every character that a browser treats as the dot of a host name replaced by a dot.
func Dots(s string) string { return dots.Replace(s) }

// ASCII returns the host in the form in which it is looked up in the DNS. It returns a host that has no such form
// unchanged.
func ASCII(host string) string {
	if isASCII(host) && !strings.Contains(host, "xn--") {
		return strings.ToLower(host)
	}
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		return ascii
	}
	return host
}

// reserved are suffixes of names that no public server has: they are reserved by a standard, or will never be
// delegated.
var reserved = []string{
	"localhost",
	"local",
	"internal",
	"lan",
	"intranet",
	"localdomain",
	"home.arpa",
	"home",
	"corp",
	"test",
	"invalid",
}

// Domains are names whose hosts, including all subdomains, are inside. They are added to the hosts that are always
// inside.
type Domains []string

// Host reports whether a host name or IP address is inside: it is loopback, private or link-local, a name that no
// public server has, a name without a dot, such as the hosts of a compose file, or in one of the domains. An IP
// address in an unusual notation is never inside, because programs parse it in different ways.
func (d Domains) Host(host string) bool {
	if !isASCII(host) {
		if host = ASCII(strings.ToLower(Dots(host))); !isASCII(host) {
			return false
		}
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if a, ok := IP(host); ok {
		_, err := netip.ParseAddr(host)
		return err == nil && (a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsUnspecified())
	}
	if !isName(host) {
		return false
	}
	for _, end := range reserved {
		if under(host, end) {
			return true
		}
	}
	for _, domain := range d {
		if under(host, strings.TrimSuffix(strings.ToLower(ASCII(domain)), ".")) {
			return true
		}
	}
	return !strings.Contains(host, ".")
}

// Email reports whether the host of an e-mail address is inside.
func (d Domains) Email(address string) bool {
	i := strings.LastIndexByte(address, '@')
	return i >= 0 && d.Host(strings.TrimSpace(address[i+1:]))
}

// under reports whether host is domain or one of its subdomains.
func under(host, domain string) bool {
	above := len(host) - len(domain) - 1
	return domain != "" && strings.HasSuffix(host, domain) && (above < 0 || host[above] == '.')
}

// isName reports whether s, in lower case, is a host name and not a number.
func isName(s string) bool {
	letter := false
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z':
			letter = true
		case c == '.' && (i == 0 || s[i-1] == '.'):
			return false
		case c != '-' && c != '_' && c != '.' && (c < '0' || c > '9'):
			return false
		}
	}
	last := s[strings.LastIndexByte(s, '.')+1:]
	return letter && last != "" && (last[0] < '0' || last[0] > '9' || last == s)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
