package flow

import (
	"iter"
	"strings"

	"mcpproxy/internal/text"
)

// filledIn are the words that name a member which the system fills in, with people
// and places that it knows: those of recipients, and these.
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

// entries yields the values that a system filled in: JSON members and lines of
// YAML whose names say so, and bare items of lists. Values inside a text,
// or close to an instruction, do not count.
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

// lines reads s as YAML, without parsing all of it: "name: value" and "- item".
// What is indented deeper than a member with a value is part of that value, and
// a line that is neither ends the reading, so that what is quoted in a text is
// never taken for the system's own.
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

// outline is where in a text of lines the reading stands.
type outline struct {
	inside int    // the indentation of the value that deeper lines are part of; -1 when there is none
	under  string // the member without a value that the lines below it belong to
	depth  int    // its indentation
}

// read is the value that a line gives to whatever the system fills in; "" when
// it gives none. It reports whether the line was one of YAML.
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

// scalar is a short plain or quoted value of YAML; "" for all others, and for
// those that go on in the next line.
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
