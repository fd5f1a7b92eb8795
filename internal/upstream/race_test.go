//go:build race

package upstream_test

// A program with the race detector reserves more memory than any limit allows: in
// the place of running out of it, the server ends by itself.
const (
	memoryMB = 0
	leaking  = "die"
)
