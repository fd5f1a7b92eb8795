package rig

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// ErrStuck is the error of a program that does not end when it is told to.
var ErrStuck = errors.New("the daemon does not stop on SIGTERM")

// Process is a running program.
type Process struct {
	cmd    *exec.Cmd
	exited chan error
}

// Start starts a program whose output goes to the log.
func Start(cmd *exec.Cmd, log *Log) (*Process, error) {
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &Process{cmd: cmd, exited: make(chan error, 1)}
	go func() { p.exited <- cmd.Wait() }()
	return p, nil
}

// PID returns the number of the process, or 0 if p is nil.
func (p *Process) PID() int {
	if p == nil {
		return 0
	}
	return p.cmd.Process.Pid
}

// Signal sends a signal.
func (p *Process) Signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// Exited receives the error of the program's end, once.
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

// Stop ends the program as an operator would and returns how it ended. A program that takes
// longer than the limit is killed, and the error is ErrStuck.
func (p *Process) Stop(limit time.Duration) error {
	_ = p.Signal(syscall.SIGCONT) // a test may have stopped it
	_ = p.Signal(syscall.SIGTERM)
	select {
	case err := <-p.exited:
		return err
	case <-time.After(limit):
		p.Kill()
		return ErrStuck
	}
}

// wait waits for the end of the program and returns its error.
func (p *Process) wait() error { return <-p.exited }

// Kill ends the program as the kernel would.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	_ = p.wait()
}
