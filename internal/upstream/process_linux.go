package upstream

import "syscall"

// pipeBuf is how many bytes a pipe takes whole or not at all (POSIX, PIPE_BUF).
const pipeBuf = 4096

// childAttributes gives a server a process group of its own and has the kernel
// end it when this process dies, however it dies.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func signalGroup(pid int, sig syscall.Signal) { _ = syscall.Kill(-pid, sig) }
