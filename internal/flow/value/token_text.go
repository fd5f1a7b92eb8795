package value

import (
	"strings"

	"mcpproxy/internal/flow/table"
)

// text collects the values of running text: the cells of tables, the values in lines that assign a value to a name,
// and addresses, numbers and keys in other lines.
func (s *scanner) text(t string) {
	s.names = s.names[:0]
	inTable, wasNamed := byte(0), false
	var line string
	for more := t != ""; more; {
		line, t, more = strings.Cut(t, "\n")
		line = strings.TrimSuffix(line, "\r")
		if inTable != 0 {
			if isRule(line) {
				continue
			}
			if s.row(line, inTable) {
				continue
			}
			inTable = 0
		}
		if inTable = s.header(line, t); inTable != 0 {
			wasNamed = false
			continue
		}
		name, value, named := assignment(line)
		if !named || !wasNamed {
			s.next()
		}
		if wasNamed = named; !named || !s.value(name, value, true) {
			s.words(line)
		}
	}
	s.next()
}

// assignment splits a line that assigns a value to a name: NAME=value, name: value.
func assignment(line string) (name, value string, ok bool) {
	line = strings.TrimLeft(line, " \t-*")
	line = strings.TrimPrefix(line, "export ")
	at := strings.IndexAny(line, ":=")
	if at < 2 || at > 40 || at+1 == len(line) {
		return "", "", false
	}
	if line[at] == ':' && line[at+1] != ' ' && line[at+1] != '\t' {
		return "", "", false
	}
	name = strings.Trim(line[:at], " \t\"'`*")
	if name == "" || strings.ContainsAny(name, "(){}[]<>/\\.,;$") || strings.Count(name, " ") > 2 {
		return "", "", false
	}
	return name, line[at+1:], true
}

// words collects the addresses, the numbers, and the words with letters and digits of a line.
func (s *scanner) words(line string) {
	name := ""
	for i := 0; i < len(line); {
		if Breaks[line[i]] {
			i++
			continue
		}
		if n := s.grouped(line[i:]); n > 0 {
			i, name = i+n, ""
			continue
		}
		end := i + wordLength(line[i:])
		if strings.HasPrefix(line[end:], "://") {
			i, name = i+s.address(line[i:]), ""
			continue
		}
		if n := assigns(line[end:]); n > 0 && name == "" {
			name, i = line[i:end], end+n
			continue
		}
		if word := line[i:end]; name != "" || !isWord(word) {
			s.value(name, strings.TrimRight(word, ".!?"), false)
		}
		name, i = "", end
	}
}

// assigns returns the length of the assignment sign at the beginning of t: an equals sign or a colon, with quotes and
// spaces around it. It returns 0 without such a sign.
func assigns(t string) int {
	after := strings.TrimLeft(t, "\"' ")
	if after == "" || after[0] != '=' && after[0] != ':' {
		return 0
	}
	return len(t) - len(strings.TrimLeft(after[1:], "\"' "))
}

// isWord reports whether s consists of letters, as most words do. A word of letters is not a value, unless it is as
// long as a hash.
func isWord(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return len(s) < LeastHash
}

// wordLength returns the length of the word at the beginning of s.
func wordLength(s string) int {
	n := 0
	for n < len(s) && !Breaks[s[n]] {
		n++
	}
	return n
}

// address reads the URL at the beginning of t and adds its password. It returns the length of the URL.
func (s *scanner) address(t string) int {
	if end := strings.IndexAny(t, " \t\"'<>`"); end >= 0 {
		t = t[:end]
	}
	_, rest, _ := strings.Cut(t, "://")
	if user, _, ok := strings.Cut(rest, "@"); ok {
		_, password, ok := strings.Cut(user, ":")
		if ok && len(password) >= namedSecret && len(password) <= table.MaxToken {
			s.addKey(password)
		}
	}
	return len(t)
}

// grouped reads a value that may contain spaces and commas: the number, telephone number or account number at the
// beginning of t. It returns its length, or 0.
func (s *scanner) grouped(t string) int {
	if !groupBegins[t[0]] {
		return 0
	}
	if n := phoneLength(t); n > 0 {
		return s.whole(t[:n])
	}
	if n := accountLength(t); n > 0 {
		return s.whole(t[:n])
	}
	unsigned := trimSign(t)
	num, n := readNumber(unsigned)
	if n == 0 || num.hash == 0 || !endsWord(unsigned[n:]) {
		return 0
	}
	s.emit(num.hash, 0, classNumber)
	return len(t) - len(unsigned) + n
}

// groupBegins marks the first bytes of numbers, telephone numbers and account numbers.
var groupBegins = func() (table [256]bool) {
	for c := range table {
		table[c] = IsDigit(byte(c)) || isUpper(byte(c)) || isSign(byte(c))
	}
	return table
}()

// whole adds t as personal data.
func (s *scanner) whole(t string) int {
	s.emitSkeleton(skeletonOf(t), classPersonal)
	return len(t)
}

// phoneLength returns the length of the phone number at the beginning of t.
func phoneLength(t string) int {
	if len(t) < 9 || t[0] != '+' || !IsDigit(t[1]) {
		return 0
	}
	n := 1
	for n < len(t) && n < 24 && (IsDigit(t[n]) || strings.IndexByte(" -.()/", t[n]) >= 0) {
		n++
	}
	for !IsDigit(t[n-1]) {
		n--
	}
	if !isPhone("", t[:n]) {
		return 0
	}
	return n
}

// accountLength returns the length of the account number, in groups of four, at the beginning of t.
func accountLength(t string) int {
	n, groups := 0, 0
	for n <= maxAccount {
		size := 0
		for n+size < len(t) && (IsDigit(t[n+size]) || t[n+size] >= 'A' && t[n+size] <= 'Z') {
			size++
		}
		if size == 0 || size > 4 {
			break
		}
		n, groups = n+size, groups+1
		if size < 4 || n+1 >= len(t) || t[n] != ' ' && t[n] != '-' {
			break
		}
		n++
	}
	if groups < 3 {
		return 0
	}
	n = len(strings.TrimRight(t[:n], " -"))
	if n == 0 || !endsWord(t[n:]) || !isAccount(t[:n]) {
		return 0
	}
	return n
}

// endsWord reports whether t does not begin with the rest of a word.
func endsWord(t string) bool {
	switch {
	case t == "" || Breaks[t[0]]:
		return true
	case strings.IndexByte(".!?", t[0]) >= 0:
		return len(t) == 1 || Breaks[t[1]]
	}
	return t[0] == '%' || strings.HasPrefix(t, "€")
}
