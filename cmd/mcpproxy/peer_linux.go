package main

import (
	"net"
	"syscall"
)

// peerUID is the user at the other end of a Unix socket.
func peerUID(conn net.Conn) (uid int, known bool) {
	unix, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, false
	}
	raw, err := unix.SyscallConn()
	if err != nil {
		return 0, false
	}
	var cred *syscall.Ucred
	controlErr := raw.Control(func(fd uintptr) {
		cred, err = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if controlErr != nil || err != nil {
		return 0, false
	}
	return int(cred.Uid), true
}
