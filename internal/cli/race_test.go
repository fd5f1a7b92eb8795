//go:build race

package cli

// raceDetector is whether the tests run under the race detector.
const raceDetector = true
