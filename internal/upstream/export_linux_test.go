package upstream

import "errors"

// Offline says why a server cannot have a network namespace; nil where it can.
func Offline() error { return offline() }

// ForbidNamespaces has no server get a network namespace until the test is over.
func ForbidNamespaces(cleanup func(func())) {
	before := offline
	cleanup(func() { offline = before })
	offline = func() error { return errors.New("the test forbids it") }
}
