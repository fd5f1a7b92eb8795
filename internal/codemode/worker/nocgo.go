//go:build !cgo

package worker

// isCgo says whether threads may run that Go has not made.
const isCgo = false
