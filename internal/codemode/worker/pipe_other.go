//go:build !linux && unix

package worker

import "syscall"

func read(fd int, b []byte, _ bool) (int, error)  { return syscall.Read(fd, b) }
func write(fd int, b []byte, _ bool) (int, error) { return syscall.Write(fd, b) }
