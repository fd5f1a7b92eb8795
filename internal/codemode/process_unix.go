//go:build unix

package codemode

import "syscall"

// Halt and Resume do nothing to a process that has ended.
func (w *process) Halt()   { _ = w.cmd.Process.Signal(syscall.SIGSTOP) }
func (w *process) Resume() { _ = w.cmd.Process.Signal(syscall.SIGCONT) }

// closeOnExec keeps a descriptor from programs that are started.
func closeOnExec(fd int) { syscall.CloseOnExec(fd) }
