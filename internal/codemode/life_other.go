//go:build !linux && unix

package codemode

import "syscall"

// workerAttributes gives a process a group of its own: the kernel hangs it up when whoever has
// started it is gone and it is halted, and could not see so itself.
func workerAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
