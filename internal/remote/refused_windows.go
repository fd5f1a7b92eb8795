package remote

import "golang.org/x/sys/windows"

// errRefused is the error if nothing listens at an address.
const errRefused = windows.WSAECONNREFUSED
