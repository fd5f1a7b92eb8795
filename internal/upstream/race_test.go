//go:build race

package upstream_test

// A program with the race detector reserves more memory than any limit allows. With it, the server exits instead of
// running out of memory.
const (
	memoryMB = 0
	leaking  = "die"
)
