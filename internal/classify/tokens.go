package classify

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Tokens splits a name in camelCase, snake_case, kebab-case, dotted or spaced
// form into lower-case words.
func Tokens(name string) []string {
	var tokens []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			tokens = append(tokens, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case i > 0 && unicode.IsUpper(r) && unicode.IsLower(runes[i-1]):
			flush() // getFile
		case i > 0 && i+1 < len(runes) && unicode.IsUpper(r) && unicode.IsUpper(runes[i-1]) && unicode.IsLower(runes[i+1]):
			flush() // HTTPServer
		}
		word = append(word, r)
	}
	flush()
	return tokens
}

// set is a set of words. It is filled when it is first asked: there are many, and
// most starts of the program ask none.
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

// and returns a set of the words of both.
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
