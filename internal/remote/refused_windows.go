package remote

import "golang.org/x/sys/windows"

// errRefused says that nobody listens at an address.
const errRefused = windows.WSAECONNREFUSED
