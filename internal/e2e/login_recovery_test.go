package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpproxy/internal/e2e/rig"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/porttest"
)

// tokenLife is the lifetime of the access tokens of an [authority].
const tokenLife = 6 * time.Second

// authority is an authorization server from npm with rotating refresh tokens. It stores its state in a file.
type authority struct {
	t       *testing.T
	issuer  string
	port    int
	key     jose.JSONWebKey
	file    string
	log     rig.Log // output of all its processes
	process *rig.Process
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	address := porttest.Free(t)
	a := &authority{
		t:      t,
		issuer: "http://" + address,
		key:    ecKey(t, "only"),
		file:   filepath.Join(t.TempDir(), "kept"),
	}
	_, port, _ := strings.Cut(address, ":")
	var err error
	if a.port, err = strconv.Atoi(port); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		a.kill()
		if t.Failed() {
			t.Logf("log of the authorization server:\n%s", a.log.Tail(8000))
		}
	})
	a.start()
	return a
}

func (a *authority) start() {
	a.t.Helper()
	settings, err := json.Marshal(object{
		"port":     a.port,
		"jwks":     jose.JSONWebKeySet{Keys: []jose.JSONWebKey{a.key}},
		"file":     a.file,
		"lifetime": int(tokenLife.Seconds()),
	})
	if err != nil {
		a.t.Fatal(err)
	}
	before := a.logged("listening")
	cmd := exec.Command(node(a.t), filepath.Join(filepath.Dir(packages(a.t)), "authorization-server.mjs"))
	cmd.Stdin = bytes.NewReader(settings)
	if a.process, err = rig.Start(cmd, &a.log); err != nil {
		a.t.Fatal(err)
	}
	eventually.SucceedsWithin(a.t, 30*time.Second, "the authorization server listens", func() error {
		if a.logged("listening") > before {
			return nil
		}
		if err := a.process.Check(); err != nil {
			a.t.Fatalf("%v\n%s", err, &a.log)
		}
		return errors.New(a.log.String())
	})
}

// kill ends the authorization server with SIGKILL.
func (a *authority) kill() {
	if a.process != nil {
		a.process.Kill()
		a.process = nil
	}
}

// logged returns how often the authorization server has printed a text.
func (a *authority) logged(what string) int { return strings.Count(a.log.String(), what) }

// renewals returns how often a token was renewed.
func (a *authority) renewals() int { return a.logged("granted refresh_token") }

// wiki is an MCP server that requires tokens of an authority. It can be restarted.
type wiki struct {
	t       *testing.T
	from    *authority
	address string
	written atomic.Int64 // number of calls of its tool
	server  *http.Server
}

func newWiki(t *testing.T, from *authority) *wiki {
	t.Helper()
	w := &wiki{t: t, from: from, address: porttest.Free(t)}
	t.Cleanup(w.stop)
	w.start()
	return w
}

func (w *wiki) url() string { return "http://" + w.address + "/mcp" }

func (w *wiki) start() {
	w.t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "wiki", Version: "1"}, nil)
	server.AddTool(
		&mcp.Tool{Name: "write_page", Description: "Write a page of the wiki.", InputSchema: object{"type": "object"}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			w.written.Add(1)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "written"}}}, nil
		},
	)
	const metadata = "/.well-known/oauth-protected-resource/mcp"
	mux := http.NewServeMux()
	mux.Handle("/mcp", auth.RequireBearerToken(
		w.verify,
		&auth.RequireBearerTokenOptions{ResourceMetadataURL: "http://" + w.address + metadata},
	)(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)))
	mux.HandleFunc(metadata, func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(rw).Encode(object{
			"resource":              w.url(),
			"authorization_servers": []string{w.from.issuer},
			"scopes_supported":      []string{"wiki:write"},
		})
	})
	listener, err := net.Listen("tcp", w.address)
	if err != nil {
		w.t.Fatal(err)
	}
	w.server = &http.Server{Handler: mux}
	go func() { _ = w.server.Serve(listener) }()
}

// stop ends the server and all its connections. Its sessions are lost.
func (w *wiki) stop() { w.server.Close() }

// restart stops the server for long enough that its clients notice. Otherwise a call could be sent on a connection
// that the server is about to close, and it would be unknown whether the call was executed.
func (w *wiki) restart() {
	w.t.Helper()
	w.stop()
	time.Sleep(500 * time.Millisecond)
	w.start()
}

// verify checks a token without asking the authorization server.
func (w *wiki) verify(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	parsed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.ES256})
	var claims jwt.Claims
	if err == nil {
		err = parsed.Claims(w.from.key.Public(), &claims)
	}
	if err == nil {
		err = claims.ValidateWithLeeway(jwt.Expected{Issuer: w.from.issuer, AnyAudience: jwt.Audience{w.url()}}, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", auth.ErrInvalidToken, err)
	}
	return &auth.TokenInfo{UserID: claims.Subject, Expiration: claims.Expiry.Time()}, nil
}

var loginAddress = regexp.MustCompile(`http://\S+/auth\?\S+`)

