package upstream

import "golang.org/x/sys/unix"

// olderModes are old system calls that change the mode or the owner of a file. Newer architectures do not have them.
var olderModes = []uint32{unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN}
