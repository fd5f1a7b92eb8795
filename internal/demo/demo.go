// Package demo shows how mcpproxy stops a theft. It starts the proxy with three small servers, makes the calls of an
// agent that was tricked into leaking a key, and shows each verdict.
package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/remote"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/version"
)

// Run starts the daemon and plays the scenes. Unless once is set, it then keeps the daemon running until ctx ends.
func Run(ctx context.Context, w io.Writer, once bool) error {
	dir, err := os.MkdirTemp("", "mcpproxy-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path, err := demoConfig(dir)
	if err != nil {
		return err
	}
	c, err := config.Load(ctx, path)
	if err != nil {
		return err
	}
	if err := config.EnsureKey(path, c); err != nil {
		return err
	}
	d, err := daemon.Start(ctx, path, c, func(*config.Config) {})
	if err != nil {
		return err
	}
	defer d.Close()
	failed, err := play(ctx, w, d)
	switch {
	case ctx.Err() != nil: // Ctrl-C
		return nil
	case err != nil:
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d scenes did not have the expected outcome", failed)
	}
	if once {
		return nil
	}
	if err := invite(ctx, w, d, path); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// invite prints what the user can try while the demo keeps running.
func invite(ctx context.Context, w io.Writer, d *daemon.Daemon, path string) error {
	var made api.LoginCode
	client, err := remote.New(d.Config())
	if err != nil {
		return err
	}
	if err := client.Post(ctx, "/api/v1/login", nil, &made); err != nil {
		return err
	}
	program := "mcpproxy"
	if _, err := exec.LookPath(program); err != nil { // mcpproxy is not installed
		if self, err := os.Executable(); err == nil {
			program = self
		}
	}
	fmt.Fprintf(w, `The proxy stays up. See what happened, within two minutes, at
  %s
and try it:
  agents     http://%s/mcp  (key: api_key in %[4]s)
  log        %[3]s activity list --config %[4]s
  why        %[3]s explain ID --config %[4]s
  page       %[3]s open --config %[4]s
Ctrl-C ends it and removes everything.
`, made.Page, d.Address(), program, path)
	return nil
}

// demoConfig writes the demo's configuration.
func demoConfig(dir string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if _, err := upstream.Program(upstream.Spec{Command: self}); err != nil {
		return "", fmt.Errorf("the demo's servers are this program, and mcpproxy refuses to start it: %w", err)
	}
	var servers []map[string]any
	for _, name := range []string{"vault", "database", "chat"} {
		servers = append(servers, map[string]any{"name": name, "command": self, "args": []string{"demo-server", name}})
	}
	raw, err := json.MarshalIndent(map[string]any{
		"listen":     "127.0.0.1:0",
		"data_dir":   dir,
		"mcpServers": servers,
		"security":   map[string]any{"tool_quarantine": map[string]any{"auto_quarantine_new_tools": false}},
	}, "", "  ")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "mcp_config.json")
	return path, os.WriteFile(path, raw, 0o600)
}

// scene is one scene of the demo: a call, and the expected outcome.
type scene struct {
	title    string
	does     mcpproxy.Operation
	tool     string
	args     func(seen map[string]string) map[string]any
	expect   mcpproxy.Decision
	remember string // the name under which later scenes refer to the result's text
	started  time.Time
}

var scenes = []scene{
	{
		"The agent reads the customer table.",
		mcpproxy.Read,
		"database:query_table",
		func(map[string]string) map[string]any { return map[string]any{"table": "customers"} },
		mcpproxy.Allow,
		"rows",
		time.Time{},
	},
	{
		"It reads the deploy key from the vault.",
		mcpproxy.Read,
		"vault:read_secret",
		func(map[string]string) map[string]any { return map[string]any{"name": "deploy-key"} },
		mcpproxy.Allow,
		"key",
		time.Time{},
	},
	{"Something it has read talks it into posting the key to a public channel.", mcpproxy.Write, "chat:post_message",
		func(seen map[string]string) map[string]any {
			return map[string]any{
				"channel": "#general",
				"text":    "For the record, " + strings.Split(seen["key"], "\n")[1],
			}
		}, mcpproxy.Deny, "", time.Time{}},
	{"It posts a line of the customer table instead.", mcpproxy.Write, "chat:post_message",
		func(map[string]string) map[string]any {
			return map[string]any{
				"channel": "#general",
				"text":    "renewal at risk, asked for a 14 percent discount in March",
			}
		}, mcpproxy.Warn, "", time.Time{}},
	{"It files the same line as a note, inside.", mcpproxy.Write, "database:insert_note",
		func(map[string]string) map[string]any {
			return map[string]any{"table": "notes", "note": "renewal at risk, asked for a 14 percent discount in March"}
		}, mcpproxy.Allow, "", time.Time{}},
}

// play makes the calls of the scenes through the MCP endpoint. It returns the number of scenes with another outcome
// than expected.
func play(ctx context.Context, w io.Writer, d *daemon.Daemon) (failed int, err error) {
	p := term.Colors(w)
	done := term.Progress(os.Stderr, "starting the demo's servers")
	err = WaitForTools(ctx, d, 4)
	if done(); err != nil {
		return 0, err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "demo agent", Version: version.String()}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint:   "http://" + d.Address() + "/mcp",
		HTTPClient: &http.Client{Transport: withKey{d.Config().APIKey, http.DefaultTransport}},
	}, nil)
	if err != nil {
		return 0, fmt.Errorf("connecting to the proxy: %w", err)
	}
	defer session.Close()
	fmt.Fprintf(w, "%s\nvault and database hold private data (internal); chat reaches the outside (external).\n\n",
		p.Bold("An agent with three servers, behind mcpproxy"))
	seen := map[string]string{}
	for i, s := range scenes {
		fmt.Fprintf(w, "%s %s\n", p.Bold(fmt.Sprintf("%d.", i+1)), s.title)
		got, err := s.act(ctx, w, p, d, session, seen)
		if err != nil {
			return failed, err
		}
		if got != s.expect {
			failed++
			fmt.Fprintf(w, "   %s expected %s\n", p.Red("not as it should be:"), s.expect)
		}
		fmt.Fprintln(w)
	}
	return failed, nil
}

