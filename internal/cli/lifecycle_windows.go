package cli

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// endByForce ends a process that does not end by itself.
const endByForce = "taskkill /F /PID %[1]d"

// askToEnd ends a process: Windows has no signal that asks a program without a console to stop. The log and the files
// of state bear it, as they bear a power failure. A process that has ended already is no error.
func askToEnd(pid int) error {
	p, err := os.FindProcess(pid)
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) { // there is no such process
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = p.Release() }()
	if err := p.Kill(); !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ERROR_ACCESS_DENIED) {
		return err
	}
	return nil
}
