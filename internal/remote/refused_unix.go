//go:build unix

package remote

import "syscall"

// errRefused says that nobody listens at an address.
const errRefused = syscall.ECONNREFUSED
