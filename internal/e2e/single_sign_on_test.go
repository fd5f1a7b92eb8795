package e2e

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"mcpproxy/internal/e2e/rig"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/porttest"
)

// company is an OpenID provider from npm.
type company struct {
	t       *testing.T
	issuer  string
	port    string
	process *rig.Process
}

// newCompany starts a provider that signs with a key.
func newCompany(t *testing.T, key jose.JSONWebKey) *company {
	t.Helper()
	address := porttest.Free(t)
	c := &company{t: t, issuer: "http://" + address}
	_, c.port, _ = strings.Cut(address, ":")
	t.Cleanup(func() { c.stop() })
	c.start(key)
	return c
}

func (c *company) start(key jose.JSONWebKey) {
	c.t.Helper()
	port, err := strconv.Atoi(c.port)
	if err != nil {
		c.t.Fatal(err)
	}
	settings, err := json.Marshal(object{
		"port":   port,
		"jwks":   jose.JSONWebKeySet{Keys: []jose.JSONWebKey{key}},
		"groups": object{"ann": []string{"developers"}, "eve": []string{"guests"}, "bob": nil},
	})
	if err != nil {
		c.t.Fatal(err)
	}
	log := &rig.Log{}
	cmd := exec.Command(node(c.t), filepath.Join(filepath.Dir(packages(c.t)), "openid-provider.mjs"))
	cmd.Stdin = bytes.NewReader(settings)
	if c.process, err = rig.Start(cmd, log); err != nil {
		c.t.Fatal(err)
	}
	eventually.SucceedsWithin(c.t, 30*time.Second, "the provider listens", func() error {
		if strings.Contains(log.String(), "listening") {
			return nil
		}
		if err := c.process.Check(); err != nil {
			c.t.Fatalf("%v\n%s", err, log)
		}
		return errors.New(log.String())
	})
}

func (c *company) stop() {
	if c.process != nil {
		c.process.Kill()
		c.process = nil
	}
}

// token asks the provider for an access token for a resource.
func (c *company) token(client, resource string) string {
	c.t.Helper()
	resp, err := http.PostForm(c.issuer+"/token", url.Values{
		"grant_type":    {"client_credentials"},
		"client_id":     {client},
		"client_secret": {"secret"},
		"resource":      {resource},
		"scope":         {"tools"},
	})
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	var got struct {
		Token string `json:"access_token"`
		Error string `json:"error_description"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil || got.Token == "" {
		c.t.Fatalf("the provider gives no token: %v %s", err, got.Error)
	}
	return got.Token
}

func ecKey(t *testing.T, name string) jose.JSONWebKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return jose.JSONWebKey{
		Key:       key,
		KeyID:     name,
		Algorithm: "ES256",
		Use:       "sig",
	}
}

func rsaKey(t *testing.T, name string) jose.JSONWebKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return jose.JSONWebKey{
		Key:       key,
		KeyID:     name,
		Algorithm: "RS256",
		Use:       "sig",
	}
}

// signOn tries to open a session with a token and returns the status of the answer.
func (d *daemon) signOn(token string) (int, http.Header) {
	d.t.Helper()
	c := &raw{t: d.t, url: d.url("/mcp")}
	a := c.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+stateful+
		`","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`, "X-API-Key", "", "Authorization", "Bearer "+token)
	return a.status, a.header
}

func TestPeopleOfARealProviderUseWhatTheirGroupsOpen(t *testing.T) {
	t.Parallel()
	const resource = "https://mcp.acme.example"
	c := newCompany(t, ecKey(t, "first"))
	demo := func(name string) object {
		return object{"command": bin.plain, "args": []string{"demo-server", name}}
	}
	d := prepare(t, object{
		"mcpServers": object{"vault": demo("vault"), "chat": demo("chat")},
		"auth": object{"oidc": object{
			"issuer":   c.issuer,
			"audience": resource,
			"groups":   object{"developers": object{"servers": []string{"vault"}}},
		}},
	})
	d.run()
	d.waitTools("vault")
	d.waitTools("chat")
	if out, err := d.command("doctor"); !strings.Contains(out, "✓ issuer: "+c.issuer+" publishes 1 keys") {
		t.Errorf("doctor says (%v)\n%s", err, out)
	}

	ann := c.token("ann", resource)
	for _, revision := range []string{stateful, stateless} {
		s := rig.ConnectTo(t, d.url("/mcp/all"), ann, revision)
		tools, err := s.ListTools(within(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range tools.Tools {
			if !strings.HasPrefix(tool.Name, "vault__") {
				t.Errorf("%s: the list shows %s", revision, tool.Name)
			}
		}
		if len(tools.Tools) == 0 {
			t.Errorf("%s: the list is empty", revision)
		}
		use(t, s, "vault__read_secret", object{"name": "x"})
		if text, refused := call(t, s, "chat__post_message", object{"text": "x"}); !refused || !strings.Contains(text, "oidc/ann") {
			t.Errorf("%s: a call of another server is answered with %q", revision, text)
		}
	}
	var page struct {
		Activities []struct {
			Principal string `json:"principal"`
		} `json:"activities"`
	}
	eventually.Succeeds(t, "the records name ann", func() error {
		err := d.api("/activity?principal=oidc/ann&limit=50", &page)
		if err == nil && len(page.Activities) < 4 {
			err = fmt.Errorf("the records are %v", page.Activities)
		}
		return err
	})

	for name, refused := range map[string]struct {
		token  string
		status int
	}{
		"another resource": {c.token("ann", "https://wiki.acme.example"), 401},
		"another group":    {c.token("eve", resource), 403},
		"no group":         {c.token("bob", resource), 403},
	} {
		if status, header := d.signOn(refused.token); status != refused.status ||
			!strings.Contains(header.Get("WWW-Authenticate"), "resource_metadata=") {
			t.Errorf("%s: status %d, %q", name, status, header.Get("WWW-Authenticate"))
		}
	}

	next := rsaKey(t, "second") // another key, and another algorithm
	c.stop()
	if status, _ := d.signOn(ann); status != http.StatusOK {
		t.Errorf("during an outage, a token with a known key is answered with %d", status)
	}
	c.start(next)
	rotated := c.token("ann", resource)
	c.stop()
	eventually.True(t, "an unknown key is answered with 503", func() bool {
		status, header := d.signOn(rotated)
		if status == http.StatusUnauthorized {
			t.Fatal("an outage is answered with 401")
		}
		return status == http.StatusServiceUnavailable && header.Get("Retry-After") != ""
	})
	c.start(next)
	eventually.TrueWithin(t, 30*time.Second, "the rotated key is found", func() bool {
		status, _ := d.signOn(rotated)
		return status == http.StatusOK
	})
	if status, _ := d.signOn(ann); status != http.StatusUnauthorized && status != http.StatusServiceUnavailable {
		t.Errorf("a token with the withdrawn key is answered with %d", status)
	}
}
