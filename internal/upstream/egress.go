package upstream

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"os/exec"
	"strconv"
	"time"

	"golang.org/x/net/http/httpproxy"

	"mcpproxy/internal/child"
	"mcpproxy/internal/egress"
)

// A server with a list of hosts runs in its own network namespace without any connection to the
// outside. Its launcher creates a listener there and passes it to mcpproxy, which serves the proxy
// on it. If such namespaces are unavailable, the proxy listens on this machine's loopback interface.
// On macOS, the server's profile closes everything else; elsewhere the server could bypass it.

// handoverTime is how long a launcher may take to pass on its listener.
const handoverTime = 30 * time.Second

// proxyEndpoint is the proxy's listener for one process of a server.
type proxyEndpoint struct {
	server   *Server
	listener net.Listener // in the process's own namespace, or on this machine; nil without a list of hosts
}

// offline reports whether the server gets its own network namespace.
func (i *Isolation) offline() bool { return i != nil && i.Hosts != nil && offline() == nil }

// begin starts the process of a stdio server, with its proxy endpoint; the endpoint is nil if the
// server needs none.
func (s *Server) begin(cmd *exec.Cmd) (*child.Family, *proxyEndpoint, error) {
	switch {
	case s.spec.Isolation == nil:
		family, err := child.Start(cmd)
		return family, nil, err
	case s.proxy == nil:
		family, err := child.StartConfined(cmd)
		return family, nil, err
	}
	o := &proxyEndpoint{server: s}
	start := o.startInside
	if !s.spec.Isolation.offline() {
		start = o.startBeside
	}
	family, err := start(cmd)
	if err != nil {
		return nil, nil, err
	}
	return family, o, nil
}

// lead sets the proxy's address in a process's environment. It overrides the user's settings.
func (o *proxyEndpoint) lead(cmd *exec.Cmd, address string) {
	env := maps.Clone(o.server.spec.Env)
	if env == nil {
		env = map[string]string{}
	}
	maps.Copy(env, egress.Environment(o.server.proxy.URL(address)))
	cmd.Env = environment(env)
}

// startBeside starts a process with a proxy on this machine's loopback interface. If the system
// cannot keep the process from bypassing the proxy, startBeside reports this.
func (o *proxyEndpoint) startBeside(cmd *exec.Cmd) (*child.Family, error) {
	s := o.server
	if fault := listEnforced(); fault != nil {
		slog.Warn("the list of hosts of a server is advice only: the server can go past the proxy",
			"server", s.spec.Name, "reason", fault)
		s.logs.note("mcpproxy: isolation.network is advice only here: " + fault.Error())
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for the server's connections: %w", err)
	}
	if at, is := listener.Addr().(*net.TCPAddr); is { // macOS opens this port to the server, and no other
		if cmd.Args, err = withPort(cmd.Args, at.Port); err != nil {
			listener.Close()
			return nil, err
		}
	}
	o.lead(cmd, listener.Addr().String())
	family, err := child.StartConfined(cmd)
	if err != nil {
		listener.Close()
		return nil, err
	}
	o.serve(listener)
	return family, nil
}

// startInside starts a process in a network namespace from which only the proxy is reachable.
func (o *proxyEndpoint) startInside(cmd *exec.Cmd) (*child.Family, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, fmt.Errorf("making a socket for the launcher: %w", err)
	}
	defer ours.Close()
	defer theirs.Close()
	cmd.ExtraFiles = []*os.File{theirs}
	o.lead(cmd, net.JoinHostPort("127.0.0.1", strconv.Itoa(proxyPort)))
	family, err := child.StartOffline(cmd)
	if err != nil {
		return nil, err
	}
	theirs.Close() // so that the end of the launcher is noticed
	listener, err := receive(ours)
	if err != nil { // the launcher ends and reports why
		o.server.logs.note("mcpproxy: the server has no access to the network: " + err.Error())
		return family, nil
	}
	o.serve(listener)
	return family, nil
}

// serve serves the process on a listener until [proxyEndpoint.end].
func (o *proxyEndpoint) serve(l net.Listener) {
	o.listener = l
	go o.server.proxy.Serve(l)
}

// end closes the endpoint of a process that has ended.
func (o *proxyEndpoint) end() {
	if o != nil && o.listener != nil {
		o.listener.Close()
	}
}

// receive receives the listener from the launcher.
func receive(ours *os.File) (net.Listener, error) {
	conn, err := net.FileConn(ours)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	unix, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, errors.New("the launcher's connection is not a Unix socket")
	}
	if err := unix.SetDeadline(time.Now().Add(handoverTime)); err != nil {
		return nil, err
	}
	return takeListener(unix)
}

// proxyFor returns the proxy of a server with a list of hosts, or nil.
func (m *Manager) proxyFor(spec Spec) *egress.Proxy {
	if spec.Isolation == nil || spec.Isolation.Hosts == nil || !spec.Enabled {
		return nil
	}
	observes := spec.Isolation.Hosts.Observes()
	proxy := egress.New(
		spec.Isolation.Hosts,
		m.watch.own,
		egress.Watch{
			Attempt: func(a egress.Attempt) { m.watch.attempted(spec.Name, a, observes) },
			Moved:   func(sent, received int64) { m.watch.moved(spec.Name, sent, received) },
		},
	)
	proxy.Through(httpproxy.FromEnvironment().ProxyFunc())
	return proxy
}

// narrow closes the connections of a server that is being replaced if the new spec does not allow
// them.
func (s *Server) narrow(changed Spec) {
	if s.proxy == nil {
		return
	}
	none, err := egress.ParseList(nil)
	switch i := changed.Isolation; {
	case err != nil:
	case i != nil && i.Hosts != nil:
		s.proxy.Replace(i.Hosts)
	case i != nil && i.NoNetwork:
		s.proxy.Replace(none)
	}
}
