package flow

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpproxy/internal/locate"
)

const (
	maxScheme = 12   // bytes of a URL before "://"
	maxLocal  = 64   // bytes of an address before its "@" (RFC 5321)
	maxHost   = 253  // bytes of a host's name (RFC 1035)
	maxURL    = 2048 // bytes of a URL that are read
)

// address is an address in a text: an e-mail address, a URL or a host name.
type address struct {
	text string
	kind string
	at   int // where it begins
}

// addresses yields the addresses in s, in order. They include single host names, which look like file names.
func addresses(s string) iter.Seq[address] { return addressesIn(s, true) }

// sureAddresses yields the addresses in s that are not single host names.
func sureAddresses(s string) iter.Seq[address] { return addressesIn(s, false) }

func addressesIn(s string, hosts bool) iter.Seq[address] {
	return func(yield func(address) bool) {
		if !hosts && !mayBeSure(s) { // most texts contain no such address
			return
		}
		for start, end := range punctuated(s) {
			word := s[start:end]
			if !hosts && !mayBeSure(word) {
				continue
			}
			if a, ok := addressIn(word); ok && (hosts || a.kind != kindHost) {
				if a.at += start; !yield(a) {
					return
				}
			}
		}
	}
}

// punctuated yields the positions of the words in s that contain a dot or a colon. Every address has one, and most
// words have none.
func punctuated(s string) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for dot, colon, i := -1, -1, 0; ; {
			if dot < i {
				dot = indexFrom(s, i, '.')
			}
			if colon < i {
				colon = indexFrom(s, i, ':')
			}
			at := min(dot, colon)
			if at == len(s) {
				return
			}
			start, end := addressStart(s[i:at])+i, addressEnd(s, at)
			if !yield(start, end) {
				return
			}
			i = end
		}
	}
}

// indexFrom returns the index of the first c in s from i on, or the length of s.
func indexFrom(s string, i int, c byte) int {
	if n := strings.IndexByte(s[i:], c); n >= 0 {
		return i + n
	}
	return len(s)
}

// addressStart returns the start of the characters at the end of s that an address can contain.
func addressStart(s string) int {
	i := len(s)
	for i > 0 {
		if c := s[i-1]; c < utf8.RuneSelf { // the usual case
			if addressBytes[c] == 0 {
				return i
			}
			i--
			continue
		}
		_, size := utf8.DecodeLastRuneInString(s[:i])
		if inAddress(s[i-size:i]) == 0 {
			return i
		}
		i -= size
	}
	return i
}

// mayBeSure reports whether a text can contain an address other than a host name.
func mayBeSure(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '@':
			return true
		case ':':
			if strings.HasPrefix(s[i:], "://") {
				return true
			}
		case 'w', 'W':
			if len(s)-i > 4 && strings.EqualFold(s[i:i+4], "www.") {
				return true
			}
		}
	}
	return false
}

// addressEnd returns the end of the characters that an address can contain.
func addressEnd(s string, i int) int {
	for i < len(s) {
		if c := s[i]; c < utf8.RuneSelf { // most characters
			if addressBytes[c] == 0 {
				return i
			}
			i++
			continue
		}
		size := inAddress(s[i:])
		if size == 0 {
			return i
		}
		i += size
	}
	return i
}

// inAddress returns the length of the first character of s, or 0 if an address cannot contain the character.
// Characters that end an address in Markdown, HTML and JSON end it, and so do letters of scripts without spaces
// between words.
func inAddress(s string) int {
	if c := s[0]; c < utf8.RuneSelf {
		return int(addressBytes[c])
	}
	r, size := utf8.DecodeRuneInString(s)
	if !unicode.In(r, unicode.L, unicode.M, unicode.Nd) || unicode.In(r, unspaced...) {
		return 0
	}
	return size
}

// addressBytes is 1 for each ASCII character that an address can contain.
var addressBytes = func() (table [utf8.RuneSelf]byte) {
	for c := byte('!'); c < 0x7f; c++ {
		if strings.IndexByte("\"'<>()[]{}|`,;\\", c) < 0 {
			table[c] = 1
		}
	}
	return table
}()

// unspaced are the scripts that write words without spaces between them.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// addressIn returns the address in a word. It leaves out the punctuation of the sentence and a prefix, as in
// "to=ann@example.com".
func addressIn(word string) (address, bool) {
	if strings.IndexByte(word, '.') < 0 && strings.IndexByte(word, ':') < 0 { // most words contain no address
		return address{}, false
	}
	word = strings.TrimRight(word[:min(len(word), maxURL)], ".:!?*_~=&")
	if i := strings.Index(word, "://"); i > 0 {
		start := i
		for start > 0 && i-start < maxScheme && isAlnum(word[start-1]) {
			start--
		}
		_, ok := hostOf(word[start:])
		return address{word[start:], kindURL, start}, ok
	}
	first := strings.IndexAny(word, "@.") // a prefix ends before this position
	if first < 0 {
		return address{}, false
	}
	start := strings.LastIndexAny(word[:first], "=:&?*#~") + 1
	word = word[start:]
	if mail := word[:mailEnd(word)]; isEmail(mail) {
		return address{mail, kindEmail, start}, true
	}
	_, ok := hostOf(word)
	if strings.Contains(word, "@") || len(word) > 4 && strings.EqualFold(word[:4], "www.") {
		return address{word, kindURL, start}, ok // git@example.com:path
	}
	return address{word, kindHost, start}, ok
}

// mailEnd returns the position at which an e-mail address ends. The rest of a link may follow it.
func mailEnd(word string) int {
	at := strings.IndexByte(word, '@') + 1
	if end := strings.IndexAny(word[at:], "?&=/"); at > 0 && end >= 0 {
		return at + end
	}
	return len(word)
}

// isEmail reports whether a word is an e-mail address.
func isEmail(word string) bool {
	at := strings.LastIndexByte(word, '@')
	return at > 0 && at <= maxLocal && isHost(word[at+1:])
}

// isHost reports whether s is a host name of at least two labels. A number is not a host name.
func isHost(s string) bool {
	s = strings.TrimSuffix(s, ".")
	dot := strings.LastIndexByte(s, '.')
	if dot < 1 || len(s) > maxHost || len(s)-dot < 3 || s[dot+1] >= '0' && s[dot+1] <= '9' {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !isAlnum(c) && c < utf8.RuneSelf && c != '-' && c != '_' && (c != '.' || i > 0 && s[i-1] == '.') {
			return false
		}
	}
	return s[0] != '.'
}

// isIP reports whether s has the form of an IP address: digits and dots, or
// hexadecimal digits and colons.
func isIP(s string) bool {
	dots, colons := strings.Count(s, "."), strings.Count(s, ":")
	for i := 0; i < len(s); i++ {
		c := s[i]
		hex := c|0x20 >= 'a' && c|0x20 <= 'f'
		if (c < '0' || c > '9') && c != '.' && c != ':' && (!hex || colons == 0) {
			return false
		}
	}
	return dots == 3 && colons == 0 || colons > 1
}

// hostOf returns the host in a URL, or in a host with or without a path.
func hostOf(s string) (string, bool) {
	host, _ := splitURL(s)
	return host, isHost(host) || isIP(host) || host == "localhost"
}

// splitURL takes a URL apart: its host without "www.", and its path.
func splitURL(s string) (host, path string) {
	host, path = locate.Split(s[:min(len(s), maxURL)])
	return strings.TrimPrefix(host, "www."), path
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
