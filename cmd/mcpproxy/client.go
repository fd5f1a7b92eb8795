package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"

	"mcpproxy/internal/config"
	"mcpproxy/internal/token"
)

// client talks to the running daemon: over its socket, or over TCP with the key where
// the configuration or MCPPROXY_LISTEN says so.
type client struct {
	http *http.Client
	base string
	key  string
	// where says in words where the daemon is expected.
	where string
}

// errNoDaemon says that nothing answers.
var errNoDaemon = errors.New("mcpproxy is not running: start it with `mcpproxy serve`")

// clientConfig is the configuration as a client of the daemon reads it; the default one
// where there is no file.
func clientConfig(path string) (*config.Config, error) {
	c, err := config.LoadClient(path)
	if errors.Is(err, os.ErrNotExist) {
		return config.Default(), nil
	}
	return c, err
}

// newClient finds the daemon of a configuration file.
func newClient(g *globals) (*client, error) {
	c, err := clientConfig(g.config)
	if err != nil {
		return nil, err
	}
	return newClientFor(c)
}

// newClientFor finds the daemon of a configuration. Where it has a socket and none is
// there, it is not running: who has taken its port meanwhile gets no key to see.
func newClientFor(c *config.Config) (*client, error) {
	socket, elsewhere := c.SocketPath(), os.Getenv("MCPPROXY_LISTEN") != ""
	if _, err := os.Stat(socket); err == nil || c.EnableSocket && !elsewhere {
		return &client{http: &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}}}, base: "http://localhost", where: "on the socket " + socket}, nil
	}
	key, err := os.Getenv("MCPPROXY_API_KEY"), error(nil)
	if key == "" {
		key, err = c.Key()
	}
	listen := listenOf(c)
	return &client{http: &http.Client{}, base: "http://" + listen, key: key, where: "on " + listen}, err
}

// agentKey is what c shows at the doors of agents: the token in MCPPROXY_TOKEN where
// there is one. What is none is refused here, in words about the variable.
func agentKey(c *client) (string, error) {
	plain, set := os.LookupEnv("MCPPROXY_TOKEN")
	switch {
	case !set:
		return c.key, nil
	case !strings.HasPrefix(plain, token.Prefix):
		return "", errors.New("MCPPROXY_TOKEN is set and is no token of `mcpproxy token create`: correct it, or unset it to be yourself")
	}
	return plain, nil
}

func (c *client) do(ctx context.Context, method, path string, query url.Values, body io.Reader) (*http.Response, error) {
	target := c.base + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, target, body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		req.Header.Set("X-API-Key", c.key)
	}
	resp, err := c.http.Do(req)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, os.ErrNotExist) {
		return nil, errNoDaemon
	}
	return resp, err
}

// get asks for data and decodes it into out.
func (c *client) get(ctx context.Context, path string, query url.Values, out any) error {
	resp, err := c.do(ctx, http.MethodGet, path, query, nil)
	if err != nil {
		return err
	}
	return decode(resp, out)
}

// post sends in and decodes the answer into out.
func (c *client) post(ctx context.Context, path string, in, out any) error {
	raw, err := json.Marshal(in)
	if err != nil {
		return err
	}
	resp, err := c.do(ctx, http.MethodPost, path, nil, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	return decode(resp, out)
}

// decode reads an answer out of its envelope, and closes it.
func decode(resp *http.Response, out any) error {
	defer resp.Body.Close()
	var body struct {
		Success bool            `json:"success"`
		Data    json.RawMessage `json:"data"`
		Error   string          `json:"error"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&body); err != nil {
		return fmt.Errorf("the daemon's answer cannot be read (HTTP status %s): %w", resp.Status, err)
	}
	if !body.Success {
		return errors.New(body.Error)
	}
	return json.Unmarshal(body.Data, out)
}
