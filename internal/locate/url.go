package locate

import "strings"

// Where says where a URL points.
type Where uint8

// The three answers.
const (
	Nowhere Where = iota // the text is not a URL with a host
	Inside
	Outside
)

const (
	maxScheme = 20 // length of a scheme, in bytes
	maxRounds = 3  // nested percent encodings
)

// slashless are the schemes that programs also accept without slashes, as in https:host.
var slashless = map[string]bool{
	"http":  true,
	"https": true,
	"ws":    true,
	"wss":   true,
	"ftp":   true,
}

// URL says where s points. It also returns the host that decided: the first host that is outside, or otherwise the
// URL's own. A longer text that contains a URL does not count as a URL.
func (d Domains) URL(s string) (host string, where Where) {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f { // browsers ignore them
			return -1
		}
		return r
	}, strings.TrimSpace(s))
	if after, ok := authority(s); !ok || after == "" {
		return "", Nowhere
	}
	for round := 0; ; round++ {
		for rest := range urls(s) {
			h, inside := d.inside(rest)
			if host == "" {
				host = h
			}
			if !inside {
				return h, Outside
			}
		}
		plain := unescaped(s)
		if plain == s {
			return host, Inside
		}
		if s = plain; round == maxRounds {
			return host, Outside
		}
	}
}

// authority returns the part of a URL after the slashes: its host and everything after the host. ok is false for a
// file on this machine.
func authority(s string) (string, bool) {
	scheme := 0
	for scheme < len(s) && scheme <= maxScheme && schemeByte(s[scheme]) {
		scheme++
	}
	rest := s
	if scheme > 0 {
		if scheme == len(s) || s[scheme] != ':' {
			return "", false
		}
		rest = s[scheme+1:]
	}
	after := strings.TrimLeft(rest, `/\`)
	slashes := len(rest) - len(after)
	name := strings.ToLower(s[:scheme])
	if name == "file" && slashes == 3 {
		return "", false
	}
	return after, slashes >= 2 || slashless[name]
}

func schemeByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'
}

// urls yields the authority, and everything after it, of the URL s and of the URLs that s contains.
func urls(s string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		after, ok := authority(s)
		if !ok || !yield(after) {
			return
		}
		for i := len(s) - len(after); i < len(s); i++ {
			start := i
			switch s[i] {
			case ':':
				for start > 0 && i-start <= maxScheme && schemeByte(s[start-1]) {
					start--
				}
				if start == i {
					continue
				}
			case '=', ',', ';', '|': // a URL without a scheme as a value: =//host
				start = i + 1
				if start+1 >= len(s) || strings.IndexByte(`/\`, s[start]) < 0 {
					continue
				}
			default:
				continue
			}
			if after, ok := authority(s[start:]); ok && after != "" && len(s)-len(after) > i && !yield(after) {
				return
			}
		}
	}
}

// inside reports whether every host that some program reads at the beginning of rest is inside. For all programs a
// host ends at a slash; for some it also ends at a question mark, a number sign or a backslash.
func (d Domains) inside(rest string) (host string, ok bool) {
	host, ok = Authority(rest), true
	last := ""
	for _, ends := range []string{`/\?#&`, `/?#`, `/`} {
		whole := rest
		if i := strings.IndexAny(whole, ends); i >= 0 {
			whole = whole[:i]
		}
		if whole == last {
			continue // already checked
		}
		last = whole
		parts := strings.Split(whole, "@")
		if len(parts) > 1 {
			parts = parts[1:] // the user name precedes the @
		}
		for _, part := range parts {
			h, valid := portless(part)
			if !valid || !d.Host(h) {
				return h, false
			}
		}
	}
	return host, ok
}

// portless returns a host without its port and brackets.
func portless(s string) (host string, ok bool) {
	if rest, bracketed := strings.CutPrefix(s, "["); bracketed {
		host, port, closed := strings.Cut(rest, "]")
		return host, closed && isPort(port)
	}
	if host, port, found := strings.Cut(s, ":"); found && !strings.Contains(port, ":") {
		return host, isPort(":" + port)
	}
	return s, true
}

func isPort(s string) bool {
	return s == "" || s[0] == ':' && strings.Trim(s[1:], "0123456789") == ""
}

// Authority returns the host that a browser reads at the beginning of s, a URL without its scheme and slashes. The
// host is in lower case, without user, port and brackets. A browser reads a backslash as a slash.
func Authority(s string) string {
	host, _ := split(s)
	return host
}

// Split splits a URL, or a host with or without a path, into host and path. The host is that of [Authority] without
// its final dot. The path does not contain the query and the fragment.
func Split(s string) (host, path string) {
	if i := strings.Index(s, "://"); i >= 0 && i <= maxScheme {
		s = s[i+len("://"):]
	}
	if i := strings.IndexAny(s, "?#"); i >= 0 {
		s = s[:i]
	}
	return split(s)
}

func split(s string) (host, path string) {
	if i := strings.IndexAny(s, `/\?#`); i >= 0 {
		s, path = s[:i], s[i+1:]
	}
	s = s[strings.LastIndexByte(s, '@')+1:]
	if strings.HasPrefix(s, "[") {
		s, _, _ = strings.Cut(s[1:], "]")
	} else if before, after, found := strings.Cut(s, ":"); found && !strings.Contains(after, ":") {
		s = before
		if after != "" && (after[0] < '0' || after[0] > '9') {
			path = strings.TrimSuffix(after+"/"+path, "/") // git@example.com:team/project
		}
	}
	return strings.TrimRight(strings.ToLower(s), "."), path
}

// Served returns the target of a request with its path as servers read it: percent escapes are decoded once, and empty
// elements, "." and ".." are resolved as in RFC 3986, section 5.2.4.
func Served(request string) string {
	var path []string
	for _, element := range strings.Split(unescaped(request), "/") {
		switch {
		case element == "" || element == ".":
		case element == ".." && len(path) > 0:
			path = path[:len(path)-1]
		default:
			path = append(path, element)
		}
	}
	return "/" + strings.Join(path, "/")
}

// unescaped decodes one level of percent encoding. Malformed escapes stay.
func unescaped(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && hex(s[i+1]) >= 0 && hex(s[i+2]) >= 0 {
			b.WriteByte(byte(hex(s[i+1])<<4 | hex(s[i+2])))
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func hex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
