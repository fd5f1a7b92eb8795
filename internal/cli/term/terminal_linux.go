package term

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropInput discards what was typed on a terminal and not read yet.
func dropInput(terminal *os.File) {
	_ = unix.IoctlSetInt(int(terminal.Fd()), unix.TCFLSH, unix.TCIFLUSH)
}
