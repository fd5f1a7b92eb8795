package classify

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sqlTokens splits SQL into words, punctuation and quoted strings, and drops comments. It keeps the content of a
// comment that MySQL executes (/*! … */). If mysql is set, a backslash escapes a quote, a hash begins a comment, and
// two dashes begin one only before white space. Otherwise comments can be nested.
func sqlTokens(s string, mysql bool) []sqlToken {
	var out []sqlToken
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '#' && mysql, strings.HasPrefix(s[i:], "--") && (!mysql || i+2 == len(s) || s[i+2] <= ' '):
			i += until(s[i:], "\n")
		case strings.HasPrefix(s[i:], "/*!"):
			for i += len("/*!"); i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
			}
		case strings.HasPrefix(s[i:], "/*"):
			if mysql {
				i += len("/*") + until(s[i+len("/*"):], "*/")
			} else {
				i += comment(s[i:])
			}
		case strings.HasPrefix(s[i:], "*/"):
			i += len("*/")
		case c == '\'' || c == '"' || c == '`':
			text, size := quote(s[i:], mysql)
			if c == '\'' {
				out = append(out, sqlToken{text, true})
			} else {
				out = append(out, sqlToken{"name", false})
			}
			i += size
		case c == '$' && dollar(s[i:]) != "":
			tag := dollar(s[i:])
			end := strings.Index(s[i+len(tag):], tag)
			if end < 0 {
				end = len(s) - i - len(tag)
			}
			out = append(out, sqlToken{s[i+len(tag) : i+len(tag)+end], true})
			i = min(i+2*len(tag)+end, len(s))
		default:
			size := word(s[i:])
			if size == 0 {
				_, size = utf8.DecodeRuneInString(s[i:])
				if !unicode.IsSpace(rune(c)) {
					out = append(out, sqlToken{s[i : i+size], false})
				}
			} else {
				out = append(out, sqlToken{strings.ToLower(s[i : i+size]), false})
			}
			i += size
		}
	}
	return out
}

// until returns the number of bytes of s up to and including the first occurrence of end.
func until(s, end string) int {
	if i := strings.Index(s, end); i >= 0 {
		return i + len(end)
	}
	return len(s)
}

// comment returns the length of the comment at the beginning of s, including nested ones.
func comment(s string) int {
	depth := 0
	for i := 0; i+1 < len(s); i++ {
		switch s[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			if depth--; depth == 0 {
				return i + 2
			}
			i++
		}
	}
	return len(s)
}

// word returns the length of the word at the beginning of s.
func word(s string) int {
	for i, r := range s {
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return i
		}
	}
	return len(s)
}

// quote returns the text of the quoted string at the beginning of s, and its length with the quotes. A doubled quote
// does not end it.
func quote(s string, backslash bool) (text string, size int) {
	for i := 1; i < len(s); i++ {
		switch {
		case backslash && s[i] == '\\':
			i++
		case s[i] != s[0]:
		case i+1 < len(s) && s[i+1] == s[0]:
			i++
		default:
			return strings.ReplaceAll(s[1:i], s[:1]+s[:1], s[:1]), i + 1
		}
	}
	return s[1:], len(s)
}

// dollar returns the tag, such as $$ or $tag$, of the dollar-quoted string at the beginning of s.
func dollar(s string) string {
	n := 1 + word(s[1:])
	if n < len(s) && s[n] == '$' {
		return s[:n+1]
	}
	return ""
}
