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

// edited is a file after what edit did to it, and the error.
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
	shop := config.Server{Name: "shop", Command: "shop-server", Args: []string{"--all", "a b"}, Env: map[string]string{"KEY": "${env:SHOP_KEY}"}}
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
			if last := parsed.Servers[len(parsed.Servers)-1]; last.Name != "shop" || last.Command != "shop-server" || len(last.Args) != 2 {
				t.Errorf("%+v", last)
			}
			_, err = edited(t, after, func(path string) error { return config.AddServer(path, shop) })
			if err == nil || !strings.Contains(err.Error(), "already") {
				t.Errorf("a second time: %v", err)
			}
			back, err := edited(t, after, func(path string) error { return config.RemoveServer(path, "shop") })
			if err != nil || strings.Contains(back, "shop") || strings.Contains(c.before, "wiki") != strings.Contains(back, "wiki") {
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
		"a name that is none":   {"{}", func(p string) error { return config.AddServer(p, config.Server{Name: "a b", Command: "x"}) }, "a b"},
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
	if _, err := edited(t, "{}", func(p string) error { return config.RemoveServer(p, "shop") }); !errors.Is(err, config.ErrNoServer) {
		t.Errorf("%v", err)
	}
}
