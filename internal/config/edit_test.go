package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/config"
)

// edited applies edit to a file, and returns the new content and the error.
func edited(t *testing.T, before string, edit func(path string) error) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mcp_config.json")
	if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	failed := edit(path)
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(after), failed
}

func TestAServerIsAddedAndTheRestStays(t *testing.T) {
	shop := config.Server{
		Name:    "shop",
		Command: "shop-server",
		Args:    []string{"--all", "a b"},
		Env:     map[string]string{"KEY": "${env:SHOP_KEY}"},
	}
	for name, c := range map[string]struct{ before, after string }{
		"no servers": {"{\n  // mine\n  \"listen\": \"127.0.0.1:1\",\n}\n",
			"{\n  // mine\n  \"listen\": \"127.0.0.1:1\",\n  \"mcpServers\": {\n    \"shop\": {\"command\": \"shop-server\", \"args\": [\"--all\", \"a b\"], \"env\": {\"KEY\": \"${env:SHOP_KEY}\"}}\n  }\n}\n"},
		"by name": {"{\"mcpServers\": {\n    // the wiki\n    \"wiki\": {\"url\": \"https://wiki.example/mcp\"} // slow\n  }}",
			"{\"mcpServers\": {\n    // the wiki\n    \"wiki\": {\"url\": \"https://wiki.example/mcp\"}, // slow\n    \"shop\": {\"command\": \"shop-server\", \"args\": [\"--all\", \"a b\"], \"env\": {\"KEY\": \"${env:SHOP_KEY}\"}}\n  }}"},
		"a list": {"{\"mcpServers\": [{\"name\": \"wiki\", \"url\": \"https://wiki.example/mcp\"}]}",
			"{\"mcpServers\": [{\"name\": \"wiki\", \"url\": \"https://wiki.example/mcp\"},\n    {\"name\": \"shop\", \"command\": \"shop-server\", \"args\": [\"--all\", \"a b\"], \"env\": {\"KEY\": \"${env:SHOP_KEY}\"}}\n  ]}"},
		"an empty file": {"", "{\n  \"mcpServers\": {\n    \"shop\": {\"command\": \"shop-server\", \"args\": [\"--all\", \"a b\"], \"env\": {\"KEY\": \"${env:SHOP_KEY}\"}}\n  }\n}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("SHOP_KEY", "x")
			after, err := edited(t, c.before, func(path string) error { return config.AddServer(path, shop) })
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.after, after); diff != "" {
				t.Error(diff)
			}
			parsed, err := config.Parse("x", []byte(after), config.Lookup)
			if err != nil {
				t.Fatal(err)
			}
			last := parsed.Servers[len(parsed.Servers)-1]
			if last.Name != "shop" || last.Command != "shop-server" || len(last.Args) != 2 {
				t.Errorf("%+v", last)
			}
			_, err = edited(t, after, func(path string) error { return config.AddServer(path, shop) })
			if err == nil || !strings.Contains(err.Error(), "already") {
				t.Errorf("a second time: %v", err)
			}
			back, err := edited(t, after, func(path string) error { return config.RemoveServer(path, "shop") })
			if err != nil || strings.Contains(back, "shop") ||
				strings.Contains(c.before, "wiki") != strings.Contains(back, "wiki") {
				t.Errorf("taken out again: %v\n%s", err, back)
			}
		})
	}
}

func TestAnEditThatWouldNotHoldWritesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		before string
		edit   func(path string) error
		want   string
	}{
		"an invalid name":       {"{}", func(p string) error { return config.AddServer(p, config.Server{Name: "a b", Command: "x"}) }, "a b"},
		"a server of no kind":   {"{}", func(p string) error { return config.AddServer(p, config.Server{Name: "a"}) }, "command"},
		"a file that is broken": {"{\"listen\": }", func(p string) error { return config.AddServer(p, config.Server{Name: "a", Command: "x"}) }, "mcp_config.json"},
		"another unknown key":   {"{\"lissten\": \"x\"}", func(p string) error { return config.AddServer(p, config.Server{Name: "a", Command: "x"}) }, "lissten"},
		"nobody to remove":      {"{\"mcpServers\": {}}", func(p string) error { return config.RemoveServer(p, "shop") }, config.ErrNoServer.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			after, err := edited(t, c.before, c.edit)
			if err == nil || !strings.Contains(err.Error(), c.want) || after != c.before {
				t.Errorf("%v\n%s", err, after)
			}
		})
	}
	if _, err := edited(
		t,
		"{}",
		func(p string) error { return config.RemoveServer(p, "shop") },
	); !errors.Is(
		err,
		config.ErrNoServer,
	) {
		t.Errorf("%v", err)
	}
}

func try(path string, s config.Server) error {
	trial, err := config.NewTrial(path)
	if err != nil {
		return err
	}
	return trial.Add(s)
}

