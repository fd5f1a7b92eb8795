//go:build linux

package day_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/e2e/rig"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/porttest"
)

const (
	apiKey   = "day-key-of-no-value"
	patience = 60 * time.Second
)

// key has the form of an API key but is not valid. It is assembled here, so that scanners for secrets do not find it
// in a file.
var key = "sk-" + "proj-" + "Ht5Yq2Lk8Wd3Rz7Xn4Vb9Mc6Js1Pf0E"

// machine is a user's machine: a home folder, a daemon with the default configuration, its servers, a PostgreSQL and a
// local web page.
type machine struct {
	t          *testing.T
	home       string
	data       string
	places     *strings.Replacer
	daemon     *rig.Process
	log        rig.Log
	api        rig.API
	proxyTools map[string]string // tool of mcpproxy that calls a server's tool, by server:tool
}

// gitConfig is the content of the user's git configuration.
const gitConfig = "[user]\n\tname = Ana Novak\n\temail = ana@acme.example\n"

// projects are the folders of the home that are repositories, and their remotes.
var projects = map[string]string{
	"shop":    "git@github.com:acme/shop.git",
	"docs":    "https://github.com/acme/docs.git",
	"infra":   "git@github.com:acme/infra.git",
	"support": "git@github.com:acme/support-bot.git",
	"data":    "git@github.com:acme/data.git",
	"notes":   "",
}

// newMachine starts the whole machine.
func newMachine(t *testing.T) *machine {
	t.Helper()
	home, err := os.MkdirTemp("", "day") // the path is short, because a socket's path may have at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{
		t:          t,
		home:       home,
		data:       filepath.Join(home, ".mcpproxy"),
		proxyTools: map[string]string{},
	}
	t.Cleanup(func() {
		m.stop()
		os.RemoveAll(home)
	})
	page := httptest.NewServer(http.HandlerFunc(servePage))
	t.Cleanup(page.Close)
	database := startPostgres(t)
	m.places = strings.NewReplacer("{HOME}", home, "{PAGE}", page.URL, "{DATABASE}", database, "{KEY}", key)
	m.write(".gitconfig", gitConfig)
	for name, remote := range projects {
		settings := "[core]\n\trepositoryformatversion = 0\n"
		if remote != "" {
			settings += "[remote \"origin\"]\n\turl = " + remote + "\n"
		}
		m.write(name+"/.git/config", settings)
		m.write(name+"/.git/HEAD", "ref: refs/heads/main\n")
	}
	m.serve(m.servers(t, database))
	return m
}

// servePage serves the page of a small shop.
func servePage(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch r.URL.Path {
	case "/cart":
		fmt.Fprint(w, `<title>Cart</title><h1>Your cart</h1><ul><li>Teapot, 24.00 EUR</li></ul>
<form action="/order"><label>E-mail <input name="email"></label>
<label>Country <select name="country"><option>Germany</option><option>Austria</option></select></label>
<button>Order now</button></form>`)
	case "/order":
		fmt.Fprint(w, `<title>Thank you</title><h1>Thank you for your order</h1><p>Order 1042 is on its way.</p>`)
	default:
		fmt.Fprint(w, `<title>Acme Shop</title><h1>Acme Shop</h1><a href="/cart">Cart</a><p>Teapots and cups.</p>
<script>console.log("shop loaded")</script>`)
	}
}

// write writes a file of the home.
func (m *machine) write(path, content string) {
	m.t.Helper()
	rig.Write(m.t, filepath.Join(m.home, path), content)
}

