package worker

import "syscall"

func read(fd int, b []byte, _ bool) (int, error)  { return syscall.Read(standard(fd), b) }
func write(fd int, b []byte, _ bool) (int, error) { return syscall.Write(standard(fd), b) }

// standard returns the handle of standard input (0) or output (1).
func standard(fd int) syscall.Handle {
	if fd == 0 {
		return syscall.Stdin
	}
	return syscall.Stdout
}
