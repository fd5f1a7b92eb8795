//go:build !linux && unix

package codemode

import "syscall"

// workerAttributes puts the worker into a process group of its own. If the host ends while the worker is suspended,
// the worker cannot notice this itself; the kernel then sends SIGHUP to the group.
func workerAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
