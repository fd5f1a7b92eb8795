package upstream

import "golang.org/x/sys/unix"

// olderModes are system calls that newer processors do not have.
var olderModes = []uint32{unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN}
