package daemon

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"time"
)

// boundedServer returns a server with a limit of connections. /wait answers when the server ends.
func boundedServer(t *testing.T, most, mostOfOne int) (address string, arrived chan struct{}) {
	t.Helper()
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return tcp.Addr().String(), serveBounded(t, bounded(tcp, most, mostOfOne))
}

// serveBounded serves a listener.
func serveBounded(t *testing.T, l *connections) (arrived chan struct{}) {
	arrived = make(chan struct{}, 100)
	srv := &http.Server{
		ConnState:         l.changed,
		ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/wait" {
				arrived <- struct{}{}
				<-r.Context().Done()
			}
		}),
	}
	go serveUntilClosed(srv, l)
	t.Cleanup(func() { srv.Close() })
	return arrived
}

// dialling opens a connection and, unless path is empty, sends a request on it.
func dialling(t *testing.T, address, path string) net.Conn {
	t.Helper()
	network := "tcp"
	if filepath.IsAbs(address) {
		network = "unix"
	}
	conn, err := net.Dial(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(upTo))
	if path != "" {
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path)
	}
	return conn
}

// statusOf returns the status of the answer on a connection, or 0 if the connection was closed.
func statusOf(conn net.Conn) int {
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	resp.Body.Close()
	return resp.StatusCode
}

func TestAnIdleConnectionIsClosedForANewOne(t *testing.T) {
	for name, c := range map[string]struct{ most, mostOfOne int }{"in all": {5, 100}, "of one address": {100, 5}} {
		t.Run(name, func(t *testing.T) {
			address, arrived := boundedServer(t, c.most, c.mostOfOne)
			dialling(t, address, "/wait")
			<-arrived
			idle := make([]net.Conn, 4)
			for i := range idle { // each is accepted before the next one is opened
				idle[i] = dialling(t, address, "/")
				if got := statusOf(idle[i]); got != http.StatusOK {
					t.Fatalf("connection %d is answered with %d", i, got)
				}
			}
			if got := statusOf(dialling(t, address, "/")); got != http.StatusOK {
				t.Errorf("one more is answered with %d", got)
			}
			if statusOf(idle[0]) != 0 {
				t.Error("the connection that was idle for longest is still open")
			}
		})
	}
}

func TestABusyConnectionIsNotClosedForANewOne(t *testing.T) {
	address, arrived := boundedServer(t, 3, 3)
	for range 3 {
		dialling(t, address, "/wait")
		<-arrived
	}
	if got := statusOf(dialling(t, address, "/")); got != http.StatusServiceUnavailable {
		t.Errorf("one more is answered with %d", got)
	}
}

// A hook can connect to the socket, whatever connections other processes hold open there.
func TestConnectionsOverTheSocketAreBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	sock, err := listenSocket(path)
	if err != nil {
		t.Fatal(err)
	}
	l := boundSocket(sock)
	if l.most < 1 || l.most > mostOfSocket || l.mostOfOne > mostOfOneProcess {
		t.Errorf("the bounds are %d and %d", l.most, l.mostOfOne)
	}
	l.most = 8
	arrived := serveBounded(t, l)
	for range 4 {
		dialling(t, path, "/wait")
		<-arrived
	}
	for i := range 50 {
		dialling(t, path, "") // and sends nothing
		if got := statusOf(dialling(t, path, "/")); got != http.StatusOK {
			t.Fatalf("after %d silent connections, a hook is answered with %d", i+1, got)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) > l.most {
		t.Errorf("%d connections are open", len(l.open))
	}
}

func TestDescriptorsAreShared(t *testing.T) {
	for files, want := range map[int][2]int{
		64:      {32, 16},
		1024:    {512, 256},
		4096:    {2560, 1024},
		1 << 20: {mostConnections, mostOfSocket},
		1:       {1, 1},
	} {
		if tcp, socket := roomFor(files); [2]int{tcp, socket} != want {
			t.Errorf("of %d descriptors, %d are for TCP and %d for the socket, want %v", files, tcp, socket, want)
		}
	}
}

// TCP connections leave file descriptors for the socket, which hooks use.
func TestConnectionsLeaveDescriptorsForTheSocket(t *testing.T) {
	l := boundConnections(nil)
	if l.most < 1 || l.most > mostConnections || l.mostOfOne > mostOfOneAddress {
		t.Errorf("the bounds are %d and %d", l.most, l.mostOfOne)
	}
}
