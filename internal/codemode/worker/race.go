//go:build race

package worker

// watched is true under the race detector, which needs more memory than a worker may have.
const watched = true
