//go:build !linux && unix

package child

import (
	"errors"
	"os/exec"
	"syscall"
)

// Start starts cmd in a session of its own.
func Start(cmd *exec.Cmd) (*Family, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &Family{cmd.Process.Pid}, nil
}

// StartConfined does the same as [Start], because this system has no PID namespaces.
func StartConfined(cmd *exec.Cmd) (*Family, error) { return Start(cmd) }

// StartOffline fails, because this system has no network namespaces.
func StartOffline(*exec.Cmd) (*Family, error) { return nil, errors.ErrUnsupported }

// Namespaces returns false, because this system has no PID namespaces.
func Namespaces() bool { return false }

// Wait waits for a child that [Start] started.
func Wait(cmd *exec.Cmd) error { return cmd.Wait() }

// Signal sends sig to the process group of a child.
func Signal(pid int, sig syscall.Signal) { _ = syscall.Kill(-pid, sig) }

// Family is a child with its descendants, as far as they are in its process group.
type Family struct{ pid int }

// Look does nothing: the process group is sufficient on this system.
func (f *Family) Look() {}

// Kill kills the child's process group.
func (f *Family) Kill() { Signal(f.pid, syscall.SIGKILL) }

// Adopt does nothing: on this system, orphans are always reparented to init.
func Adopt() error { return nil }

// EndOrphans does nothing: without [Adopt], orphans are not reparented to this process.
func EndOrphans() int { return 0 }
