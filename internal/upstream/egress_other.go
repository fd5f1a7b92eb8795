//go:build !linux

package upstream

import (
	"errors"
	"net"
	"os"
)

// proxyPort is of no use here.
const proxyPort = 0

// offline says that a server cannot have a network of its own.
func offline() error { return errors.New("only Linux has network namespaces") }

func socketPair() (ours, theirs *os.File, err error) { return nil, nil, errors.ErrUnsupported }

func takeListener(*net.UnixConn) (net.Listener, error) { return nil, errors.ErrUnsupported }
