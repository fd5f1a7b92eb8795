//go:build unix

package service

import "syscall"

// apart starts a process in its own session, so that closing the terminal does not end it.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
