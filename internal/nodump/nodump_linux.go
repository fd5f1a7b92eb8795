package nodump

import (
	"fmt"
	"syscall"
)

// Set makes the memory and the environment of this process unreadable for the user's other programs, and forbids core
// dumps. What this process starts has no core dumps either, and is readable again. The user's own programs read a few
// entries of /proc/PID no more; its state and command line stay open to all.
func Set() error {
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return fmt.Errorf("forbidding core dumps: %w", err)
	}
	if _, _, e := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_DUMPABLE, 0, 0); e != 0 {
		return fmt.Errorf("closing the memory of this process: %w", e)
	}
	return nil
}

// Show undoes what [Set] does to a program that talks to the daemon over TCP: the daemon
// finds out whose a connection is by what each process has open, and takes one that hides
// it for the worst that it may be (package peer).
func Show() error {
	if _, _, e := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_DUMPABLE, 1, 0); e != 0 {
		return fmt.Errorf("showing the connections of this process: %w", e)
	}
	return nil
}
