package codemode

import "syscall"

// lifeline ties a process to the thread that starts it: the kernel ends it when that
// one is gone, also where it is halted and could not see so itself.
func lifeline() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
