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

// endSignal turns the kill switch on where a system has such a signal. Windows never sends it.
var endSignal os.Signal = syscall.SIGTRAP

// listenPrivately opens a Unix socket. It has the access list of its folder, which is within the user's profile.
func listenPrivately(path string) (net.Listener, error) { return net.Listen("unix", path) }

// descriptors is how many files the process may have open: Windows sets no number.
func descriptors() int { return math.MaxInt32 }
