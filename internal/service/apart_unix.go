//go:build unix

package service

import "syscall"

// apart has a process begin a session of its own, which the end of a terminal does not reach.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