// logIn runs `mcpproxy upstream login` and opens the printed address as a browser does.
func (d *daemon) logIn(server string) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), time.Minute)
	defer cancel()
	log := &rig.Log{}
	cmd := exec.CommandContext(ctx, d.program, "upstream", "login", server, "--no-browser", "--config", d.config)
	cmd.Env = rig.Environment(d.env...)
	process, err := rig.Start(cmd, log)
	if err != nil {
		d.t.Fatal(err)
	}
	var address string
	eventually.SucceedsWithin(d.t, 30*time.Second, "the login names an address", func() error {
		if address = loginAddress.FindString(log.String()); address != "" {
			return nil
		}
		if err := process.Check(); err != nil {
			d.t.Fatalf("%v\n%s", err, log)
		}
		return errors.New(log.String())
	})
	jar, err := cookiejar.New(nil)
	if err != nil {
		d.t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := browser.Get(address)
	if err != nil {
		d.t.Fatal(err)
	}
	page, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || resp.StatusCode != http.StatusOK {
		d.t.Fatalf("the browser sees %s: %s, %v", resp.Status, page, err)
	}
	if err := <-process.Exited(); err != nil {
		d.t.Fatalf("the login failed: %v\n%s", err, log)
	}
}

// write calls the wiki's tool. It returns the text that the agent reads, and whether it is an error. Every answer of
// mcpproxy must have the status 200: with 401, an agent would ask its user to log in.
func (w *wiki) write(c *raw) (text string, failed bool) {
	w.t.Helper()
	a := c.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wiki__write_page","arguments":{}}}`)
	if a.status != http.StatusOK {
		w.t.Fatalf("the agent got HTTP status %d: %s", a.status, a.body)
	}
	return string(a.body), a.rpc.Error != nil || a.rpc.isError()
}

// writes calls the wiki's tool, and checks that it was executed exactly once.
func (w *wiki) writes(c *raw) {
	w.t.Helper()
	before := w.written.Load()
	if text, failed := w.write(c); failed {
		w.t.Fatalf("the call failed: %s", text)
	}
	if n := w.written.Load() - before; n != 1 {
		w.t.Fatalf("the call was executed %d times", n)
	}
}

// unharmed checks that nobody is asked to log in, and that the server does not count as failing.
func (d *daemon) unharmed() {
	d.t.Helper()
	var servers []struct {
		Name, Login, Breaker string
		Faults               int
	}
	if err := d.api("/servers", &servers); err != nil {
		d.t.Fatal(err)
	}
	for _, s := range servers {
		if s.Login != "" || s.Breaker != "closed" || s.Faults != 0 {
			d.t.Errorf("a server is blamed, or wants a login: %+v", s)
		}
	}
}

// outage is the text that agents read while a provider is down. It does not contain the address, because the provider
// is on this machine.
const outage = `the authorization server [address] did not renew the token of server \"wiki\"`

func TestALoginSurvivesOutagesOfItsProviderAndRestarts(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	w := newWiki(t, a)
	d := prepare(t, object{"mcpServers": object{"wiki": object{"url": w.url(), "oauth": object{"store": "file"}}}})
	d.run()
	d.logIn("wiki")
	d.waitTools("wiki")
	agent := open(t, d.url("/mcp/all"), stateful)
	w.writes(agent)

	// The provider is killed, and the token expires.
	renewed := a.renewals()
	time.Sleep(tokenLife)
	w.writes(agent)
	if a.renewals() == renewed {
		t.Fatal("the token was not renewed: the test waits too short")
	}
	a.kill()
	time.Sleep(tokenLife)
	for range 5 { // more failures than the circuit breaker tolerates
		if text, failed := w.write(agent); !failed || !strings.Contains(text, outage) {
			t.Fatalf("during an outage the agent reads %s", text)
		}
	}
	if !strings.Contains(d.log.String(), "did not renew the token of server \\\"wiki\\\": "+a.issuer) {
		t.Error("the log does not name the provider")
	}
	d.unharmed()
	a.start()
	eventually.Succeeds(t, "calls work again", func() error {
		if text, failed := w.write(agent); failed {
			return errors.New(text)
		}
		return nil
	})

	// The server restarts without its sessions.
	w.restart()
	w.writes(agent)
	time.Sleep(tokenLife) // also while the token is renewed
	w.restart()
	w.writes(agent)
	d.unharmed()

	// mcpproxy is restarted, with and without the provider.
	d.stop()
	d.run()
	d.waitTools("wiki")
	w.writes(open(t, d.url("/mcp/all"), stateful))
	d.kill()
	a.kill()
	time.Sleep(tokenLife)
	d.run()
	agent = open(t, d.url("/mcp/all"), stateful)
	if text, failed := w.write(agent); !failed || !strings.Contains(text, "Try again in a moment") {
		t.Fatalf("during an outage the agent reads %s", text)
	}
	d.unharmed()
	a.start()
	d.waitTools("wiki")
	w.writes(agent)

	if n := a.logged("granted authorization_code"); n != 1 || a.logged("revoked")+a.logged("refused") > 0 {
		t.Errorf("%d logins; the authorization server says:\n%s", n, &a.log)
	}
}
