package redact

import "strings"

// What stands for something that was cut out.
const (
	urlMark        = "[url]"
	addressMark    = "[address]"
	pathMark       = "[path]"
	credentialMark = "[credential]"

	// The same for what is too short for these.
	hostMark = "[host]"
	keyMark  = "[key]"
)

// ErrorTo is the text of an error as an agent may read it. Known reports whether the
// agent itself has sent a path, an address or a URL, which then stays; it may be
// nil. [Sent] makes one.
func ErrorTo(text string, known func(string) bool) string {
	for range maxPasses {
		s := scanner{s: withoutTraces(text), known: known}
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
func Member(name, value string, known func(string) bool) string {
	if value != "" && isSecretName(name) && !isProse(value) {
		return fit(value, credentialMark, keyMark)
	}
	return ErrorTo(value, known)
}

// SecretMember is [Secrets] for the value that stands under a name of a JSON object.
func SecretMember(name, value string) string {
	if value != "" && isSecretName(name) && !isProse(value) {
		return fit(value, credentialMark, keyMark)
	}
	return Secrets(value)
}

// fit is the first of marks that is no longer than what it stands for.
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
	secrets bool // cut out credentials only

	out    strings.Builder
	copied int    // of s
	last   string // the last word that stays
	ended  int    // where it ended
}

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
			end = s.address(i)
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
	s.copied, s.last = end, ""
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
	s.last, s.ended = s.s[i:end], end
	return end
}

// before is the word right before i, with no more than a sign between.
func (s *scanner) before(i int) string {
	if i-s.ended > 3 || s.last == "" || strings.Trim(s.s[s.ended:i], " :='\"`(") != "" {
		return ""
	}
	return s.last
}

// keeps reports whether the agent has sent a text itself.
func (s *scanner) keeps(text string) bool { return s.known != nil && s.known(text) }

// isWord reports whether c can be part of a name. The bytes of letters beyond ASCII
// can.
func isWord(c byte) bool {
	return isAlnum(c) || c == '_' || c == '-' || c == '.' || c == '+' || c >= 0x80
}

func isAlnum(c byte) bool { return isDigit(c) || isLetter(c) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// at is the byte at i, or 0 where there is none.
func at(s string, i int) byte {
	if i < 0 || i >= len(s) {
		return 0
	}
	return s[i]
}
