//go:build unix

package daemon

import (
	"math"
	"net"
	"os"
	"syscall"
)

// errInUse says that another process listens at an address.
const errInUse = syscall.EADDRINUSE

// endSignal turns the kill switch on.
var endSignal os.Signal = syscall.SIGUSR1

// listenPrivately opens a Unix socket that is never open to others, not for a moment.
func listenPrivately(path string) (net.Listener, error) {
	old := syscall.Umask(0o177)
	defer syscall.Umask(old)
	return net.Listen("unix", path)
}

// descriptors is how many files the process may have open.
func descriptors() int {
	var limit syscall.Rlimit // Go has raised the soft limit to the hard one
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return math.MaxInt32
	}
	return int(min(limit.Cur, math.MaxInt32))
}
