//go:build !cgo

package worker

// isCgo says whether threads may exist that Go has not created.
const isCgo = false
