//go:build !race

package e2e

// raceDetector is whether the tests run under the race detector.
const raceDetector = false
