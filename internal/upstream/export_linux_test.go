package upstream

import "errors"

// Offline returns the reason why a server cannot have a network namespace, or nil.
func Offline() error { return offline() }

// ForbidNamespaces prevents network namespaces for servers until the test ends.
func ForbidNamespaces(cleanup func(func())) {
	before := offline
	cleanup(func() { offline = before })
	offline = func() error { return errors.New("the test forbids it") }
}
