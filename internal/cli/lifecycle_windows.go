package cli

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// endByForce kills a process that does not end by itself.
const endByForce = "taskkill /F /PID %[1]d"

// askToEnd kills a process, because Windows has no signal that asks a program without a console to
// stop. The log and the state files survive this like a power failure. It is no error if the
// process has already ended.
func askToEnd(pid int) error {
	p, err := os.FindProcess(pid)
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) { // the process does not exist
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
