package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"mcpproxy/internal/e2e/rig"
)

// The newest revisions of the two protocol eras.
const (
	stateful  = "2025-11-25"
	stateless = "2026-07-28"
)

// patience is the timeout of everything that a test waits for.
const patience = rig.Patience

func within(t *testing.T) context.Context {
	t.Helper()
	return rig.Within(t)
}

// agent connects to an endpoint of the daemon.
func (d *daemon) agent(t *testing.T, path, revision string) *mcp.ClientSession {
	t.Helper()
	return rig.ConnectTo(t, d.url(path), apiKey, revision)
}

// bridged connects through `mcpproxy stdio`.
func (d *daemon) bridged(t *testing.T, revision string, args ...string) *mcp.ClientSession {
	t.Helper()
	cmd := exec.Command(d.program, append([]string{"stdio", "--config", d.config}, args...)...)
	log := &rig.Log{}
	cmd.Env, cmd.Stderr = rig.Environment(), log
	t.Cleanup(func() { // after the session is closed
		if crash := log.Crash(); crash != "" {
			t.Errorf("the bridge's log shows a data race or a panic:\n%s", crash)
		}
	})
	return rig.Connect(t, &mcp.CommandTransport{Command: cmd}, revision)
}

// call calls a tool and returns its text, whether or not it is an error.
func call(t *testing.T, s *mcp.ClientSession, tool string, args any) (text string, isError bool) {
	t.Helper()
	res, err := s.CallTool(within(t), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("calling %s: %v", tool, err)
	}
	return textOf(res), res.IsError
}

// use calls a tool, and fails the test if the call fails.
func use(t *testing.T, s *mcp.ClientSession, tool string, args any) string {
	t.Helper()
	text, isError := call(t, s, tool, args)
	if isError {
		t.Fatalf("%s failed: %s", tool, text)
	}
	return text
}

func textOf(res *mcp.CallToolResult) string {
	var texts []string
	for _, c := range res.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// answer is an HTTP answer, and the JSON-RPC message in it.
type answer struct {
	status int
	header http.Header
	body   []byte
	rpc    rpc
}

// rpc is a JSON-RPC response; raw members keep the sender's bytes.
type rpc struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// isError is the isError of a tool result.
func (r rpc) isError() bool {
	var result struct{ IsError bool }
	return json.Unmarshal(r.Result, &result) == nil && result.IsError
}

// raw is a client that sends bytes which the test chooses.
type raw struct {
	t       *testing.T
	url     string
	session string
	version string
	client  http.Client
}

// open opens a session of the stateful era.
func open(t *testing.T, url, version string) *raw {
	t.Helper()
	c := &raw{t: t, url: url}
	a := c.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version +
		`","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`)
	if a.rpc.Result == nil {
		t.Fatalf("initialize at %s: HTTP status %d, %s", url, a.status, a.body)
	}
	c.session, c.version = a.header.Get("Mcp-Session-Id"), version
	c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

// post sends a body and reads the answer, which may be JSON or an event stream.
func (c *raw) post(body string, headers ...string) answer {
	c.t.Helper()
	a, err := c.try(context.Background(), []byte(body), headers...)
	if err != nil {
		c.t.Fatalf("POST %s: %v", c.url, err)
	}
	return a
}

// try is post for requests that may fail. Headers come in pairs; an empty value removes a header.
func (c *raw) try(ctx context.Context, body []byte, headers ...string) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := c.request(ctx, body, headers...)
	if err != nil {
		return answer{}, err
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	return readAnswer(resp)
}

// postAndNotRead sends a body and does not read the answer until the test ends. The connection has small buffers.
func (c *raw) postAndNotRead(body string, headers ...string) {
	c.t.Helper()
	narrow := &http.Client{
		Transport: &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
			if err == nil {
				err = conn.(*net.TCPConn).SetReadBuffer(4096)
			}
			return conn, err
		}},
	}
	req, err := c.request(context.Background(), []byte(body), headers...)
	if err != nil {
		c.t.Fatal(err)
	}
	resp, err := narrow.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { resp.Body.Close() })
}

// request makes the HTTP request for a body.
func (c *raw) request(ctx context.Context, body []byte, headers ...string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("X-API-Key", apiKey)
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
	}
	if c.version != "" {
		req.Header.Set("Mcp-Protocol-Version", c.version)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if req.Header.Del(headers[i]); headers[i+1] != "" {
			req.Header.Set(headers[i], headers[i+1])
		}
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
	}
	return req, nil
}

func readAnswer(resp *http.Response) (answer, error) {
	a := answer{status: resp.StatusCode, header: resp.Header}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		var err error
		a.body, err = io.ReadAll(resp.Body)
		_ = json.Unmarshal(a.body, &a.rpc)
		return a, err
	}
	lines := bufio.NewReader(resp.Body)
	var data []string
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return a, err
		}
		line = strings.TrimSuffix(line, "\n")
		if value, ok := strings.CutPrefix(line, "data: "); ok {
			data = append(data, value)
		}
		if line != "" || len(data) == 0 {
			continue
		}
		a.body, data = []byte(strings.Join(data, "\n")), nil
		a.rpc = rpc{}
		if err := json.Unmarshal(a.body, &a.rpc); err != nil {
			return a, fmt.Errorf("event %q: %w", a.body, err)
		}
		if a.rpc.ID != nil && (a.rpc.Result != nil || a.rpc.Error != nil) {
			return a, nil
		}
	}
}

// modern returns the body and the headers of a request of the stateless era. Params must be an object without _meta.
func modern(id, method, params string) (body string, headers []string) {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + stateless + `","io.modelcontextprotocol/clientCapabilities":{}}`
	if params = strings.TrimPrefix(strings.TrimSpace(params), "{"); strings.TrimSpace(params) != "}" {
		meta += ","
	}
	body = `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + meta + params + `}`
	headers = []string{"Mcp-Protocol-Version", stateless, "Mcp-Method", method}
	var named struct{ Name, URI string }
	if json.Unmarshal([]byte("{"+params), &named) == nil && named.Name+named.URI != "" {
		headers = append(headers, "Mcp-Name", named.Name+named.URI)
	}
	return body, headers
}
