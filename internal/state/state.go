// Package state says where session state lives. The interface is small enough
// for one machine's memory (state/memory) and for a shared store.
package state

import "time"

// Store keeps one value per session key. Implementations MUST be safe for
// concurrent use, MUST hand out the same value for a key until it expires, and
// MUST call their expiry function exactly once for each value that ends.
type Store[T any] interface {
	// Get returns the value of key, making it first when there is none, and
	// counts as a use.
	Get(key string) T
	// Peek returns the value of key without counting as a use.
	Peek(key string) (T, bool)
	// Put stores a value that was made elsewhere, such as before a restart, as if
	// it had been used at that time. A value that it replaces expires.
	Put(key string, value T, used time.Time)
	// End expires key at once. It reports whether there was such a key.
	End(key string) bool
	// All returns the present values by key.
	All() map[string]T
	// Close stops the expiry. Values that are present then do not end: state that
	// is kept elsewhere goes on after a restart.
	Close()
}
