package redact

import "strings"

// The marks that replace removed text.
const (
	urlMark        = "[url]"
	addressMark    = "[address]"
	pathMark       = "[path]"
	credentialMark = "[credential]"
	traceMark      = "[trace]"

	// The mark for text that is shorter than the other marks.
	hostMark = "[host]"
	keyMark  = "[key]"
)

// ErrorTo returns the text of an error in the form that an agent may read. known reports whether the agent itself has
// sent a path, an address or a URL, which then stays; it may be nil. [Sent] returns such a function. names are the
// names of tools and servers, which sometimes look like credentials.
func ErrorTo(text string, known func(string) bool, names ...string) string {
	for range maxPasses {
		s := scanner{s: withoutTraces(text), known: known, names: names}
		again := s.run()
		if again == text {
			break
		}
		text = again
	}
	return text
}

// maxPasses is the maximum number of passes over a text. More than one is needed because removing a part can join the
// text before and after it to another secret.
const maxPasses = 8

// Secrets removes only the credentials from text, for references that must keep working.
func Secrets(text string) string {
	s := scanner{s: text, secrets: true}
	return s.run()
}

// Member is [ErrorTo] for the value of a member of a JSON object.
func Member(name, value string, known func(string) bool, names ...string) string {
	switch {
	case value != "" && isSecretName(name) && !isProse(value):
		return fit(value, credentialMark, keyMark)
	case named[name] && isPointerValue(value):
		return Secrets(value)
	}
	return ErrorTo(value, known, names...)
}

// SecretMember is [Secrets] for the value of a member of a JSON object.
func SecretMember(name, value string) string {
	if value != "" && isSecretName(name) && !isProse(value) {
		return fit(value, credentialMark, keyMark)
	}
	return Secrets(value)
}

// fit returns the first mark that is not longer than the text it replaces; "" if all are longer.
func fit(gone string, marks ...string) string {
	for _, m := range append(marks, "…", "*") {
		if len(m) <= len(gone) {
			return m
		}
	}
	return ""
}

// scanner reads a text once. At each position where something can begin, it checks what begins there.
type scanner struct {
	s       string
	known   func(string) bool
	names   []string
	secrets bool // removes credentials only

	out    strings.Builder
	copied int     // end of the copied part of s
	words  [8]span // the last words that stay
	seen   int     // number of words that stay
	route  int     // end of the last path that stays
}

type span struct{ from, end int }

func (s *scanner) run() string {
	for i := 0; i < len(s.s); {
		end := i
		switch c := s.s[i]; {
		case isWord(c):
			end = s.word(i)
		case s.secrets:
		case c == '/':
			end = s.path(i)
		case c == '\\':
			end = s.unc(i)
		case c == '~':
			end = s.home(i)
		case c == ':' || c == '[':
			if end = markEnd(s.s, i); end == i {
				end = s.address(i)
			}
		}
		i = max(end, i+1)
	}
	if s.copied == 0 {
		return s.s
	}
	s.out.WriteString(s.s[s.copied:])
	return s.out.String()
}

// cut replaces the text from i to end, and returns end. The replacement is the parameter with.
func (s *scanner) cut(i, end int, with string) int {
	s.out.WriteString(s.s[s.copied:i])
	s.out.WriteString(with)
	s.copied = end
	return end
}

// word processes the word at i, and returns the position at which to continue.
func (s *scanner) word(i int) int {
	end := i + 1
	for end < len(s.s) && isWord(s.s[end]) {
		end++
	}
	at := s.url(i, end)
	if at == i {
		at = s.credential(i, end)
	}
	if at == i {
		at = s.assignment(i, end)
	}
	if at == i {
		at = s.login(i, end)
	}
	if at == i {
		at = s.drive(i, end)
	}
	if at == i {
		at = s.host(i, end)
	}
	if at > i {
		return at
	}
	s.words[s.seen%len(s.words)] = span{i, end}
	s.seen++
	return end
}

// ended returns the end of the last word that stays.
func (s *scanner) ended() int {
	if s.seen == 0 {
		return 0
	}
	return s.words[(s.seen-1)%len(s.words)].end
}

// before returns the word directly before i, with only punctuation in between.
func (s *scanner) before(i int) string {
	if s.seen == 0 {
		return ""
	}
	w := s.words[(s.seen-1)%len(s.words)]
	if i-w.end > maxSigns || w.end < s.copied || s.s[w.end:i] != " " && trimSigns(s.s[w.end:i]) != "" {
		return ""
	}
	return s.s[w.from:w.end]
}

// maxSigns is the maximum number of bytes of punctuation between two words.
const maxSigns = 8

// markEnd returns the end of a mark at i, or i if there is none.
func markEnd(s string, i int) int {
	if s[i] != '[' {
		return i
	}
	for _, m := range []string{urlMark, addressMark, pathMark, credentialMark, traceMark, hostMark, keyMark} {
		if strings.HasPrefix(s[i:], m) {
			return i + len(m)
		}
	}
	return i
}

// keeps reports whether the agent itself has sent a text.
func (s *scanner) keeps(text string) bool { return s.known != nil && s.known(text) }
