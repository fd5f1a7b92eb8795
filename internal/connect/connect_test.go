package connect_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/connect"
	"mcpproxy/internal/settings"
)

const listen = "127.0.0.1:8080"

var bridge = connect.Way{Command: []string{"/opt/my tools/mcpproxy", "stdio"}}

// world returns a home folder and a project for one test.
func world(t interface {
	Helper()
	Fatal(...any)
}, dir string) settings.Env {
	t.Helper()
	env := settings.Env{
		Home:    filepath.Join(dir, "home"),
		Project: filepath.Join(dir, "project"),
		Backups: filepath.Join(dir, "state", "connect-backups"),
		Getenv:  func(string) string { return "" },
	}
	for _, d := range []string{env.Home, env.Project} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return env
}

func at(t *testing.T, env settings.Env, agent string, scope settings.Scope) connect.Place {
	t.Helper()
	p, err := connect.At(env, agent, scope)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func apply(t *testing.T, plan connect.Plan, err error) connect.Action {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Apply(); err != nil {
		t.Fatal(err)
	}
	return plan.Action
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestEachAgentGetsTheEntryThatItReads(t *testing.T) {
	for _, c := range []struct {
		agent string
		scope settings.Scope
		file  string // path below dir, in which HOME and PROJECT stand for the folders
		want  string
		http  string // what the file contains if the agent connects to an address; "" if it cannot
	}{
		{"claude-code", settings.User, "home/.claude.json",
			"{\n  \"mcpServers\": {\n    \"mcpproxy\": {\n      \"type\": \"stdio\",\n      \"command\": \"/opt/my tools/mcpproxy\",\n      \"args\": [\n        \"stdio\"\n      ]\n    }\n  }\n}\n", `"type": "http",`},
		{"claude-code", settings.Project, "project/.mcp.json", "\"mcpServers\": {\n    \"mcpproxy\": {\n      \"type\": \"stdio\"", `"url": "http://127.0.0.1:8080/mcp"`},
		{"claude-code", settings.Local, "home/.claude.json", "\"projects\": {\n    \"PROJECT\": {\n      \"mcpServers\": {\n        \"mcpproxy\": {", `"type": "http"`},
		{"codex", settings.User, "home/.codex/config.toml", "[mcp_servers.mcpproxy]\ncommand = \"/opt/my tools/mcpproxy\"\nargs = [\"stdio\"]\n", `url = "http://127.0.0.1:8080/mcp"`},
		{"codex", settings.Project, "project/.codex/config.toml", "[mcp_servers.mcpproxy]", "url = "},
		{"gemini-cli", settings.User, "home/.gemini/settings.json", "\"mcpproxy\": {\n      \"command\": \"/opt", `"httpUrl": "http`},
		{"gemini-cli", settings.Project, "project/.gemini/settings.json", `"command"`, `"httpUrl"`},
		{"copilot", settings.User, "home/.copilot/mcp-config.json", "\"type\": \"local\",\n      \"command\": \"/opt/my tools/mcpproxy\",\n      \"args\": [\n        \"stdio\"\n      ],\n      \"tools\": [\n        \"*\"", `"type": "http"`},
		{"copilot", settings.Project, "project/.github/mcp.json", `"type": "local"`, `"tools"`},
		{"cursor", settings.User, "home/.cursor/mcp.json", "\"mcpproxy\": {\n      \"command\"", "\"mcpproxy\": {\n      \"url\""},
		{"cursor", settings.Project, "project/.cursor/mcp.json", `"command"`, `"url"`},
		{"vscode", settings.Project, "project/.vscode/mcp.json", "\"servers\": {\n    \"mcpproxy\": {\n      \"type\": \"stdio\"", `"type": "http"`},
		{"windsurf", settings.User, "home/.codeium/windsurf/mcp_config.json", `"command"`, `"serverUrl": "http`},
		{"opencode", settings.User, "home/.config/opencode/opencode.json", "\"mcp\": {\n    \"mcpproxy\": {\n      \"type\": \"local\",\n      \"command\": [\n        \"/opt/my tools/mcpproxy\",\n        \"stdio\"\n      ],\n      \"enabled\": true", `"type": "remote"`},
		{"opencode", settings.Project, "project/opencode.json", `"type": "local"`, `"url"`},
	} {
		t.Run(c.agent+" "+string(c.scope), func(t *testing.T) {
			dir := t.TempDir()
			env := world(t, dir)
			p := at(t, env, c.agent, c.scope)
			path := filepath.Join(dir, filepath.FromSlash(c.file))
			if p.Path != path {
				t.Fatalf("the file is %s, want %s", p.Path, path)
			}
			want := strings.ReplaceAll(c.want, "PROJECT", env.Project)
			for _, step := range []struct {
				way    connect.Way
				want   string
				action connect.Action
			}{{bridge, want, connect.Connected}, {bridge, want, connect.Unchanged}, {connect.Way{URL: "http://127.0.0.1:8080/mcp"}, c.http, connect.Updated}, {bridge, want, connect.Updated}} {
				plan, err := p.Connect(step.way)
				if got := apply(t, plan, err); got != step.action {
					t.Fatalf("it was %s, want %s", got, step.action)
				}
				if got := get(t, path); !strings.Contains(got, step.want) {
					t.Fatalf("the file is\n%s\nwant in it\n%s", got, step.want)
				}
			}
			if diff := cmp.Diff([]string{path}, settings.Files(env.Backups)); diff != "" {
				t.Error(diff)
			}
			all, err := p.Servers()
			if err != nil || len(all) != 1 || !all[0].Leads(listen) || all[0].Command != bridge.Command[0] {
				t.Errorf("the servers are %+v, %v", all, err)
			}
			plan, err := p.Disconnect()
			if got := apply(t, plan, err); got != connect.Disconnected {
				t.Errorf("it was %s", got)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "*", "*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			plan, err = p.Disconnect()
			if got := apply(t, plan, err); got != connect.NotConnected {
				t.Errorf("it was %s", got)
			}
		})
	}
}

// crowded are configuration files with comments, other servers and unusual formatting.
var crowded = map[string]string{
	"claude-code": "{\n\t// mine\n\t\"numStartups\": 12,\n\t\"mcpServers\": {\n\t\t\"files\": {\"command\": \"npx\", \"args\": [\"-y\", \"files\"]}, // keep\n\t},\n}",
	"codex":       "# mine\nmodel = \"gpt-5\"\n\n[mcp_servers.files]\ncommand = \"npx\" # keep\nargs = [\n  \"-y\",\n  \"files\",\n]\n\n[profiles.fast]\nmodel = \"x\"\n",
	"opencode":    "{\r\n  \"mcp\": {\r\n    \"servers\": {\r\n      \"files\": {\"type\": \"local\", \"command\": [\"npx\", \"files\"]}\r\n    }\r\n  }\r\n}\r\n",
	"cursor":      `{"mcpServers":{"files":{"command":"npx"}}}`,
	"vscode":      "{\n    \"inputs\": [],\n    \"servers\": {}\n}\n",
	"gemini-cli":  "",
}

func TestOtherContentOfAFileStays(t *testing.T) {
	for agent, before := range crowded {
		t.Run(agent, func(t *testing.T) {
			env := world(t, t.TempDir())
			p := at(t, env, agent, settings.User)
			put(t, p.Path, before)
			if err := os.Chmod(p.Path, 0o600); err != nil {
				t.Fatal(err)
			}
			plan, err := p.Connect(bridge)
			apply(t, plan, err)
			after := get(t, p.Path)
			if kept := lines(before); !subsequence(kept, lines(after)) {
				t.Errorf("lines are lost:\n%s", after)
			}
			if info, err := os.Stat(p.Path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("its mode is %v, %v", info.Mode(), err)
			}
			if strings.Contains(before, "\r\n") && strings.Count(after, "\n") != strings.Count(after, "\r\n") {
				t.Errorf("the ends of lines are mixed: %q", after)
			}
			plan, err = p.Disconnect()
			apply(t, plan, err)
			if got := get(t, p.Path); got != before {
				t.Errorf("it was %q, and is %q", before, got)
			}
		})
	}
}

// lines returns the lines that contain more than brackets, without spaces and without the commas that JSON requires
// before a further member.
func lines(s string) (out []string) {
	for l := range strings.Lines(s) {
		if l = strings.Trim(strings.ReplaceAll(l, " ", ""), " \t\r\n,{}"); l != "" {
			out = append(out, l)
		}
	}
	return out
}

func subsequence(some, all []string) bool {
	for _, l := range all {
		if len(some) > 0 && strings.Contains(l, some[0]) {
			some = some[1:]
		}
	}
	return len(some) == 0
}

func TestOnlyOurEntryIsRemovedFromAChangedFile(t *testing.T) {
	for agent, before := range crowded {
		if before == "" {
			continue
		}
		t.Run(agent, func(t *testing.T) {
			env := world(t, t.TempDir())
			p := at(t, env, agent, settings.User)
			put(t, p.Path, before)
			plan, err := p.Connect(bridge)
			apply(t, plan, err)
			edited := get(t, p.Path) + "\n"
			put(t, p.Path, edited)
			plan, err = p.Disconnect()
			apply(t, plan, err)
			got := get(t, p.Path)
			if strings.Contains(got, "mcpproxy") ||
				!subsequence(lines(strings.Replace(before, `"servers": {}`, "", 1)), lines(got)) {
				t.Errorf("it was\n%s\nand is\n%s", before, got)
			}
			if settings.Files(env.Backups) != nil {
				t.Error("a copy is left")
			}
		})
	}
}

func TestTwoListsInOneFileAreChangedIndependently(t *testing.T) {
	env := world(t, t.TempDir())
	user, local := at(t, env, "claude-code", settings.User), at(t, env, "claude-code", settings.Local)
	put(t, user.Path, "{\"mcpServers\": {}}\n")
	for _, p := range []connect.Place{user, local} {
		plan, err := p.Connect(bridge)
		apply(t, plan, err)
	}
	plan, err := user.Disconnect()
	apply(t, plan, err)
	if all, err := local.Servers(); err != nil || len(all) != 1 {
		t.Errorf("the local servers are %v, %v", all, err)
	}
	if all, err := user.Servers(); err != nil || len(all) != 0 {
		t.Errorf("the user's servers are %v, %v", all, err)
	}
	if got := settings.Files(env.Backups); len(got) != 1 {
		t.Errorf("the files are %v", got)
	}
	plan, err = local.Disconnect()
	if apply(t, plan, err); strings.Contains(get(t, user.Path), "mcpproxy") {
		t.Error(get(t, user.Path))
	}
}

func TestAFileThatCannotBeChangedSafelyStaysUnchanged(t *testing.T) {
	for _, c := range []struct{ name, agent, file, want string }{
		{"a file that cannot be read", "cursor", "{\n  \"mcpServers\": {\n", "mcp.json:"},
		{"a list that is not an object", "cursor", "{\"mcpServers\": []}", `"mcpServers" should be an object`},
		{"a list that stands there twice", "cursor", "{\"mcpServers\": {}, \"mcpServers\": {}}", "appears here twice"},
		{"another server of our name", "cursor", "{\"mcpServers\": {\"mcpproxy\": {\"command\": \"other\"}}}", "a different program from this one; rename it"},
		{"another address under our name", "cursor", "{\"mcpServers\": {\"mcpproxy\": {\"url\": \"https://proxy.example/mcp\"}}}", "rename it"},
		{"our name, and no server", "cursor", "{\"mcpServers\": {\"mcpproxy\": 7}}", "rename it"},
		{"TOML that cannot be read", "codex", "a = 1\nb = [\n", "config.toml:"},
		{"dotted keys", "codex", "mcp_servers.mcpproxy.command = \"mcpproxy\"\nmcp_servers.mcpproxy.args = [\"stdio\", \"--all\"]\n", "by hand"},
		{"an inline table", "codex", "mcp_servers = {files = {command = \"npx\"}}\n", "by hand"},
		{"YAML", "goose", "extensions: {}\n", "goose configure"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := at(t, world(t, t.TempDir()), c.agent, settings.User)
			put(t, p.Path, c.file)
			if _, err := p.Connect(bridge); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want %q", err, c.want)
			}
			if got := get(t, p.Path); got != c.file {
				t.Errorf("the file is %q", got)
			}
		})
	}
}

func TestAnEntryThatCannotBeRemovedCleanlyStaysUnchanged(t *testing.T) {
	for _, file := range []string{
		"mcp_servers.mcpproxy.command = \"mcpproxy\"\nmcp_servers.mcpproxy.args = [\"stdio\"]\n",
		"[mcp_servers]\nmcpproxy = {command = \"mcpproxy\", args = [\"stdio\"]}\n",
	} {
		p := at(t, world(t, t.TempDir()), "codex", settings.User)
		put(t, p.Path, file)
		_, err := p.Disconnect()
		if err == nil || !strings.Contains(err.Error(), "edit mcp_servers.mcpproxy by hand") || get(t, p.Path) != file {
			t.Errorf("%v\n%s", err, get(t, p.Path))
		}
	}
}

func TestAnEntryMadeByHandIsNotRestored(t *testing.T) {
	p := at(t, world(t, t.TempDir()), "cursor", settings.User)
	put(t, p.Path, `{"mcpServers": {"mcpproxy": {"url": "http://127.0.0.1:9999/mcp"}, "files": {"command": "npx"}}}`)
	plan, err := p.Connect(bridge)
	apply(t, plan, err)
	plan, err = p.Disconnect()
	apply(t, plan, err)
	if all, err := p.Servers(); err != nil || len(all) != 1 || all[0].Name != "files" {
		t.Errorf("the servers are %+v, %v", all, err)
	}
}

func TestAdditionsOfTheUserToOurEntryStay(t *testing.T) {
	for agent, file := range map[string]string{
		"cursor":   `{"mcpServers": {"mcpproxy": {"command": "/opt/my tools/mcpproxy", "args": ["stdio"], "env": {"MCPPROXY_TOKEN": "${env:T}"}}}}`,
		"codex":    "[mcp_servers.mcpproxy]\ncommand = \"/opt/my tools/mcpproxy\"\nargs = [\"stdio\"]\n\n[mcp_servers.mcpproxy.env]\nMCPPROXY_TOKEN = \"x\"\n",
		"opencode": `{"mcp": {"mcpproxy": {"type": "local", "command": ["/opt/my tools/mcpproxy", "stdio"], "enabled": true, "timeout": 60000}}}`,
	} {
		p := at(t, world(t, t.TempDir()), agent, settings.User)
		put(t, p.Path, file)
		plan, err := p.Connect(bridge)
		if got := apply(t, plan, err); got != connect.Unchanged || get(t, p.Path) != file {
			t.Errorf("%s: it was %s:\n%s", agent, got, get(t, p.Path))
		}
	}
}

func TestACreatedFileHasTheModeThatItsAgentUses(t *testing.T) {
	env := world(t, t.TempDir())
	for scope, want := range map[settings.Scope]os.FileMode{settings.User: 0o600, settings.Project: 0o644} {
		p := at(t, env, "claude-code", scope)
		plan, err := p.Connect(bridge)
		apply(t, plan, err)
		if info, err := os.Stat(p.Path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", scope, info.Mode(), err)
		}
	}
}

func TestALinkStaysALink(t *testing.T) {
	dir := t.TempDir()
	env := world(t, dir)
	p := at(t, env, "cursor", settings.User)
	put(t, filepath.Join(dir, "dotfiles", "mcp.json"), "{}\n")
	if err := os.MkdirAll(filepath.Dir(p.Path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "dotfiles", "mcp.json"), p.Path); err != nil {
		t.Fatal(err)
	}
	plan, err := p.Connect(bridge)
	apply(t, plan, err)
	if info, err := os.Lstat(p.Path); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v, %v", info, err)
	}
	plan, err = p.Disconnect()
	apply(t, plan, err)
	if got := get(t, p.Path); got != "{}\n" {
		t.Errorf("it is %q", got)
	}
}

func TestAMisspeltAgentNameGetsASuggestion(t *testing.T) {
	env := world(t, t.TempDir())
	if _, err := connect.At(
		env,
		"claude-cod",
		settings.User,
	); err == nil ||
		!strings.Contains(err.Error(), `did you mean "claude-code"? there are claude-code, claude-desktop`) {
		t.Error(err)
	}
	if _, err := connect.At(
		env,
		"codex",
		settings.Local,
	); err == nil ||
		!strings.Contains(err.Error(), "it has user, project") {
		t.Error(err)
	}
	if all, err := connect.Places(env, ""); err != nil || len(all) < 15 {
		t.Errorf("%d places, %v", len(all), err)
	}
}
