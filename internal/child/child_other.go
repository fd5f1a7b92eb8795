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

// StartConfined does what [Start] does: this system has no namespaces of process IDs.
func StartConfined(cmd *exec.Cmd) (*Family, error) { return Start(cmd) }

// StartOffline fails: this system has no namespaces of the network.
func StartOffline(*exec.Cmd) (*Family, error) { return nil, errors.ErrUnsupported }

// Namespaces returns false: this system has no namespaces of process IDs.
func Namespaces() bool { return false }

// Wait waits for a child that [Start] started.
func Wait(cmd *exec.Cmd) error { return cmd.Wait() }

// Signal sends sig to the process group of a child.
func Signal(pid int, sig syscall.Signal) { _ = syscall.Kill(-pid, sig) }

// Family is a child and the processes that descend from it.
type Family struct{ pid int }

// Look does nothing: the process group is what is known of a family here.
func (f *Family) Look() {}

// Kill kills the child's process group.
func (f *Family) Kill() { Signal(f.pid, syscall.SIGKILL) }

// Adopt does nothing: this system does not hand orphans to another process than init.
func Adopt() error { return nil }

// EndOrphans does nothing: without [Adopt] this process gets no orphans.
func EndOrphans() int { return 0 }
