//go:build linux && !amd64 && !arm64

package upstream

// System calls are not filtered on this processor.
var refusedCalls, refusedModes, unknownCalls []uint32
