package service

import (
	"errors"
	"net"
)

// inherit fails: the service manager of Windows passes no sockets.
func inherit(int) (net.Listener, error) { return nil, errors.ErrUnsupported }
