package daemon

import (
	"math"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// errInUse says that another process listens at an address.
const errInUse = windows.WSAEADDRINUSE

// endSignal is the signal that turns the kill switch on. Windows never sends it.
var endSignal os.Signal = syscall.SIGTRAP

// listenPrivately opens a Unix socket. It inherits the access list of its folder, which is in the
// user's profile.
func listenPrivately(path string) (net.Listener, error) { return net.Listen("unix", path) }

// descriptors returns how many files the process may have open. Windows has no fixed limit.
func descriptors() int { return math.MaxInt32 }
