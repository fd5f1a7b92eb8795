//go:build unix

package codemode

import "syscall"

// Halt and Resume have no effect on a process that has ended.
func (w *process) Halt()   { _ = w.cmd.Process.Signal(syscall.SIGSTOP) }
func (w *process) Resume() { _ = w.cmd.Process.Signal(syscall.SIGCONT) }

// closeOnExec prevents started programs from inheriting a descriptor.
func closeOnExec(fd int) { syscall.CloseOnExec(fd) }
