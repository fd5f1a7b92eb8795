// Package lazyregexp makes patterns that are compiled when they are first needed:
// together they would take a good part of the program's start, and most starts use
// few of them. (The Go distribution has a package of this name for the same end.)
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a pattern. Asking for one that cannot be compiled panics.
func New(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
