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

// endSignal is the signal that turns the kill switch on.
var endSignal os.Signal = syscall.SIGUSR1

// listenPrivately opens a Unix socket that other users can never open, not even for a moment.
func listenPrivately(path string) (net.Listener, error) {
	old := syscall.Umask(0o177)
	defer syscall.Umask(old)
	return net.Listen("unix", path)
}

// descriptors returns how many files the process may have open.
func descriptors() int {
	var limit syscall.Rlimit // Go raises the soft limit to the hard limit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return math.MaxInt32
	}
	return int(min(limit.Cur, math.MaxInt32))
}
