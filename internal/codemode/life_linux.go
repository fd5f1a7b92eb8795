package codemode

import "syscall"

// workerAttributes ties a process to the thread that starts it: the kernel kills the process when that
// thread ends, even while the process is suspended.
func workerAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
