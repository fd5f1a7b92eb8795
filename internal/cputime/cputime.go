// Package cputime measures the work that tests compare: the time that a
// processor spends on it, in which whatever else the machine does has no part.
//
// Only tests import it.
package cputime

import (
	"runtime"
	"time"
)

// Of returns the processor time that f takes on its own thread. What f starts on other
// threads is not counted.
func Of(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := now()
	f()
	return now() - start
}
