// Package lazyregexp provides regular expressions that are compiled on first use. Compiling all of them would take a
// large part of the program's start, and most runs use only a few. (The Go distribution has an internal package of the
// same name for the same purpose.)
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that returns the compiled expression. The function panics if the expression is invalid.
func New(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
