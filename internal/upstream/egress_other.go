//go:build !linux

package upstream

import (
	"errors"
	"net"
	"os"
)

// proxyPort is unused on this system.
const proxyPort = 0

// offline returns why a server cannot have its own network namespace.
func offline() error { return errors.New("only Linux has network namespaces") }

func socketPair() (ours, theirs *os.File, err error) { return nil, nil, errors.ErrUnsupported }

func takeListener(*net.UnixConn) (net.Listener, error) { return nil, errors.ErrUnsupported }
