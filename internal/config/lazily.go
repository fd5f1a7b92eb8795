package config

import (
	"regexp"
	"sync"
)

// lazily compiles a pattern when it is needed: together they would take a good part
// of the program's start.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
