package lazyregexp

import (
	"regexp"
	"sync"
)

// Filtered is a regular expression with a filter. Every match contains one of a few literal texts, and a search for
// those takes a small part of the time of the expression. So the expression only reads texts that contain one, and it
// is compiled when the first such text comes.
type Filtered struct {
	filter func() *filter
	regexp func() *regexp.Regexp
}

// NewFiltered returns the expression with a filter. Its methods panic if the expression is invalid.
func NewFiltered(expr string) *Filtered {
	return &Filtered{sync.OnceValue(func() *filter { return newFilter(expr) }), New(expr)}
}

// Admits reports whether a text can contain a match. It is true for every text with a match.
func (f *Filtered) Admits(s string) bool { return f.filter().admits(s) }

// Filters reports whether the filter excludes any text. It does not if a match contains no certain literal.
func (f *Filtered) Filters() bool { return f.filter().texts != nil }

// Regexp returns the compiled expression, without the filter.
func (f *Filtered) Regexp() *regexp.Regexp { return f.regexp() }

// MatchString is [regexp.Regexp.MatchString].
func (f *Filtered) MatchString(s string) bool { return f.Admits(s) && f.regexp().MatchString(s) }

// FindAllString is [regexp.Regexp.FindAllString].
func (f *Filtered) FindAllString(s string, n int) []string {
	if !f.Admits(s) {
		return nil
	}
	return f.regexp().FindAllString(s, n)
}

// FindAllStringIndex is [regexp.Regexp.FindAllStringIndex].
func (f *Filtered) FindAllStringIndex(s string, n int) [][]int {
	if !f.Admits(s) {
		return nil
	}
	return f.regexp().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch is [regexp.Regexp.FindAllStringSubmatch].
func (f *Filtered) FindAllStringSubmatch(s string, n int) [][]string {
	if !f.Admits(s) {
		return nil
	}
	return f.regexp().FindAllStringSubmatch(s, n)
}

// ReplaceAllString is [regexp.Regexp.ReplaceAllString].
func (f *Filtered) ReplaceAllString(s, by string) string {
	if !f.Admits(s) {
		return s
	}
	return f.regexp().ReplaceAllString(s, by)
}
