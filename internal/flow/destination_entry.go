package flow

import (
	"iter"
	"strings"

	"mcpproxy/internal/text"
)

// filledIn lists words in names of members that a system fills in with people and places. The words for recipients
// count too.
var filledIn = map[string]bool{
	"from":      true,
	"sender":    true,
	"author":    true,
	"organizer": true,
	"creator":   true,
	"shared":    true,
	"name":      true,
	"names":     true,
	"with":      true,
}

// entries yields the values that a system filled in: JSON members and lines of YAML whose names say so, and plain
// items of lists. It skips values inside a text and values near an instruction.
func entries(doc *text.Document, z zones) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i, part := range doc.Parts {
			if part.Kind == text.Key || part.Opened() {
				continue
			}
			if isFilled(doc.Name(part)) && len(part.Text) <= maxRecipient {
				if !z.hold(text.Span{Part: i, Start: 0, End: len(part.Text)}) && !yield(part.Text) {
					return
				}
				continue
			}
			if doc.Field(part) == "text" && !lines(part.Text, func(value string, start int) bool {
				return z.hold(text.Span{Part: i, Start: start, End: start + len(value)}) || yield(value)
			}) {
				return
			}
		}
	}
}

func isFilled(field string) bool {
	words := nameWords(field)
	return len(words) > 0 && (filledIn[words[len(words)-1]] || kindOf(field) != "" && kindOf(field) != kindAddress)
}

// lines reads "name: value" and "- item" lines of YAML without a full parser. A line that is indented deeper than a
// member with a value belongs to that value. Any other line ends the reading, so that quoted text is never taken for
// values of the system.
func lines(s string, yield func(value string, start int) bool) bool {
	l := outline{inside: -1}
	for at := 0; at < len(s); {
		end := at + len(s[at:])
		if n := strings.IndexByte(s[at:], '\n'); n >= 0 {
			end = at + n
		}
		value, ok := l.read(s[at:end])
		if !ok {
			return true
		}
		if value != "" && !yield(value, at) {
			return false
		}
		at = end + 1
	}
	return true
}

// outline is the state of reading lines of YAML.
type outline struct {
	inside int    // indentation of the value to which deeper lines belong, or -1
	under  string // the member without a value to which the following lines belong
	depth  int    // the indentation of that member
}

// read returns the value of a line if it belongs to a field that systems fill in, and "" otherwise. The second result
// reports whether the line was YAML.
func (l *outline) read(line string) (string, bool) {
	body := strings.TrimLeft(line, " ")
	indent := len(line) - len(body)
	if body == "" || l.inside >= 0 && indent > l.inside {
		return "", true
	}
	l.inside = -1
	left, item := indent, false
	for strings.HasPrefix(body, "- ") {
		body, item = strings.TrimLeft(body[2:], " "), true
		indent = len(line) - len(body)
	}
	name, value, member := strings.Cut(body, ":")
	if !member || value != "" && value[0] != ' ' || !isMember(name) {
		l.inside = left
		if item && (l.under == "" || isFilled(l.under)) {
			return scalar(body), true
		}
		return "", item
	}
	if item || indent <= l.depth {
		l.under = ""
	}
	if value = strings.TrimSpace(value); value == "" {
		l.under, l.depth = name, indent
		return "", true
	}
	l.inside = indent
	switch {
	case isFilled(name):
		return scalar(value), true
	case isFilled(l.under): // shared_with: {ann@example.com: rw}
		return scalar(name), true
	}
	return "", true
}

// isMember reports whether s can be the name of a member.
func isMember(s string) bool {
	if s == "" || len(s) > 2*maxLocal {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !isAlnum(s[i]) && strings.IndexByte("_-.@+", s[i]) < 0 {
			return false
		}
	}
	return true
}

// scalar returns a short plain or quoted value of YAML. It returns "" for other values and for values that continue on
// the next line.
func scalar(s string) string {
	if s == "" || len(s) > maxRecipient || strings.ContainsAny(s[:1], "[{|>&*!") {
		return ""
	}
	if quote := s[0]; quote == '\'' || quote == '"' {
		if len(s) < 2 || s[len(s)-1] != quote {
			return ""
		}
		return s[1 : len(s)-1]
	}
	return s
}
