package daemon

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy"
	"mcpproxy/internal/config"
	"mcpproxy/internal/home"
)

func TestTheHostsOfInternalServersAreLearned(t *testing.T) {
	c := config.Default()
	c.Servers = config.Servers{
		{Name: "tickets", URL: "https://mcp.acme.example:8443/mcp?x=1"},
		{Name: "postgres", URL: "https://db.host.example/mcp"},
		{Name: "slack", URL: "https://mcp.slack.example/mcp"},
		{Name: "local", URL: "http://127.0.0.1:9000/mcp"},
		{Name: "hub", URL: "https://github.com/mcp"},
		{Name: "files", Command: "files"},
	}
	c.Security.Classification.ServerOverrides = map[string]mcpproxy.Side{
		"tickets": mcpproxy.Internal,
		"hub":     mcpproxy.Internal,
	}
	want := []home.Entry{
		{
			Kind:   home.Domain,
			Value:  "mcp.acme.example",
			Source: home.ServerURL,
			From:   "tickets",
		},
		{
			Kind:   home.Domain,
			Value:  "db.host.example",
			Source: home.ServerURL,
			From:   "postgres",
			Doubt:  byName,
		},
	}
	if diff := cmp.Diff(want, serverHosts(c)); diff != "" {
		t.Error(diff)
	}
}

func TestTheConfigurationSaysWhatIsHome(t *testing.T) {
	c := config.Default()
	c.Security.Home = []string{"acme.example", "github.com/acme"}
	c.Security.Classification.InternalDomains = []string{"corp.example", "github.com"}
	h := home.New(configuredHome(c))
	if !h.Host("acme.example") || !h.Host("corp.example") || h.Host("github.com") || !h.Repository("github.com", "acme", "x") {
		t.Errorf("%+v", h.Entries())
	}
}

func TestTheAnswerAboutTheOwnAccountIsLearned(t *testing.T) {
	w := newAudited(t)
	answer := &mcpproxy.Result{Raw: json.RawMessage(`{"structuredContent":{"login":"ana-acme","email":"ana@acme.example"}}`)}
	call := &mcpproxy.Call{Server: "tracker", Tool: "get_user", Arguments: json.RawMessage(`{}`)}
	w.d.home.learnAccount(call, answer)
	if h := w.d.home.store.Home(); h.Account("", "ana-acme") {
		t.Error("the answer of any tool is learned")
	}
	call.Tool = "get_me"
	w.d.home.learnAccount(call, answer)
	if h := w.d.home.store.Home(); !h.Account("", "ana-acme") || !h.Host("acme.example") {
		t.Errorf("%+v", h.Entries())
	}
}

func TestAFolderOfGitIsLearnedWithItsSubmodulesOwnRemote(t *testing.T) {
	w := newAudited(t)
	dir := t.TempDir()
	write := func(name, content string) {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(".git/HEAD", "ref: refs/heads/main\n")
	write(".git/config", "[remote \"origin\"]\nurl = git@github.com:acme/app.git\n[remote \"here\"]\nurl = /srv/git/app\n"+
		"[user]\nemail = ana@acme.example\n")
	write("lib/.git", "gitdir: ../.git/modules/lib\n")
	write(".git/modules/lib/config", "[remote \"origin\"]\nurl = https://github.com/acme/lib\n")
	w.d.home.learnFolder(t.Context(), filepath.Join(dir, "lib"))
	h := w.d.home.store.Home()
	if !h.Repository("github.com", "acme", "lib") || h.Repository("github.com", "acme", "app") {
		t.Errorf("%+v", h.Entries())
	}
	w.d.home.learnFolder(t.Context(), dir)
	h = w.d.home.store.Home()
	if !h.Repository("github.com", "acme", "app") || !h.Address("ana@acme.example") || !h.Host("acme.example") {
		t.Errorf("%+v", h.Entries())
	}
	if n := len(h.Entries()); n != 4 {
		t.Errorf("%d entries: %+v", n, h.Entries())
	}
}

func TestAgentsMayNotChangeWhatIsHome(t *testing.T) {
	c := config.Default()
	c.DataDir = t.TempDir()
	own := protectedOf("", c, nil)
	for _, f := range own.Files {
		if f.Path == filepath.Join(c.DataDir, "home.json") {
			return
		}
	}
	t.Error("home.json is not among the firewall's own files")
}
