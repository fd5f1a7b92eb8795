//go:build !linux && unix

package upstream

import "syscall"

// pipeBuf is how many bytes a pipe takes whole or not at all (POSIX, PIPE_BUF).
const pipeBuf = 512

func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func signalGroup(pid int, sig syscall.Signal) { _ = syscall.Kill(-pid, sig) }
