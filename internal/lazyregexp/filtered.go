package lazyregexp

import (
	"regexp"
	"sync"
)

// Filtered is a regular expression with a filter. The filter holds literal texts, at least one of which occurs in
// every match. A search for these texts is much faster than running the expression, so the expression runs only on
// input that contains one of them. It is compiled when it runs for the first time.
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

// Filters reports whether the filter excludes any text. It excludes none if the expression may match without a known
// literal.
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