// servers returns the configurations of all servers.
func (m *machine) servers(t *testing.T, database string) []object {
	t.Helper()
	npm := func(name, main string, args ...string) object {
		return object{
			"name":    name,
			"command": node(t),
			"args":    append([]string{filepath.Join(packages(t), filepath.FromSlash(main))}, args...),
		}
	}
	const official = "@modelcontextprotocol/server-"
	memory := npm("memory", official+"memory/dist/index.js")
	memory["env"] = object{"MEMORY_FILE_PATH": filepath.Join(m.home, "memory.json")}
	all := []object{
		npm("everything", official+"everything/dist/index.js"),
		npm("filesystem", official+"filesystem/dist/index.js", m.home),
		memory,
		npm("sequential-thinking", official+"sequential-thinking/dist/index.js"),
		npm("postgres", official+"postgres/dist/index.js", database),
		npm("sqlite", "mcp-server-sqlite-npx/dist/index.js", filepath.Join(m.home, "sales.db")),
		npm("playwright", "@playwright/mcp/cli.js", "--headless", "--isolated", "--no-sandbox",
			"--executable-path", chromium(t), "--output-dir", filepath.Join(m.home, "browser")),
	}
	files, err := filepath.Glob("testdata/services/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		path, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, object{
			"name":    strings.TrimSuffix(filepath.Base(file), ".yaml"),
			"command": filepath.Join(programs, "agent-service"),
			"args":    []string{playsService, path},
		})
	}
	return all
}

// env returns a clean environment with a home and nothing else.
func (m *machine) env(more ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + m.home, "LANG=C.UTF-8"}, more...)
}

// serve starts the daemon and approves what its servers declare, as the user does once.
func (m *machine) serve(servers []object) {
	m.t.Helper()
	listen := porttest.Free(m.t)
	m.api = rig.API{Address: listen, Key: apiKey, Timeout: patience}
	raw, err := json.MarshalIndent(object{"listen": listen, "api_key": apiKey, "mcpServers": servers}, "", "  ")
	if err != nil {
		m.t.Fatal(err)
	}
	m.write(".mcpproxy/mcp_config.json", string(raw))
	cmd := exec.Command(filepath.Join(programs, "mcpproxy"), "serve")
	cmd.Env = m.env()
	if m.daemon, err = rig.Start(cmd, &m.log); err != nil {
		m.t.Fatal(err)
	}
	eventually.SucceedsWithin(m.t, patience, "the servers are ready", func() error {
		return m.ready(len(servers))
	})
	for _, server := range servers {
		m.mcpproxy("trust", "baseline", server["name"].(string))
	}
	m.expectNothingHeld()
}

// expectNothingHeld checks that the scan found nothing dangerous in what honest servers declare.
func (m *machine) expectNothingHeld() {
	m.t.Helper()
	var declared []struct {
		Server, Name string
		Trust        struct {
			Held   bool
			Reason string
		}
	}
	if err := json.Unmarshal([]byte(m.mcpproxy("trust", "list", "-o", "json")), &declared); err != nil {
		m.t.Fatal(err)
	}
	for _, d := range declared {
		if d.Trust.Held {
			m.t.Errorf("%s:%s is held: %s", d.Server, d.Name, d.Trust.Reason)
		}
	}
	if len(declared) < 100 {
		m.t.Errorf("the servers declare %d tools and instructions only", len(declared))
	}
}

// ready returns an error if not all servers have listed their tools.
func (m *machine) ready(want int) error {
	var servers []struct {
		Name, State, Error string
	}
	if err := errors.Join(m.daemon.Check(), m.api.Get("/api/v1/servers", &servers)); err != nil {
		return err
	}
	for _, s := range servers {
		if s.State != "ready" {
			return fmt.Errorf("%s is %s: %s", s.Name, s.State, s.Error)
		}
	}
	if len(servers) != want {
		return fmt.Errorf("there are %d of %d servers", len(servers), want)
	}
	return nil
}

// mcpproxy runs a command of the program, as the user does in a terminal of their own.
func (m *machine) mcpproxy(args ...string) string {
	m.t.Helper()
	cmd := exec.Command(filepath.Join(programs, "mcpproxy"), args...)
	cmd.Env, cmd.Dir = m.env(), m.home
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.t.Fatalf("mcpproxy %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (m *machine) stop() {
	if m.daemon == nil {
		return
	}
	if err := m.daemon.Stop(patience); errors.Is(err, rig.ErrStuck) {
		m.t.Error(err)
	}
	if crash := m.log.Crash(); crash != "" {
		m.t.Errorf("the daemon's log shows a panic:\n%s", crash)
	}
	m.daemon = nil
}
