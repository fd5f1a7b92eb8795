package daemon

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"mcpproxy/internal/config"
	"mcpproxy/internal/remote"
)

func TestAListenerWithTLSSaysSoToPlainHTTP(t *testing.T) {
	c := config.Default()
	c.Listen = "127.0.0.1:0"
	c.EnableSocket = false
	c.DataDir = t.TempDir()
	c.TLS.Local = true
	l, err := bind(c)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	says := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.TLS != nil) })
	if err := l.serve(c, says, &group); err != nil {
		t.Fatal(err)
	}
	defer group.Wait()
	defer l.close(t.Context())
	transport, err := remote.Transport(c)
	if err != nil {
		t.Fatal(err)
	}
	defer transport.CloseIdleConnections()
	for scheme, want := range map[string]string{"https": "true", "http": "HTTPS server"} {
		resp, err := (&http.Client{Transport: transport}).Get(scheme + "://" + l.address)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !strings.Contains(string(body), want) {
			t.Errorf("%s is answered with %q (%v), want %q", scheme, body, err, want)
		}
	}
	if _, err := http.Get("https://" + l.address); err == nil {
		t.Error("a client that believes the system's authorities only was let in")
	}
}
