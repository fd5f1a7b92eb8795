//go:build !race

package worker

const watched = false
