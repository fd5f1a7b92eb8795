//go:build race

package upstream_test

// A program with the race detector reserves more memory than any limit allows. So the test server has no memory limit
// here, and its tool exits instead of exceeding the limit.
const (
	memoryMB = 0
	leaking  = "die"
)
