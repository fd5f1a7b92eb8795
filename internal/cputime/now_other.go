//go:build !linux

package cputime

import "time"

// start is about the time at which the program started.
var start = time.Now()

// now returns the time since start. On these systems the package does not ask for the processor time of a thread.
func now() time.Duration { return time.Since(start) }
