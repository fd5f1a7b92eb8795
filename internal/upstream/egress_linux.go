package upstream

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"mcpproxy/internal/child"
)

// proxyPort is the proxy's port in the network namespace of a server, in which every port is free.
const proxyPort = 3128

// listenerFile is the socket on which the launcher passes the listener to mcpproxy: its first
// inherited file.
const listenerFile = 3

// probeTime is the timeout for testing whether network namespaces work.
const probeTime = 10 * time.Second

// offline returns nil if a server can have its own network namespace, and otherwise why not.
// Containers and some distributions forbid it. The test runs a launcher without a server.
var offline = sync.OnceValue(func() error {
	path, err := Self()
	if err != nil {
		return err
	}
	o := order{Proxied: true, Probe: true}
	args, err := o.arguments()
	if err != nil {
		return err
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return err
	}
	defer ours.Close()
	defer theirs.Close()
	var said bytes.Buffer
	cmd := &exec.Cmd{
		Path:       path,
		Args:       args,
		Env:        []string{},
		Stderr:     &said,
		ExtraFiles: []*os.File{theirs},
	}
	if _, err := child.StartOffline(cmd); err != nil {
		return fmt.Errorf("the system allows no network namespace: %w", err)
	}
	timer := time.AfterFunc(probeTime, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	if err := child.Wait(cmd); err != nil {
		return fmt.Errorf("the system allows no use of a network namespace: %s", strings.TrimSpace(said.String()))
	}
	return nil
})

// socketPair returns the ends of a connection between two processes.
func socketPair() (ours, theirs *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	if err := unix.SetNonblock(pair[0], true); err != nil {
		return nil, nil, errors.Join(err, unix.Close(pair[0]), unix.Close(pair[1]))
	}
	return os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs"), nil
}

// takeListener receives the listener from a launcher.
func takeListener(from *net.UnixConn) (net.Listener, error) {
	rights := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := from.ReadMsgUnix(make([]byte, 1), rights)
	if err != nil {
		return nil, err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:n])
	if err != nil || len(messages) != 1 {
		return nil, errors.New("the launcher passed no listener")
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return nil, errors.New("the launcher passed no listener")
	}
	f := os.NewFile(uintptr(fds[0]), "listener")
	defer f.Close()
	return net.FileListener(f)
}

// makeProxyListener creates a loopback device in this process's network namespace and passes a
// listener on it to mcpproxy. A listener stays in the namespace in which it was created, whichever
// process holds it. Only processes in the namespace can therefore connect to the proxy. The server
// that replaces this process can neither use the listener nor change the namespace.
func makeProxyListener() error {
	if err := raiseLoopback(); err != nil {
		return fmt.Errorf("raising the loopback device: %w", err)
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	err = unix.Bind(fd, &unix.SockaddrInet4{Port: proxyPort, Addr: [4]byte{127, 0, 0, 1}})
	if err == nil {
		err = unix.Listen(fd, unix.SOMAXCONN)
	}
	if err == nil {
		err = unix.Sendmsg(listenerFile, []byte{0}, unix.UnixRights(fd), nil, 0)
	}
	if err != nil {
		return fmt.Errorf("passing the listener: %w", err)
	}
	if err := unix.Close(listenerFile); err != nil {
		return err
	}
	return dropNetworkRights()
}

// raiseLoopback does what "ip link set lo up" does.
func raiseLoopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request)
}

// dropNetworkRights drops the capabilities that a new namespace grants: with the right to
// administer the network, a server that runs as root could connect its namespace to another one.
func dropNetworkRights() error {
	err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	if err != nil {
		return fmt.Errorf("dropping the network capabilities: %w", err)
	}
	for _, right := range []uintptr{unix.CAP_NET_ADMIN, unix.CAP_NET_RAW, unix.CAP_SYS_ADMIN} {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, right, 0, 0, 0)
		if errors.Is(err, unix.EPERM) && os.Geteuid() != 0 {
			continue // a program of an unprivileged user gets none of them
		}
		if err != nil {
			return fmt.Errorf("dropping the network capabilities: %w", err)
		}
	}
	return nil
}
