// Package state defines the interface of stores for session state. One implementation uses the memory of one machine
// (state/memory); others can use a shared store.
package state

import "time"

// Store keeps one value for each session key. Implementations MUST be safe for concurrent use, MUST return the same
// value for a key until it expires, and MUST call their expiry function exactly once for each value that expires.
type Store[T any] interface {
	// Get returns the value of key. It creates the value if there is none, and counts as a use.
	Get(key string) T
	// Peek returns the value of key. Unlike Get, it does not count as a use.
	Peek(key string) (T, bool)
	// Put stores a value that was created elsewhere, for example before a restart. This counts as a use at the given
	// time. A value that Put replaces expires.
	Put(key string, value T, used time.Time)
	// End makes key expire at once. It reports whether the key existed.
	End(key string) bool
	// All returns the current values by key.
	All() map[string]T
	// Close stops the expiry. The current values do not expire, because state that is also stored elsewhere continues
	// to exist after a restart.
	Close()
}
