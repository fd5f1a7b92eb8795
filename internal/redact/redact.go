package redact

import "strings"

// What stands for something that was cut out.
const (
	urlMark        = "[url]"
	addressMark    = "[address]"
	pathMark       = "[path]"
	credentialMark = "[credential]"
	traceMark      = "[trace]"

	// The same for what is too short for these.
	hostMark = "[host]"
	keyMark  = "[key]"
)

// ErrorTo is the text of an error as an agent may read it. Known reports whether the
// agent itself has sent a path, an address or a URL, which then stays; it may be
// nil. [Sent] makes one. Names are those of tools and servers, which sometimes
// look like credentials.
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

// maxPasses bounds how often a text is gone through: what was cut out may have
// stood between two halves of something else.
const maxPasses = 8

// Secrets is text without its credentials and nothing else: for what must go on
// working as a reference.
func Secrets(text string) string {
	s := scanner{s: text, secrets: true}
	return s.run()
}

// Member is [ErrorTo] for the value that stands under a name of a JSON object.
func Member(name, value string, known func(string) bool, names ...string) string {
	switch {
	case value != "" && isSecretName(name) && !isProse(value):
		return fit(value, credentialMark, keyMark)
	case named[name] && isPointerValue(value):
		return Secrets(value)
	}
	return ErrorTo(value, known, names...)
}

// SecretMember is [Secrets] for the value that stands under a name of a JSON object.
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

// scanner goes through a text once. At each place where something can begin it asks
// what begins there.
type scanner struct {
	s       string
	known   func(string) bool
	names   []string
	secrets bool // cut out credentials only

	out    strings.Builder
	copied int     // of s
	words  [8]span // the last ones that stay
	seen   int     // how many stay
	route  int     // where the last path that stays ends
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

// cut puts with in the place of the text from i to end, and returns end.
func (s *scanner) cut(i, end int, with string) int {
	s.out.WriteString(s.s[s.copied:i])
	s.out.WriteString(with)
	s.copied = end
	return end
}

// word looks at the word that begins at i, and returns where to go on.
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

// ended is where the last word ended that stays.
func (s *scanner) ended() int {
	if s.seen == 0 {
		return 0
	}
	return s.words[(s.seen-1)%len(s.words)].end
}

// before is the word right before i, with no more than signs between.
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

// maxSigns bounds the bytes of the signs between a word and the next.
const maxSigns = 8

// markEnd is where what was put for something else ends, if it begins at i.
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

// keeps reports whether the agent has sent a text itself.
func (s *scanner) keeps(text string) bool { return s.known != nil && s.known(text) }
