package daemon

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcpproxy/internal/config"
	"mcpproxy/internal/gateway"
)

func TestTheSocketIsTrustedAndTheAddressIsNot(t *testing.T) {
	c := config.Default()
	c.Listen = "127.0.0.1:0"
	c.EnableSocket = true
	c.DataDir = t.TempDir()
	l, err := bind(c)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	says := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, gateway.Trusted(r)) })
	if err := l.serve(c, says, &group); err != nil {
		t.Fatal(err)
	}
	for network, address := range map[string]string{"tcp": l.address, "unix": c.SocketPath()} {
		transport := &http.Transport{DisableKeepAlives: true}
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		}
		resp, err := (&http.Client{Transport: transport}).Get("http://" + l.address)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if want := fmt.Sprint(network == "unix"); err != nil || string(body) != want {
			t.Errorf("over %s, trusted is %q and not %s: %v", network, body, want, err)
		}
	}
	l.close(t.Context())
	group.Wait() // both have ended, or the test hangs
	if _, err := net.Dial("unix", c.SocketPath()); err == nil {
		t.Error("the socket answers after the end")
	}
}

// Closing the socket's connections does not end their handlers. Whatever a handler writes must still reach the log.
func TestTheEndWaitsForTheHandlersOfRequestsOverTheSocket(t *testing.T) {
	c := config.Default()
	c.Listen = "127.0.0.1:0"
	c.EnableSocket = true
	c.DataDir = t.TempDir()
	l, err := bind(c)
	if err != nil {
		t.Fatal(err)
	}
	began := make(chan struct{})
	cancelled := make(chan struct{})
	finish := make(chan struct{})
	var finished atomic.Bool
	var group sync.WaitGroup
	if err := l.serve(c, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(began)
		<-r.Context().Done()
		close(cancelled)
		<-finish
		finished.Store(true)
	}), &group); err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("unix", c.SocketPath())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	<-began
	l.close(t.Context())
	group.Wait()
	<-cancelled
	time.AfterFunc(20*time.Millisecond, func() { close(finish) })
	if l.settle(); !finished.Load() {
		t.Error("the end did not wait for a handler")
	}
	if l.requests.begin() {
		t.Error("a request is handled after the end")
	}
}

func TestListenersThatWereNeverServedCanBeClosed(t *testing.T) {
	var none *listeners
	none.close(t.Context())
	none.settle()
	c := config.Default()
	c.Listen = "127.0.0.1:0"
	l, err := bind(c)
	if err != nil {
		t.Fatal(err)
	}
	defer l.tcp.Close()
	l.close(t.Context())
	if _, err := bind(&config.Config{Listen: l.address, RequireMCPAuth: true}); err == nil {
		t.Error("an address is bound twice")
	}
}
