// Package cputime measures processor time. Tests compare processor times, because other programs on the machine do not
// change them.
//
// Only tests import this package.
package cputime

import (
	"runtime"
	"time"
)

// Of returns the processor time that f takes on its own thread. It does not count work that f starts on other threads.
func Of(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := now()
	f()
	return now() - start
}
