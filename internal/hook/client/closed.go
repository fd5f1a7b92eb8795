package client

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"time"
)

// Files beside the daemon's socket that hooks read and write without a daemon.
const (
	// ClosedFile is there while security.hooks.fail_open is false: a hook that gets no
	// answer denies the call. The daemon and `mcpproxy hook install` keep it.
	ClosedFile = "FAIL_CLOSED"
	// UnseenFile lists the calls that passed without a daemon, one a line: when, in
	// milliseconds since 1970, and by which agent. The daemon reads and removes it.
	UnseenFile = "hooks.unseen"
)

// maxUnseen is the size that the list of unseen calls may reach, in bytes. Beyond it only
// the file's time of change goes on.
const maxUnseen = 64 << 10

// errClosed is why calls are denied where no daemon answers and hooks fail closed.
var errClosed = errors.New("mcpproxy does not answer, and security.hooks.fail_open is false: the call is denied. " +
	"The user can start it in a terminal of their own: mcpproxy serve")

// beside is the path of a file in the folder of the daemon's socket.
func beside(socket, name string) string {
	return socket[:strings.LastIndexByte(socket, '/')+1] + name
}

// failsClosed reports whether calls are denied where no daemon answers.
func failsClosed(socket string) bool {
	_, err := os.Lstat(beside(socket, ClosedFile))
	return err == nil
}

// noteUnseen notes that a call passes which nobody has judged. It never fails the call:
// a folder that is not there is that of a daemon which has never run.
func noteUnseen(socket, agent string, at time.Time) {
	path := beside(socket, UnseenFile)
	if info, err := os.Lstat(path); err == nil && (!info.Mode().IsRegular() || info.Size() > maxUnseen) {
		if info.Mode().IsRegular() {
			_ = os.Chtimes(path, at, at)
		}
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = f.WriteString(
		strconv.FormatInt(at.UnixMilli(), 10) + " " + strings.Map(plainByte, agent[:min(len(agent), maxAgent)]) + "\n",
	)
}

// maxAgent bounds the name of an agent in the list, in bytes.
const maxAgent = 64

func plainByte(r rune) rune {
	if r <= ' ' || r > '~' {
		return -1
	}
	return r
}
