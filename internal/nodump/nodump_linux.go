package nodump

import (
	"fmt"
	"syscall"
)

// Set makes the memory and the environment of this process unreadable for the user's other programs, and forbids core
// dumps. Children of this process cannot dump core either, but their memory is readable again. The user's programs can
// still read the state and the command line in /proc/PID, but not some of the other entries.
func Set() error {
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return fmt.Errorf("forbidding core dumps: %w", err)
	}
	if _, _, e := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_DUMPABLE, 0, 0); e != 0 {
		return fmt.Errorf("closing the memory of this process: %w", e)
	}
	return nil
}

// Show undoes the effect of [Set] on the memory of a program that talks to the daemon over TCP. The daemon looks at
// the open files of processes to find out which process a connection belongs to. If a process hides its open files,
// the daemon treats it as the least trusted process that it may be (package peer).
func Show() error {
	if _, _, e := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_DUMPABLE, 1, 0); e != 0 {
		return fmt.Errorf("showing the connections of this process: %w", e)
	}
	return nil
}
