package oauthtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
)

// variable is the environment variable that makes a test binary run as this process.
const variable = "MCPPROXY_TEST_OAUTH"

// Behaviour says how the servers deviate from normal behaviour. With the zero value, they behave correctly.
type Behaviour struct {
	Lifetime      int      // seconds of an access token; 3600 when 0
	NoRefresh     bool     // no refresh tokens
	KeepRefresh   bool     // refresh tokens stay the same
	RefreshStatus int      // answer renewals with this status
	RefreshError  string   // and with this error code
	Slow          int      // delay of the token endpoint in milliseconds
	Hold          bool     // let renewals wait until this is false
	Methods       []string // of PKCE; S256 when nil
	Iss           string   // in answers, instead of the issuer's
	NoIss         bool     // neither announced nor sent
	LoseIss       bool     // announced and not sent
	State         string   // in answers, instead of the client's
	Refuse        string   // answer logins with this error
	Resource      string   // in the metadata, instead of the server's address
	Issuers       []string // in the metadata, instead of the issuer
	NoMetadata    bool     // the MCP server publishes no metadata
	NoRegister    bool
	NoRevoke      bool
	Secret        bool   // clients get a secret and must send it
	Echo          bool   // errors repeat the request
	Deaf          bool   // the MCP server accepts no token
	Type          string // of tokens; Bearer when ""
	Redirect      string // the token endpoint redirects there
	SSE           bool   // the MCP server speaks the older transport
}

// Log counts the requests to the servers.
type Log struct {
	Registered int
	Authorized int
	Traded     int // codes for tokens
	Renewed    int
	Asked      int // renewal requests
	Reused     int // refresh tokens that were used a second time
	Revoked    int
	Called     int      // requests to the MCP server with a valid token
	Refused    int      // requests without a valid token
	Secrets    []string // all secrets, which must not appear anywhere
}

// Process is a running pair of servers.
type Process struct {
	Issuer string // of the authorization server
	MCP    string // address of the MCP server
	cmd    *exec.Cmd
	alive  io.Closer
}

// Main runs the servers and never returns if this process was started by [Start]. Otherwise it does nothing.
func Main() {
	if os.Getenv(variable) == "" {
		return
	}
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func serve() error {
	issuer, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	resource, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	a := newAuthority("http://"+issuer.Addr().String(), "http://"+resource.Addr().String()+"/mcp")
	go func() { _ = http.Serve(issuer, a.handler()) }()
	go func() { _ = http.Serve(resource, a.resource()) }()
	if err := json.NewEncoder(os.Stdout).Encode(map[string]string{"issuer": a.issuer, "mcp": a.mcp}); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin) // until the test is over
	return err
}

// Start runs the servers in a process of their own, until Close is called or this process ends.
func Start() (*Process, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &Process{cmd: exec.Command(exe)}
	p.cmd.Env = append(os.Environ(), variable+"=1")
	p.cmd.Stderr = os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.alive = in
	var at struct{ Issuer, MCP string }
	if err := json.NewDecoder(out).Decode(&at); err != nil {
		p.Close()
		return nil, fmt.Errorf("the process of the authorization server: %w", err)
	}
	p.Issuer, p.MCP = at.Issuer, at.MCP
	return p, nil
}

// Close ends the process.
func (p *Process) Close() {
	p.alive.Close()
	_ = p.cmd.Wait()
}

// Set changes the servers' behaviour for later requests.
func (p *Process) Set(b Behaviour) error {
	raw, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return p.ask("/test/set", raw, nil)
}

// Log returns the counts of the requests so far.
func (p *Process) Log() (Log, error) {
	var l Log
	return l, p.ask("/test/log", nil, &l)
}

// EndLogins makes every token invalid.
func (p *Process) EndLogins() error { return p.ask("/test/end", nil, nil) }

// EndAccess makes the access tokens invalid. The refresh tokens stay valid.
func (p *Process) EndAccess() error { return p.ask("/test/end-access", nil, nil) }

// ask sends a request to the control interface of the process.
func (p *Process) ask(path string, body []byte, out any) error {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Post(p.Issuer+path, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	if out == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(out)
}

// Browse opens an address as a browser does, follows redirects, and returns the last page.
func Browse(address string) (status int, text string, err error) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(address)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(raw), err
}