func TestServersAreAddedAllOrNone(t *testing.T) {
	const before = "{\n  \"mcpServers\": {\n    \"wiki\": {\"url\": \"https://wiki.example/mcp\"}\n  }\n}\n"
	a, b := config.Server{
		Name:        "a",
		Command:     "x",
		TimeoutSecs: 90,
	}, config.Server{
		Name: "b",
		URL:  "https://b.example/mcp",
	}
	after, err := edited(t, before, func(path string) error { return config.AddServers(path, []config.Server{a, b}) })
	want := "{\n  \"mcpServers\": {\n    \"wiki\": {\"url\": \"https://wiki.example/mcp\"},\n    \"a\": {\"command\": \"x\", \"timeout_secs\": 90},\n    \"b\": {\"url\": \"https://b.example/mcp\"}\n  }\n}\n"
	if err != nil || after != want {
		t.Errorf("%v\n%s", err, cmp.Diff(want, after))
	}
	for name, c := range map[string]struct {
		all  []config.Server
		want string
	}{
		"a name that is taken":       {[]config.Server{a, {Name: "wiki", Command: "x"}}, `there is a server "wiki" already`},
		"a name of another server":   {[]config.Server{a, b, {Name: "a", Command: "y"}}, `there is a server "a" already`},
		"what does not hold":         {[]config.Server{a, {Name: "c"}}, "needs a command or a url"},
		"a variable that is not set": {[]config.Server{a, {Name: "c", Command: "${env:MCPPROXY_NO_SUCH}"}}, "MCPPROXY_NO_SUCH is not set"},
		"a credential in the open":   {[]config.Server{a, {Name: "c", URL: "http://c.example/mcp", Headers: map[string]string{"Authorization": "x"}}}, "Authorization"},
	} {
		after, err := edited(t, before, func(path string) error { return config.AddServers(path, c.all) })
		if err == nil || !strings.Contains(err.Error(), c.want) || after != before {
			t.Errorf("%s: %v\n%s", name, err, after)
		}
		last := c.all[len(c.all)-1]
		if last.Name == "a" {
			continue
		}
		after, err = edited(t, before, func(path string) error { return try(path, last) })
		if err == nil || !strings.Contains(err.Error(), c.want) || after != before {
			t.Errorf("trying %s: %v\n%s", name, err, after)
		}
	}
	if after, err := edited(t, before, func(path string) error { return try(path, a) }); err != nil || after != before {
		t.Errorf("trying what holds: %v\n%s", err, after)
	}
	if err := try(filepath.Join(t.TempDir(), "mcp_config.json"), a); err != nil {
		t.Errorf("without a file: %v", err)
	}
}

func TestAServerIsEnabledAndTheRestStays(t *testing.T) {
	for name, c := range map[string]struct {
		before, after string
		on, changed   bool
	}{
		"off, on one line": {
			`{"mcpServers": {"wiki": {"url": "https://wiki.example/mcp"}}}`,
			`{"mcpServers": {"wiki": {"url": "https://wiki.example/mcp", "enabled": false}}}`,
			false, true},
		"off, on lines of their own": {
			"{\"mcpServers\": {\n  \"wiki\": {\n    // mine\n    \"url\": \"https://wiki.example/mcp\", // slow\n  },\n}}",
			"{\"mcpServers\": {\n  \"wiki\": {\n    // mine\n    \"url\": \"https://wiki.example/mcp\",\n    \"enabled\": false // slow\n  },\n}}",
			false, true},
		"off, in a list": {
			`{"mcpServers": [{"name": "wiki", "enabled": true, "url": "https://wiki.example/mcp"}]}`,
			`{"mcpServers": [{"name": "wiki", "enabled": false, "url": "https://wiki.example/mcp"}]}`,
			false, true},
		"on again": {
			`{"mcpServers": {"wiki": {"enabled": false, "url": "https://wiki.example/mcp"}}}`,
			`{"mcpServers": {"wiki": {"enabled": true, "url": "https://wiki.example/mcp"}}}`,
			true, true},
		"on, and nothing says otherwise": {
			`{"mcpServers": {"wiki": {"url": "https://wiki.example/mcp"}}}`,
			`{"mcpServers": {"wiki": {"url": "https://wiki.example/mcp"}}}`,
			true, false},
		"off, as it was": {
			`{"mcpServers": {"wiki": {"enabled": false, "url": "https://wiki.example/mcp"}}}`,
			`{"mcpServers": {"wiki": {"enabled": false, "url": "https://wiki.example/mcp"}}}`,
			false, false},
	} {
		t.Run(name, func(t *testing.T) {
			changed := false
			got, err := edited(t, c.before, func(path string) (err error) {
				changed, err = config.EnableServer(path, "wiki", c.on)
				return err
			})
			if diff := cmp.Diff(c.after, got); err != nil || diff != "" || changed != c.changed {
				t.Errorf("changed: %t, %v (-want +got):\n%s", changed, err, diff)
			}
		})
	}
	if _, err := edited(t, `{"mcpServers": {}}`, func(path string) error {
		_, err := config.EnableServer(path, "wiki", true)
		return err
	}); !errors.Is(err, config.ErrNoServer) {
		t.Errorf("of a server that is not there: %v", err)
	}
}
