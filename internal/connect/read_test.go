package connect_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/connect"
	"mcpproxy/internal/settings"
)

func TestServersAreReadFromTheFormatOfEachAgent(t *testing.T) {
	for _, c := range []struct {
		name, agent string
		scope       settings.Scope
		file        string
		want        connect.Server
	}{
		{"a program", "claude-code", settings.User, `{"mcpServers": {"a": {"type": "stdio", "command": "npx", "args": ["-y", "x"], "env": {"N": 1}}}}`,
			connect.Server{Command: "npx", Args: []string{"-y", "x"}, Env: map[string]string{"N": "1"}}},
		{"an address", "claude-code", settings.Project, `{"mcpServers": {"a": {"type": "http", "url": "https://x.example/mcp", "headers": {"X-A": "b"}}}}`,
			connect.Server{URL: "https://x.example/mcp", Headers: map[string]string{"X-A": "b"}, Protocol: "http"}},
		{"the older transport", "claude-code", settings.User, `{"mcpServers": {"a": {"type": "sse", "url": "https://x.example/sse"}}}`,
			connect.Server{URL: "https://x.example/sse", Protocol: "sse"}},
		{"a variable", "claude-code", settings.User, `{"mcpServers": {"a": {"command": "${SHELL_PATH}", "args": ["--token=${TOKEN}"]}}}`,
			connect.Server{Command: "${env:SHELL_PATH}", Args: []string{"--token=${env:TOKEN}"}}},
		{"a variable with a default", "claude-code", settings.User, `{"mcpServers": {"a": {"command": "x", "args": ["${SET:-a}", "${UNSET:-b}"]}}}`,
			connect.Server{Command: "x", Args: []string{"${env:SET}", "b"}}},
		{"one project's servers of Claude Code", "claude-code", settings.Local, `{"projects": {"PROJECT": {"mcpServers": {"a": {"command": "x"}}}, "/other": {"mcpServers": {"b": {"command": "y"}}}}}`,
			connect.Server{Command: "x"}},
		{"a program of the project's folder", "claude-code", settings.Project, `{"mcpServers": {"a": {"command": "node", "args": ["./server.js"]}}}`,
			connect.Server{Command: "node", Args: []string{"./server.js"}, Dir: "PROJECT"}},
		{"texts that only look like variables", "claude-desktop", settings.User, `{"mcpServers": {"a": {"command": "x", "args": ["${NAME}", "$HOME"]}}}`,
			connect.Server{Command: "x", Args: []string{"${NAME}", "$HOME"}}},
		{"variables of Gemini CLI", "gemini-cli", settings.User, `{"mcpServers": {"a": {"httpUrl": "https://x.example/mcp", "headers": {"A": "Bearer $TOKEN"}, "timeout": 30000}}}`,
			connect.Server{URL: "https://x.example/mcp", Headers: map[string]string{"A": "Bearer ${env:TOKEN}"}, Timeout: 30}},
		{"an url of Gemini CLI", "gemini-cli", settings.User, `{"mcpServers": {"a": {"url": "https://x.example/sse"}}}`,
			connect.Server{URL: "https://x.example/sse", Protocol: "sse"}},
		{"variables of an editor", "cursor", settings.User, `{"mcpServers": {"a": {"command": "${userHome}/x", "args": ["${workspaceFolder}", "${env:A}", "${workspaceFolderBasename}", "${pathSeparator}"]}}}`,
			connect.Server{Command: "HOME/x", Args: []string{"PROJECT", "${env:A}", "project", "/"}}},
		{"a question of VS Code", "vscode", settings.Project, `{"servers": {"a": {"command": "x", "env": {"K": "${input:key}"}}}}`,
			connect.Server{Command: "x", Env: map[string]string{"K": "${input:key}"}, Problem: "${input:key} has no counterpart here: enter the server by hand, with ${env:NAME}, ${file:PATH} or ${keyring:NAME} in its place"}},
		{"a file with the environment", "vscode", settings.Project, `{"servers": {"a": {"command": "x", "envFile": "/p/.env"}}}`,
			connect.Server{Command: "x", Problem: "it reads its environment from /p/.env: enter those variables as env, by hand"}},
		{"an address of Windsurf", "windsurf", settings.User, `{"mcpServers": {"a": {"serverUrl": "https://x.example/mcp", "headers": {"A": "${TOKEN}"}, "disabled": true}}}`,
			connect.Server{URL: "https://x.example/mcp", Headers: map[string]string{"A": "${env:TOKEN}"}, Disabled: true}},
		{"a program of opencode", "opencode", settings.User, `{"mcp": {"a": {"type": "local", "command": ["npx", "x"], "environment": {"T": "{env:TOKEN}", "F": "{file:~/t}"}, "enabled": false}}}`,
			connect.Server{
				Command:  "npx",
				Args:     []string{"x"},
				Env:      map[string]string{"T": "${env:TOKEN}", "F": "${file:~/t}"},
				Disabled: true,
			}},
		{"an address of opencode 2", "opencode", settings.Project, `{"mcp": {"servers": {"a": {"type": "remote", "url": "https://x.example/mcp"}}}}`,
			connect.Server{URL: "https://x.example/mcp"}},
		{"a program of Codex", "codex", settings.User, "[mcp_servers.a]\ncommand = \"npx\"\nargs = [\"x\"]\ncwd = \"/w\"\nenv = {A = \"b\"}\nenv_vars = [\"HOME_TOKEN\"]\ntool_timeout_sec = 90\n",
			connect.Server{
				Command: "npx",
				Args:    []string{"x"},
				Dir:     "/w",
				Env:     map[string]string{"A": "b", "HOME_TOKEN": "${env:HOME_TOKEN}"},
				Timeout: 90,
			}},
		{"an address of Codex", "codex", settings.Project, "[mcp_servers.a]\nurl = \"https://x.example/mcp\"\nbearer_token_env_var = \"T\"\nhttp_headers = {X-A = \"1\"}\nenv_http_headers = {X-B = \"B\"}\n",
			connect.Server{URL: "https://x.example/mcp", Headers: map[string]string{"Authorization": "Bearer ${env:T}", "X-A": "1", "X-B": "${env:B}"}}},
		{"an extension of Goose", "goose", settings.User, "extensions:\n  developer: {type: builtin, enabled: true}\n  a: {type: stdio, cmd: x, args: [y], envs: {A: b}, timeout: 300, enabled: true}\n",
			connect.Server{
				Command: "x",
				Args:    []string{"y"},
				Env:     map[string]string{"A": "b"},
				Timeout: 300,
			}},
		{"nothing to start or to reach", "cursor", settings.User, `{"mcpServers": {"a": {}}}`, connect.Server{Problem: "it has no command and no url"}},
		{"no object", "cursor", settings.User, `{"mcpServers": {"a": 7}}`, connect.Server{Problem: "it has no command and no url"}},
		{"both a program and an address", "cursor", settings.User, `{"mcpServers": {"a": {"command": "x", "url": "https://x.example"}}}`,
			connect.Server{Command: "x", URL: "https://x.example", Problem: "it has both a command and a url"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := world(t, t.TempDir())
			env.Getenv = func(name string) string { return map[string]string{"SET": "s"}[name] }
			p := at(t, env, c.agent, c.scope)
			put(t, p.Path, strings.ReplaceAll(c.file, "PROJECT", env.Project))
			all, err := p.Servers()
			if err != nil || len(all) != 1 {
				t.Fatalf("%+v, %v", all, err)
			}
			want := c.want
			want.Agent = c.agent
			want.Scope = c.scope
			want.Path = p.Path
			want.Name = "a"
			places := strings.NewReplacer("PROJECT", env.Project, "HOME/", env.Home+"/")
			want.Command, want.Dir = places.Replace(want.Command), places.Replace(want.Dir)
			for i := range want.Args {
				want.Args[i] = places.Replace(want.Args[i])
			}
			if len(all[0].Args) == 0 {
				all[0].Args = nil
			}
			if diff := cmp.Diff(want, all[0]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAFileOfAnyFormIsRead(t *testing.T) {
	for _, c := range []struct{ name, file, content, want string }{
		{"mcpServers", "a.json", `{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}`, "a b"},
		{"comments", "a.jsonc", "{\n  // mine\n  \"servers\": {\"a\": {\"command\": \"x\"},},\n}", "a"},
		{"settings of VS Code", "settings.json", `{"mcp": {"servers": {"a": {"command": "x"}}}}`, "a"},
		{"opencode", "opencode.json", `{"mcp": {"a": {"type": "local", "command": ["x"]}}}`, "a"},
		{"Zed", "settings.json", `{"context_servers": {"a": {"command": "x"}}}`, "a"},
		{"Codex", "config.toml", "[mcp_servers.a]\ncommand = \"x\"\n", "a"},
		{"Goose", "config.yaml", "extensions:\n  a: {type: stdio, cmd: x}\n", "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, c.file)
			put(t, path, c.content)
			all, err := connect.ReadFile(world(t, dir), path)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, s := range all {
				names = append(names, s.Name)
				if s.Command == "" || s.Path != path {
					t.Errorf("%+v", s)
				}
			}
			if got := strings.Join(names, " "); got != c.want {
				t.Errorf("the servers are %q", got)
			}
		})
	}
}

func TestServersThatLeadToThisProxyAreRecognised(t *testing.T) {
	for name, c := range map[string]struct {
		server connect.Server
		want   bool
	}{
		"the bridge":               {connect.Server{Command: "/usr/bin/mcpproxy", Args: []string{"--config", "/x", "stdio"}}, true},
		"the bridge on Windows":    {connect.Server{Command: `C:\Tools\mcpproxy.exe`, Args: []string{"stdio", "--all"}}, true},
		"the listener":             {connect.Server{URL: "http://127.0.0.1:8080/mcp"}, true},
		"the listener by name":     {connect.Server{URL: "http://localhost:8080/mcp/all"}, true},
		"the listener, one server": {connect.Server{URL: "http://[::1]:8080/mcp/s/files"}, true},
		"another port":             {connect.Server{URL: "http://127.0.0.1:8081/mcp"}, false},
		"another path":             {connect.Server{URL: "http://127.0.0.1:8080/mcpx"}, false},
		"another machine":          {connect.Server{URL: "http://10.0.0.1:8080/mcp"}, false},
		"another of its commands":  {connect.Server{Command: "mcpproxy", Args: []string{"demo-server", "vault"}}, false},
		"another program":          {connect.Server{Command: "my-mcpproxy", Args: []string{"stdio"}}, false},
	} {
		if got := c.server.Leads(listen); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestServersAreTheSameWhateverTheirNames(t *testing.T) {
	a := connect.Server{
		Name:     "a",
		Agent:    "codex",
		Command:  "x",
		Args:     []string{},
		Protocol: "stdio",
	}
	b := connect.Server{
		Name:    "b",
		Agent:   "cursor",
		Command: "x",
		Env:     map[string]string{},
	}
	if !a.Same(b) {
		t.Error("they are the same")
	}
	for _, other := range []connect.Server{{Command: "y"}, {Command: "x", Args: []string{"z"}}, {Command: "x", Env: map[string]string{"A": "b"}}, {URL: "x"},
		{Command: "x", Dir: "/w"}, {Command: "x", Headers: map[string]string{"A": "b"}}} {
		if a.Same(other) || other.Same(a) {
			t.Errorf("%+v is not the same", other)
		}
	}
}
