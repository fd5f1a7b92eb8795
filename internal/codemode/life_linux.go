package codemode

import "syscall"

// lifeline ties a process to the thread that starts it: the kernel kills the process when that
// thread ends, even while the process is suspended.
func lifeline() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
