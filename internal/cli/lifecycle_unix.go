//go:build unix

package cli

import (
	"errors"
	"syscall"
)

// endByForce kills a process that does not end by itself.
const endByForce = "kill -9 %[1]d"

// askToEnd sends a process the signal to stop. It is no error if the process has already ended, for
// example through its service.
func askToEnd(pid int) error {
	err := syscall.Kill(pid, syscall.SIGTERM)
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}
