//go:build !race

package upstream_test

// How a server of the tests runs out of memory.
const (
	memoryMB = 256
	leaking  = "leak"
)
