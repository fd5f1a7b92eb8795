package rig

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// ErrStuck is returned if a program does not end after SIGTERM.
var ErrStuck = errors.New("the daemon does not stop on SIGTERM")

// Process is a running program.
type Process struct {
	cmd    *exec.Cmd
	exited chan error
}

// Start starts a program that writes its output to the log.
func Start(cmd *exec.Cmd, log *Log) (*Process, error) {
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &Process{cmd: cmd, exited: make(chan error, 1)}
	go func() { p.exited <- cmd.Wait() }()
	return p, nil
}

// PID returns the process ID, or 0 if p is nil.
func (p *Process) PID() int {
	if p == nil {
		return 0
	}
	return p.cmd.Process.Pid
}

// Signal sends a signal.
func (p *Process) Signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// Exited receives the program's exit error, once.
func (p *Process) Exited() <-chan error { return p.exited }

// Check returns an error if the program has ended.
func (p *Process) Check() error {
	select {
	case err := <-p.exited:
		p.exited <- err
		return fmt.Errorf("the daemon ended at once: %v", err)
	default:
		return nil
	}
}

// Stop sends SIGTERM and returns the program's exit error. If the program does not end within the limit, Stop kills it
// and returns ErrStuck.
func (p *Process) Stop(limit time.Duration) error {
	_ = p.Signal(syscall.SIGCONT) // in case a test has suspended it
	_ = p.Signal(syscall.SIGTERM)
	select {
	case err := <-p.exited:
		return err
	case <-time.After(limit):
		p.Kill()
		return ErrStuck
	}
}

// wait waits for the end of the program and returns its exit error.
func (p *Process) wait() error { return <-p.exited }

// Kill ends the program with SIGKILL.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	_ = p.wait()
}
