//go:build race

package worker

// watched is true where the race detector watches: it needs more memory for itself
// than a worker may have.
const watched = true
