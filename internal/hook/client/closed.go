package client

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"time"
)

// Files next to the daemon's socket that hooks use without a daemon.
const (
	// ClosedFile exists while security.hooks.fail_open is false: a hook that gets no answer denies
	// the call. The daemon and `mcpproxy hook install` create and remove it.
	ClosedFile = "FAIL_CLOSED"
	// UnseenFile lists the calls that passed without a decision, one on each line: the time in milliseconds since
	// 1970, and the agent. The daemon reads and removes it.
	UnseenFile = "hooks.unseen"
)

// maxUnseen is the maximum size of the list of unseen calls, in bytes. Beyond it only the file's
// modification time is updated.
const maxUnseen = 64 << 10

// errClosed is the reason for denied calls if no daemon answers and hooks fail closed.
var errClosed = errors.New("mcpproxy does not answer, and security.hooks.fail_open is false: the call is denied. " +
	"The user can start it in a terminal of their own: mcpproxy serve")

// beside returns the path of a file in the folder of the daemon's socket.
func beside(socket, name string) string {
	return socket[:strings.LastIndexByte(socket, '/')+1] + name
}

// failsClosed reports whether calls are denied if no daemon answers.
func failsClosed(socket string) bool {
	_, err := os.Lstat(beside(socket, ClosedFile))
	return err == nil
}

// noteUnseen records that the agent makes a call which no daemon evaluated. It ignores errors: if the
// folder is missing, no daemon has ever run.
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

// maxAgent is the maximum length of an agent's name in the list, in bytes.
const maxAgent = 64

func plainByte(r rune) rune {
	if r <= ' ' || r > '~' {
		return -1
	}
	return r
}
