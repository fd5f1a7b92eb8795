package term

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropInput discards unread input of a terminal.
func dropInput(terminal *os.File) {
	_ = unix.IoctlSetInt(int(terminal.Fd()), unix.TCFLSH, unix.TCIFLUSH)
}
