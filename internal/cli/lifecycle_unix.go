//go:build unix

package cli

import (
	"errors"
	"syscall"
)

// endByForce ends a process that does not end by itself.
const endByForce = "kill -9 %[1]d"

// askToEnd tells a process to stop. One that has ended already, as its service may have it, is no error.
func askToEnd(pid int) error {
	err := syscall.Kill(pid, syscall.SIGTERM)
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}
