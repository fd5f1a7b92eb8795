package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/certs"
	"mcpproxy/internal/config"
	"mcpproxy/internal/exit"
	"mcpproxy/internal/gateway"
	hookclient "mcpproxy/internal/hook/client"
	"mcpproxy/internal/peer"
)

// listeners are the TCP address and the owner's Unix socket.
type listeners struct {
	address string // address of the TCP listener
	tcp     net.Listener
	socket  net.Listener  // the Unix socket that the service manager opened; nil if the daemon opens it
	certs   *certs.Server // certificates of the TCP listener; nil without TLS
	http    *http.Server  // server for both listeners; nil until they are served

	requests requests
}

// requests counts the requests whose handlers run. Closing a server's connections does not wait for
// them.
type requests struct {
	mu      sync.Mutex
	open    int
	closed  bool          // no further request is handled
	settled chan struct{} // closed when the last handler has returned; nil until wait is called
}

// counted returns a handler that counts the requests at next.
func (q *requests) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !q.begin() {
			http.Error(w, "mcpproxy is about to stop", http.StatusServiceUnavailable)
			return
		}
		defer q.end()
		next.ServeHTTP(w, r)
	})
}

func (q *requests) begin() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.open++
	return true
}

func (q *requests) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.open--
	if q.open == 0 && q.settled != nil {
		close(q.settled)
	}
}

// wait refuses further requests. It returns when the handlers of the running requests have returned, or when ctx ends,
// with the number of handlers that still run. It may be called once.
func (q *requests) wait(ctx context.Context) (running int) {
	q.mu.Lock()
	q.closed = true
	settled := make(chan struct{})
	if q.settled = settled; q.open == 0 {
		close(settled)
	}
	q.mu.Unlock()
	select {
	case <-settled:
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.open
}

// bind opens the TCP listener, unless the service manager has opened it already.
func bind(c *config.Config) (*listeners, error) {
	in, err := inherit(c)
	if err != nil {
		return nil, err
	}
	l := &listeners{tcp: in.tcp, socket: in.socket}
	if l.tcp == nil {
		if l.tcp, err = listenTCP(c.Listen); err != nil {
			return nil, errors.Join(err, l.abandon())
		}
	}
	l.address = l.tcp.Addr().String()
	if source := c.Certs(); source.On() {
		if l.certs, err = source.Server(); err != nil {
			return nil, errors.Join(exit.With(exit.Config, err), l.abandon())
		}
	}
	if err := checkExposed(context.Background(), l.address, c); err != nil { // the name may resolve differently now
		return nil, errors.Join(err, l.abandon())
	}
	return l, nil
}

// abandon closes listeners that are not served.
func (l *listeners) abandon() (err error) {
	for _, open := range []net.Listener{l.tcp, l.socket} {
		if open != nil {
			err = errors.Join(err, open.Close())
		}
	}
	return err
}

// serve opens the socket if it is configured, and serves both listeners in goroutines of group.
func (l *listeners) serve(c *config.Config, routes http.Handler, group *sync.WaitGroup) error {
	routes = l.requests.counted(routes)
	bounded := boundConnections(l.tcp)
	l.http = &http.Server{
		Handler:           gateway.Bodies(gateway.TCPBodies, routes),
		ConnContext:       peer.Context,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(slog.Default().Handler(), slog.LevelDebug),
		ConnState:         bounded.changed,
	}
	if l.certs != nil {
		l.http.TLSConfig = l.certs.Config()
	}
	if !c.EnableSocket {
		group.Go(func() { serveUntilClosed(l.http, bounded) })
		return nil
	}
	sock := l.socket
	if sock == nil {
		var err error
		if sock, err = listenSocket(c.SocketPath()); err != nil {
			l.tcp.Close()
			return err
		}
	}
	local := boundSocket(forOwner(sock, c.SocketPath()))
	trusted := &http.Server{
		Handler:           gateway.Trust(gateway.Bodies(gateway.SocketBodies, routes)),
		ConnContext:       peer.Context,
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          l.http.ErrorLog,
		ConnState:         local.changed,
	}
	l.http.RegisterOnShutdown(func() { trusted.Close() })
	group.Go(func() { serveUntilClosed(trusted, local) })
	// Start the TCP listener last: a client that reaches it then also finds the socket.
	group.Go(func() { serveUntilClosed(l.http, bounded) })
	return nil
}

// close waits for running requests until ctx ends.
func (l *listeners) close(ctx context.Context) {
	if l == nil || l.http == nil {
		return
	}
	if err := l.http.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) {
		l.http.Close()
	}
}

