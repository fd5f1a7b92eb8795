// Package remote is the client of a running daemon: [Client] for its REST API, [ToolClient] for the tools of
// its MCP endpoint. It connects over the daemon's socket, or over TCP with the key.
package remote

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

	"mcpproxy/internal/config"
	"mcpproxy/internal/nodump"
	"mcpproxy/internal/token"
)

// Client sends requests to the running daemon: over its socket, or over TCP with the key if the configuration or
// MCPPROXY_LISTEN says so.
type Client struct {
	Http *http.Client
	Base string
	Key  string
	// Where says in words where the client expects the daemon.
	Where string
}

// ErrNotRunning is returned if nothing listens where the daemon is expected.
var ErrNotRunning = errors.New("the mcpproxy daemon is not running; start it with: mcpproxy serve")

// Config returns the configuration that is relevant to a client of the daemon. If the file does not exist, it returns
// the default configuration.
func Config(path string) (*config.Config, error) {
	c, err := config.LoadClient(path)
	if errors.Is(err, os.ErrNotExist) {
		return config.Default(), nil
	}
	return c, err
}

// New returns a client of the daemon of a configuration. If the configuration has a socket and the socket does not
// exist, the daemon is not running, and New does not try TCP: another program that has taken the port must not receive
// the key.
func New(c *config.Config) (*Client, error) {
	socket, elsewhere := c.SocketPath(), os.Getenv("MCPPROXY_LISTEN") != ""
	if _, err := os.Stat(socket); err == nil || c.EnableSocket && !elsewhere {
		return &Client{
			Http: &http.Client{
				Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
					return (&net.Dialer{}).DialContext(ctx, "unix", socket)
				}},
			},
			Base:  "http://localhost",
			Where: "on the socket " + socket,
		}, nil
	}
	key, err := os.Getenv("MCPPROXY_API_KEY"), error(nil)
	if key == "" {
		key, err = c.Key()
	}
	listen := ListenOf(c)
	transport, failed := Transport(c)
	if failed != nil {
		return nil, failed
	}
	return &Client{
		Http:  &http.Client{Transport: transport},
		Base:  c.Scheme() + "://" + listen,
		Key:   key,
		Where: "on " + listen,
	}, err
}

// Transport reaches the daemon's TCP listener as a process that the daemon can identify. If the
// listener uses TLS, it only trusts that listener's certificate.
func Transport(c *config.Config) (*http.Transport, error) {
	t := &http.Transport{DialContext: dialShown}
	source := c.Certs()
	if !source.On() {
		return t, nil
	}
	var err error
	if t.TLSClientConfig, err = source.Client(); err != nil {
		return nil, fmt.Errorf("the daemon's listener speaks TLS: %w", err)
	}
	return t, nil
}

// dialShown connects over TCP as a process that the daemon can identify.
func dialShown(ctx context.Context, network, address string) (net.Conn, error) {
	if err := nodump.Show(); err != nil {
		return nil, err
	}
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

// AgentKey returns the key that c sends to the MCP endpoints: the token in MCPPROXY_TOKEN
// if the variable is set, else the owner's key. A value that is not a token is refused
// here, with an error that names the variable.
func AgentKey(c *Client) (string, error) {
	plain, set := os.LookupEnv("MCPPROXY_TOKEN")
	switch {
	case !set:
		return c.Key, nil
	case !strings.HasPrefix(plain, token.Prefix):
		return "", errors.New(
			"MCPPROXY_TOKEN does not hold a token made by `mcpproxy token create`: correct it, or unset it to act as the owner",
		)
	}
	return plain, nil
}

// Do sends a request to the daemon. It returns [ErrNotRunning] if nothing listens.
func (c *Client) Do(
	ctx context.Context,
	method, path string,
	query url.Values,
	body io.Reader,
) (*http.Response, error) {
	target := c.Base + path
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
	if c.Key != "" {
		req.Header.Set("X-API-Key", c.Key)
	}
	resp, err := c.Http.Do(req)
	if errors.Is(err, errRefused) || errors.Is(err, os.ErrNotExist) {
		return nil, ErrNotRunning
	}
	return resp, err
}

// Get requests data and decodes it into out.
func (c *Client) Get(ctx context.Context, path string, query url.Values, out any) error {
	resp, err := c.Do(ctx, http.MethodGet, path, query, nil)
	if err != nil {
		return err
	}
	return Decode(resp, out)
}

// Post sends in as JSON and decodes the answer into out.
func (c *Client) Post(ctx context.Context, path string, in, out any) error {
	raw, err := json.Marshal(in)
	if err != nil {
		return err
	}
	resp, err := c.Do(ctx, http.MethodPost, path, nil, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	return Decode(resp, out)
}

// Decode decodes the data in an answer's envelope into out, and closes the answer.
func Decode(resp *http.Response, out any) error {
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

// ListenOf returns the address of the daemon's listener.
func ListenOf(c *config.Config) string {
	if v := os.Getenv("MCPPROXY_LISTEN"); v != "" {
		return v
	}
	return c.Listen
}
