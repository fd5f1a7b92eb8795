//go:build unix

package service

import "syscall"

// apart starts a process in its own session, so that closing the terminal does not end it.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// systemPath are the folders that every service searches.
var systemPath = []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}
