package redact

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTails is the maximum number of suffixes of one path that are looked up.
const maxTails = 8

// Sent returns a function that reports whether a text is one of texts or a word of one.
func Sent(texts []string) func(string) bool {
	words := map[string]struct{}{}
	for _, t := range texts {
		words[t] = struct{}{}
		for w := range strings.FieldsFuncSeq(t, parts) {
			words[w] = struct{}{}
			words[strings.TrimRight(w, ".:/\\")] = struct{}{}
		}
	}
	delete(words, "")
	return func(s string) bool {
		_, ok := words[s]
		return ok
	}
}

// parts reports whether r ends a path or a URL.
func parts(r rune) bool {
	return strings.ContainsRune(" \t\r\n\"'`<>()[]{},;=|", r) ||
		r >= utf8.RuneSelf && (unicode.IsPunct(r) || unicode.IsSpace(r))
}

// maxPointers is the maximum size, in bytes, of all pointers into the arguments of one call.
const maxPointers = 1 << 20

// Pointers returns the JSON pointers to all values in a call's arguments. Validators use such pointers in their
// messages.
func Pointers(arguments []byte) []string {
	var value any
	if json.Unmarshal(arguments, &value) != nil {
		return nil
	}
	var out []string
	left := maxPointers
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	var walk func(at string, value any)
	walk = func(at string, value any) {
		if left -= len(at); left < 0 {
			return // further pointers would cost more than they help
		}
		if at != "" {
			out = append(out, at)
		}
		switch v := value.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				walk(at+"/"+escape.Replace(name), v[name])
			}
		case []any:
			for i, below := range v {
				walk(at+"/"+strconv.Itoa(i), below)
			}
		}
	}
	walk("", value)
	return out
}

// tail returns the longest suffix of a path that the agent has sent, including the separator before it. For example,
// the server's /srv/data/notes.txt is the agent's notes.txt.
func (s *scanner) tail(path string) string {
	if s.known == nil {
		return ""
	}
	found := ""
	for n := len(path) - 1; n > 0; n-- {
		if path[n] != '/' && path[n] != '\\' {
			continue
		}
		if s.known(path[n+1:]) {
			found = path[n:]
		}
		if strings.Count(path[n:], path[n:n+1]) >= maxTails {
			break
		}
	}
	return found
}
