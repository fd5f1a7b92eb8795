package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"

	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/config"
	"mcpproxy/internal/exit"
	"mcpproxy/internal/service"
)

// inherited are the listeners that the service manager opened for the daemon (socket activation).
// Each is nil if the manager did not open it; the daemon then opens it itself.
type inherited struct {
	tcp    net.Listener
	socket net.Listener
}

// inherit takes over the listeners of the service manager. It refuses listeners that the
// configuration does not name: agents would connect to one address and the daemon listen at another.
func inherit(c *config.Config) (inherited, error) {
	all, err := service.Inherited()
	if err != nil {
		return inherited{}, err
	}
	var in inherited
	for _, l := range all {
		if err := in.take(c, l); err != nil {
			for _, l := range all {
				l.Close()
			}
			return inherited{}, exit.With(exit.Config, err)
		}
	}
	return in, nil
}

// take checks one listener and stores it.
func (in *inherited) take(c *config.Config, l net.Listener) error {
	const renew = "run `mcpproxy service install --socket` again"
	switch at := l.Addr().(type) {
	case *net.TCPAddr:
		if in.tcp != nil {
			return fmt.Errorf("the service manager listens at %s and at %s for mcpproxy, which listens at one address only: %s",
				in.tcp.Addr(), at, renew)
		}
		if !listensAt(at, c.Listen) {
			return fmt.Errorf("the service manager listens at %s for mcpproxy, and the configuration says %s: %s",
				at, c.Listen, renew)
		}
		in.tcp = l
		return nil
	case *net.UnixAddr:
		if in.socket != nil || !c.EnableSocket || !sameFile(at.Name, c.SocketPath()) {
			return fmt.Errorf("the service manager opened the socket %s for mcpproxy, which the configuration does not name: %s",
				at.Name, renew)
		}
		if err := private(at.Name); err != nil {
			return err
		}
		in.socket = l
		return nil
	}
	return fmt.Errorf("the service manager opened %s for mcpproxy, which is neither TCP nor a Unix socket", l.Addr())
}

// listensAt reports whether an address is the one that the configuration names. Port 0 stands for
// every port.
func listensAt(at *net.TCPAddr, listen string) bool {
	want, err := net.ResolveTCPAddr("tcp", listen)
	if err != nil {
		return false
	}
	everywhere := want.IP == nil || want.IP.IsUnspecified()
	return (want.Port == 0 || want.Port == at.Port) && (want.IP.Equal(at.IP) || everywhere && at.IP.IsUnspecified())
}

func sameFile(a, b string) bool {
	one, errA := os.Stat(a)
	other, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(one, other)
}

// private refuses a socket that another user owns or may connect to.
func private(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("examining the socket: %w", err)
	}
	uid, _, known := atomicfile.Owner(info)
	switch {
	case info.Mode().Type() != fs.ModeSocket:
		return errors.New(path + " is not a socket")
	case known && uid != os.Getuid():
		return fmt.Errorf("the socket %s belongs to another user: name the user in its unit (SocketUser)", path)
	case known && info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("the socket %s is open to other users: its unit needs SocketMode=0600", path)
	}
	return nil
}