// settle waits for the handlers of requests whose connections are closed, at most stopGrace. What
// they write must reach the log before it is closed.
func (l *listeners) settle() {
	if l == nil || l.http == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopGrace)
	defer cancel()
	if running := l.requests.wait(ctx); running > 0 {
		slog.Warn("mcpproxy stops while requests are still being handled: what they do is not recorded", "requests", running)
	}
}

// names returns the host names of the listener's certificate, in addition to the host of listen.
func (l *listeners) names() []string {
	if l.certs == nil {
		return nil
	}
	return l.certs.Names()
}

// listenTCP opens the HTTP listener.
func listenTCP(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, errInUse):
		return nil, exit.With(
			exit.Port,
			fmt.Errorf(
				"the address %s is in use: is mcpproxy running already? Set another one with listen, or MCPPROXY_LISTEN",
				address,
			))

	case errors.Is(err, os.ErrPermission):
		return nil, exit.With(
			exit.Permission,
			fmt.Errorf("no permission to listen on %s: use a port above 1023", address))

	}
	return l, err
}

// listenSocket opens the Unix socket for the owner only. It replaces a stale socket.
func listenSocket(path string) (net.Listener, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("making the socket's folder: %w", err)
	}
	if conn, err := net.Dial("unix", path); err == nil {
		conn.Close()
		return nil, exit.With(exit.Port, fmt.Errorf("the socket %s is in use: is mcpproxy running already?", path))
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSocket != 0 {
		_ = os.Remove(path) // net.Listen fails if it still exists
	}
	l, err := listenPrivately(path)
	if errors.Is(err, syscall.EINVAL) {
		return nil, exit.With(
			exit.Config,
			fmt.Errorf(
				"the path of the socket is too long for this system (%d bytes, some 100 are allowed): %s. Set a shorter data_dir, or MCPPROXY_SOCKET",
				len(path),
				path,
			))

	}
	if err != nil {
		return nil, fmt.Errorf("opening the socket: %w", err)
	}
	return l, nil
}

// forOwner returns a listener that accepts only connections of the owner.
func forOwner(l net.Listener, path string) net.Listener {
	pid := path + hookclient.PIDSuffix // lets waiting hooks check whether this process is working
	if err := os.WriteFile(pid, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		slog.Warn("the process id could not be written: hooks will wait for a shorter time", "error", err)
	}
	return ownerOnly{l, pid}
}

// ownerOnly drops connections of other users, whatever the file's mode.
type ownerOnly struct {
	net.Listener
	pid string // file that exists as long as the socket
}

func (o ownerOnly) Close() error {
	_ = os.Remove(o.pid) // the next start replaces a stale one
	return o.Listener.Close()
}

func (o ownerOnly) Accept() (net.Conn, error) {
	for {
		conn, err := o.Listener.Accept()
		if err != nil {
			return nil, err
		}
		uid, _, known := peer.Credentials(conn)
		if !known || uid == os.Getuid() || uid == 0 {
			return conn, nil
		}
		slog.Warn("a connection of another user to the socket was refused", "uid", uid)
		conn.Close()
	}
}

func serveUntilClosed(s *http.Server, l net.Listener) {
	serve := s.Serve
	if s.TLSConfig != nil {
		serve = func(l net.Listener) error { return s.ServeTLS(l, "", "") }
	}
	if err := serve(l); err != nil && !errors.Is(err, http.ErrServerClosed) {
		slog.Error("a listener ended", "error", err)
	}
}

// LockPath returns the file that a daemon locks while it uses its data folder.
func LockPath(c *config.Config) string { return filepath.Join(c.DataDir, "mcpproxy.lock") }

// Lock makes sure that only one daemon uses a data folder.
func Lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("locking the data folder: %w", err)
	}
	if err := atomicfile.TryLock(f); err != nil {
		f.Close()
		return nil, exit.With(
			exit.Locked,
			fmt.Errorf("the database in %s is locked: another mcpproxy uses it", filepath.Dir(path)))

	}
	return func() { f.Close() }, nil
}