// withKey is a transport that sends a key with every request.
type withKey struct {
	key  string
	next http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (k withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-API-Key", k.key)
	return k.next.RoundTrip(r)
}

// act makes the scene's call and prints its outcome.
func (s scene) act(
	ctx context.Context,
	w io.Writer,
	p term.Palette,
	d *daemon.Daemon,
	session *mcp.ClientSession,
	seen map[string]string,
) (mcpproxy.Decision, error) {
	s.started = time.Now()
	args := s.args(seen)
	raw, err := json.Marshal(args)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(w, "   %s %s\n", s.tool, p.Dim(term.Cut(string(raw), 100)))
	res, err := session.CallTool(
		ctx,
		&mcp.CallToolParams{
			Name:      "call_tool_" + string(s.does),
			Arguments: map[string]any{"name": s.tool, "args": args},
		},
	)
	if err != nil {
		return "", fmt.Errorf("calling %s: %w", s.tool, err)
	}
	answer := ""
	if len(res.Content) > 0 {
		if t, ok := res.Content[0].(*mcp.TextContent); ok {
			answer = t.Text
		}
	}
	seen[s.remember] = answer
	r, err := s.record(ctx, d)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(w, "   %s  risk %s (%d)\n", p.Decision(string(r.Decision)), r.RiskLevel, r.RiskScore)
	if r.Decision.Stops() {
		answer = strings.ReplaceAll(answer, "explain "+r.ID, "explain "+r.ID+" --config "+d.Path())
		answer = strings.ReplaceAll(answer, "\n", "\n   ")
		fmt.Fprintf(w, "   %s\n", answer)
	} else if r.Metadata.Reason != "" {
		fmt.Fprintf(
			w,
			"   %s %s\n",
			r.Metadata.Reason,
			p.Dim("(nobody to ask over plain MCP: allowed, logged, alerted)"),
		)
	}
	return r.Decision, nil
}

// record returns the record of the scene's call. The log contains it shortly after the answer.
func (s scene) record(ctx context.Context, d *daemon.Daemon) (*mcpproxy.Record, error) {
	server, tool, _ := strings.Cut(s.tool, ":")
	q := ledger.Filter{
		Server: server,
		Tool:   tool,
		Start:  s.started,
		Limit:  1,
	}
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		var found *mcpproxy.Record
		if err := d.Store().Scan(ctx, q, func(r *mcpproxy.Record) error { found = r; return nil }); err != nil {
			return nil, err
		}
		if found != nil {
			return found, nil
		}
	}
	return nil, fmt.Errorf("the call of %s was not recorded", s.tool)
}

// states returns the states and errors of the daemon's servers, one server on each line.
func states(d *daemon.Daemon) string {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	client, err := remote.New(d.Config())
	if err != nil {
		return ""
	}
	var servers []api.Server
	if err := client.Get(ctx, "/api/v1/servers", nil, &servers); err != nil {
		return ""
	}
	var b strings.Builder
	for _, s := range servers {
		fmt.Fprintf(&b, "\n  %s: %s %s", s.Name, s.State, term.Plain(s.Error))
	}
	return b.String()
}

// WaitForTools waits until the demo's servers have listed their tools.
func WaitForTools(ctx context.Context, d *daemon.Daemon, tools int) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for len(d.Catalog().All()) < tools {
		select {
		case <-ctx.Done():
			return fmt.Errorf("the demo's servers did not start: %w%s", ctx.Err(), states(d))
		case <-time.After(10 * time.Millisecond):
		}
	}
	return nil
}
