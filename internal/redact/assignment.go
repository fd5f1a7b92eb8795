package redact

import (
	"strings"
	"unicode/utf8"
)

// secretNames are the endings of names of secrets, without dashes and underscores.
var secretNames = []string{
	"password",
	"passwd",
	"pwd",
	"passphrase",
	"secret",
	"token",
	"apikey",
	"accesskey",
	"secretkey",
	"privatekey",
	"accountkey",
	"credential",
	"credentials",
	"authorization",
	"cookie",
	"sessionid",
	"pat",
	"signature",
	"sig",
	"awsaccesskeyid",
	"secretaccesskey",
}

// publicNames are words in names that only resemble those of secrets.
var publicNames = []string{"page", "next", "continu", "sync", "cursor", "progress", "unexpected", "invalid"}

// isSecretName reports whether a value with this name is a secret.
func isSecretName(name string) bool {
	if len(name) > 64 {
		return false
	}
	name = strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(name))
	for _, p := range publicNames {
		if strings.Contains(name, p) {
			return false
		}
	}
	for _, n := range secretNames {
		if strings.HasSuffix(name, n) && (len(n) > 3 || len(name) == len(n) || n == "pwd") {
			return true
		}
	}
	return false
}

// assignment removes the value that is assigned to the name from i to end, if it is the name of a secret: name=value,
// name: value, "name":"value". It also removes the host of a database's connection string.
func (s *scanner) assignment(i, end int) int {
	name := s.s[i:end]
	if at(s.s, end) == '=' && !s.secrets && isServerName(strings.ToLower(name)) {
		return s.server(i, end+1)
	}
	quoted := isQuote(at(s.s, end)) || at(s.s, end) == '\\' && at(s.s, end+1) == '"'
	for quoted && (at(s.s, end) == '\\' || isQuote(at(s.s, end))) {
		end++
	}
	sign := end
	for at(s.s, sign) == ' ' && sign < end+2 {
		sign++
	}
	sep, width := separator(s.s, sign)
	if sep == 0 || !isSecretName(name) {
		return i
	}
	from := sign + width
	if sep == ':' && at(s.s, from) == ':' || sep == '=' && strings.IndexByte("=>", at(s.s, from)) >= 0 {
		return i // in code
	}
	for at(s.s, from) == ' ' && from < sign+3 {
		from++
	}
	return s.value(i, from, sep == '=' && from == sign+1, !quoted && isAlsoWord(name))
}

// separator returns the sign between a name and its value at i, in ASCII, and its length; 0 if there is none.
func separator(s string, i int) (sep byte, width int) {
	switch c := at(s, i); {
	case c == '=' || c == ':':
		return c, 1
	case c < utf8.RuneSelf:
		return 0, 0
	case strings.HasPrefix(s[i:], "："):
		return ':', len("：")
	case strings.HasPrefix(s[i:], "＝"):
		return '=', len("＝")
	}
	return 0, 0
}

// isAlsoWord reports whether the name of a secret is also an ordinary word, after which the name of a thing may
// follow.
func isAlsoWord(name string) bool {
	return strings.EqualFold(name, "secret") || strings.EqualFold(name, "token")
}

func isServerName(name string) bool { return name == "server" || name == "host" || name == "source" }

// value removes the value of a secret at from. If tight is false, it may be the next word of a sentence; if spoken is
// true, it may be a name.
func (s *scanner) value(i, from int, tight, spoken bool) int {
	open := from
	for at(s.s, open) == '\\' && at(s.s, open+1) == '"' {
		open++
	}
	if q := at(s.s, open); isQuote(q) {
		n := strings.IndexAny(s.s[open+1:], string(q)+"\n")
		if n < 0 {
			n = len(s.s) - open - 1
		}
		value := strings.TrimRight(s.s[open+1:open+1+n], `\`)
		if value == "" || isProse(value) {
			return i
		}
		return s.cut(open+1, open+1+len(value), fit(value, credentialMark, keyMark))
	}
	if n := mark(s.s, open); n > 0 {
		from, tight = open+n, true
	}
	end := from
	for end < len(s.s) && !isSpace(s.s[end]) && strings.IndexByte(",;&\"'`)}<>\\", s.s[end]) < 0 && sign(s.s, end) == 0 {
		end++
	}
	value := strings.TrimRight(s.s[from:end], ".")
	if !tight && spoken && isSpoken(value) && (len(value) < 16 || strings.Contains(value, "/")) {
		return i
	}
	if value == "" || isNothing(value) || !tight && !isRandom(value) && len(value) < 16 ||
		strings.HasPrefix(value, "[") && value[1:] != "" && !strings.HasPrefix(value, credentialMark) {
		return i
	}
	return s.cut(from, from+len(value), fit(value, credentialMark, keyMark))
}

// server cuts out the host of a connection string, whose value begins at from.
func (s *scanner) server(i, from int) int {
	if isQuote(at(s.s, from)) {
		from++
	}
	end := from
	for end < len(s.s) && !isSpace(s.s[end]) && strings.IndexByte(";,\"'`)", s.s[end]) < 0 && sign(s.s, end) == 0 {
		end++
	}
	if end == from || !isConnection(s.s[end:]) || s.keeps(s.s[from:end]) {
		return i
	}
	return s.cut(from, end, fit(s.s[from:end], addressMark, hostMark))
}

// isConnection reports whether the text after a host continues a connection string.
func isConnection(after string) bool {
	next := strings.ToLower(strings.TrimLeft(after[:min(len(after), 16)], "'\" ,;)("))
	return strings.HasPrefix(after, ";") || len(next) < min(len(after), 16) &&
		(strings.HasPrefix(next, "port=") || strings.HasPrefix(next, "user=") || strings.HasPrefix(next, "dbname="))
}

// isNothing reports whether a value means that there is no value.
func isNothing(s string) bool {
	switch strings.ToLower(s) {
	case "null",
		"none",
		"nil",
		"undefined",
		"true",
		"false",
		"yes",
		"no",
		"empty",
		"required",
		"string",
		"number",
		"integer",
		"boolean",
		"object",
		"array":
		return true
	}
	return false
}

// isProse reports whether a value is a remark about the expected value.
func isProse(s string) bool {
	if isNothing(s) {
		return true
	}
	if !strings.Contains(s, " ") {
		return s == "missing" || s == "invalid" || s == "incorrect" || s == "expired"
	}
	s = strings.ToLower(s)
	for _, said := range []string{"required", "must", "should", "invalid", "expected", "missing", "cannot", "at least", "at most", "too short", "too long", " not ", "expired", "incorrect", "unknown"} {
		if strings.Contains(s, said) {
			return true
		}
	}
	return false
}
