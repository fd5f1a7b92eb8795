package cli

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// thief is a program that has taken the daemon's port. It records the keys that it receives.
type thief struct {
	mu   sync.Mutex
	keys []string
}

// thieves are the thieves of running scripts, by address.
var thieves sync.Map

// overhear takes a port, sets ADDRESS to it and records the keys that are sent there.
func overhear(ts *testscript.TestScript, neg bool, _ []string) {
	none(ts, neg)
	heard := &thief{}
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		heard.mu.Lock()
		defer heard.mu.Unlock()
		heard.keys = append(heard.keys, r.Header.Get("X-API-Key"))
	}))
	ts.Defer(s.Close)
	address := s.Listener.(*net.TCPListener).Addr().String()
	thieves.Store(address, heard)
	ts.Setenv("ADDRESS", address)
}

// overheard KEY checks which key was sent last; "" means that no key was sent since the last check.
func overheard(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	found, ok := thieves.Load(ts.Getenv("ADDRESS"))
	if !ok {
		ts.Fatalf("nobody listens")
	}
	heard := found.(*thief)
	heard.mu.Lock()
	defer heard.mu.Unlock()
	last := ""
	if n := len(heard.keys); n > 0 {
		last = heard.keys[n-1]
	}
	if heard.keys = nil; last != args[0] {
		ts.Fatalf("the key %q was sent, not %q", last, args[0])
	}
}
