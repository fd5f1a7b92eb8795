package cputime

import (
	"time"

	"golang.org/x/sys/unix"
)

// now returns the processor time of this thread (clock_gettime(2), CLOCK_THREAD_CPUTIME_ID).
func now() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return time.Duration(time.Now().UnixNano())
	}
	return time.Duration(t.Nano())
}
