//go:build !race

package upstream_test

// Outcomes of a test server that runs out of memory.
const (
	memoryMB = 256
	leaking  = "leak"
)
