//go:build unix

package remote

import "syscall"

// errRefused is the error if nothing listens at an address.
const errRefused = syscall.ECONNREFUSED
