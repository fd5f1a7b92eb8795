//go:build !race

package upstream_test

// memoryMB is the memory limit of a test server, and leaking is its tool that exceeds the limit.
const (
	memoryMB = 256
	leaking  = "leak"
)
