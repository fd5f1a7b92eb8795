package cli

import (
	"io"
	"net/http"
	"net/url"
	"os"

	"github.com/spf13/cobra"

	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/remote"
)

// newClient returns a client of the daemon of a configuration file.
func newClient(g *globals) (*remote.Client, error) {
	c, err := remote.Config(g.config)
	if err != nil {
		return nil, err
	}
	client, err := remote.New(c)
	if client != nil {
		client.Http.Transport = waiting{client.Http.Transport}
	}
	return client, err
}

// waiting is a transport that shows progress on a terminal while it waits for the daemon's answer.
type waiting struct{ next http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (t waiting) RoundTrip(r *http.Request) (*http.Response, error) {
	done := term.Progress(os.Stderr, "waiting for mcpproxy")
	resp, err := t.next.RoundTrip(r)
	if err != nil || r.Method == http.MethodGet { // what follows may be a stream, which is printed as it arrives
		done()
		return resp, err
	}
	resp.Body = &awaited{resp.Body, done}
	return resp, nil
}

// awaited is a response body that ends the progress when its first bytes are read.
type awaited struct {
	io.ReadCloser
	done func()
}

func (b *awaited) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.done()
	return n, err
}

func (b *awaited) Close() error {
	b.done()
	return b.ReadCloser.Close()
}

// fetch requests data from the daemon of the configuration.
func fetch(cmd *cobra.Command, g *globals, path string, query url.Values, out any) error {
	c, err := newClient(g)
	if err != nil {
		return err
	}
	return c.Get(cmd.Context(), path, query, out)
}
