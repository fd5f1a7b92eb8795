package service

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
)

// firstInherited is the number of the first file that systemd passes (SD_LISTEN_FDS_START).
const firstInherited = 3

// maxInherited bounds the number of files that are accepted.
const maxInherited = 16

// Inherited returns the listening sockets that the service manager opened for this process
// (sd_listen_fds(3)). A second call returns none of them, and no child process inherits them.
func Inherited() ([]net.Listener, error) {
	if os.Getenv("LISTEN_PID") != strconv.Itoa(os.Getpid()) {
		return nil, nil // none were passed, or they were for a parent of this process
	}
	count, err := strconv.Atoi(os.Getenv("LISTEN_FDS"))
	for _, name := range []string{"LISTEN_PID", "LISTEN_PIDFDID", "LISTEN_FDS", "LISTEN_FDNAMES"} {
		if unset := os.Unsetenv(name); unset != nil {
			return nil, unset
		}
	}
	if err != nil || count < 0 || count > maxInherited {
		return nil, errors.New("the service manager passed sockets, but LISTEN_FDS does not contain their number")
	}
	var out []net.Listener
	for fd := firstInherited; fd < firstInherited+count; fd++ {
		l, err := inherit(fd)
		if err != nil {
			for _, opened := range out {
				opened.Close()
			}
			return nil, fmt.Errorf("using socket %d of the service manager: %w", fd, err)
		}
		out = append(out, l)
	}
	return out, nil
}
