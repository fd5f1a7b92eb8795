package classify

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Tokens splits a name in camelCase, snake_case, kebab-case, dotted or spaced form into lower-case words.
func Tokens(name string) []string {
	var tokens []string
	start, last := -1, rune(0) // start of the current word; the previous character
	flush := func(end int) {
		if start >= 0 {
			if tokens == nil {
				tokens = make([]string, 0, 4) // most names have at most four
			}
			tokens = append(tokens, strings.ToLower(name[start:end]))
			start = -1
		}
	}
	for i, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush(i)
			last = r
			continue
		case unicode.IsUpper(r) && (unicode.IsLower(last) || // getFile
			unicode.IsUpper(last) && beforeLower(name[i:])): // HTTPServer
			flush(i)
		}
		if start < 0 {
			start = i
		}
		last = r
	}
	flush(len(name))
	return tokens
}

// beforeLower reports whether the second character of s is a lower-case letter.
func beforeLower(s string) bool {
	_, size := utf8.DecodeRuneInString(s)
	r, _ := utf8.DecodeRuneInString(s[size:])
	return unicode.IsLower(r)
}

// set is a set of words. It is built when it is first used, because most runs of the program use few of the sets.
type set struct {
	lists []string
	once  sync.Once
	words map[string]struct{}
}

func words(lists ...string) *set { return &set{lists: lists} }

func (s *set) fill() {
	s.words = map[string]struct{}{}
	for _, list := range s.lists {
		for w := range strings.FieldsSeq(list) {
			s.words[w] = struct{}{}
		}
	}
}

func (s *set) has(w string) bool {
	s.once.Do(s.fill)
	_, ok := s.words[w]
	return ok
}

// and returns the union of both sets.
func (s *set) and(other *set) *set { return words(slices.Concat(s.lists, other.lists)...) }

// in reports whether one of the tokens is in s.
func (s *set) in(tokens []string) bool { _, ok := s.any(tokens); return ok }

// any returns the first token that is in s.
func (s *set) any(tokens []string) (string, bool) {
	for _, t := range tokens {
		if s.has(t) {
			return t, true
		}
	}
	return "", false
}
