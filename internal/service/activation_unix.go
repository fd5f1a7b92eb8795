//go:build unix

package service

import (
	"net"
	"os"
	"syscall"
)

// inherit returns the listener of an inherited file.
//
// It calls listen(2) again: whoever connects to a Unix socket is told the process that called it
// last (SO_PEERCRED), and `mcpproxy stop` must see the daemon there and not the service manager.
func inherit(fd int) (net.Listener, error) {
	syscall.CloseOnExec(fd)
	f := os.NewFile(uintptr(fd), "inherited socket")
	defer f.Close() // the listener has a copy
	if err := syscall.Listen(fd, syscall.SOMAXCONN); err != nil {
		return nil, os.NewSyscallError("listen", err)
	}
	return net.FileListener(f)
}
