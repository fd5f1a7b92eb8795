package selfguard_test

import (
	"bufio"
	"os"
	"path"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/classify/shell"
	"mcpproxy/internal/selfguard"
	"mcpproxy/internal/text"
)

// guarding returns the Protected for the tables in testdata.
func guarding() selfguard.Protected {
	own := selfguard.Protected{
		Home:    "/home/me",
		Listen:  "127.0.0.1:8080",
		Process: 4242,
		Settings: []string{
			"/home/me/.claude/settings.json",
			".claude/settings.json",
			".claude/settings.local.json",
			"/home/me/.codex/config.toml",
			".codex/config.toml",
			".gemini/settings.json",
			".github/hooks/*",
			".cursor/hooks.json",
			"/home/me/.config/opencode/plugins/*",
		},
	}
	for _, file := range []string{"/home/me/.claude/settings.json", "/w/app/.claude/settings.json", "/usr/local/bin/mcpproxy",
		"/usr/local/bin/mcpproxy-hook"} {
		own.Files = append(own.Files, selfguard.File{Path: file})
	}
	for _, name := range []string{"", "KILL", "FAIL_CLOSED", "trust.json", "hooks.unseen", "mcpproxy.sock", "mcpproxy.sock.pid",
		"activity.db", "heads.json", "hook-backups"} {
		own.Files = append(own.Files, selfguard.File{Path: path.Join("/home/me/.mcpproxy", name)})
	}
	for _, file := range []string{
		"/home/me/.config/systemd/user/mcpproxy.service",
		"/home/me/.config/systemd/user/default.target.wants/mcpproxy.service",
		"/etc/systemd/system/mcpproxy.service",
		"/home/me/Library/LaunchAgents/mcpproxy.plist",
		"/Library/LaunchDaemons/mcpproxy.plist",
		"/home/me/.mcpproxy/AUTOSTART",
		"/home/me/.mcpproxy/STOPPED",
	} {
		own.Files = append(own.Files, selfguard.File{Path: file})
	}
	own.Files = append(own.Files, selfguard.File{
		Path:   "/home/me/.config/systemd/user/mcpproxy.service.d",
		Within: true,
	})
	for _, name := range []string{"mcp_config.json", "tokens.json", "ledger.key", "flow.state"} {
		own.Files = append(own.Files, selfguard.File{Path: path.Join("/home/me/.mcpproxy", name), Secret: true})
	}
	return own
}

// rows returns the lines of a table in testdata, without its comments.
func rows(t testing.TB, name string) []string {
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []string
	for s := bufio.NewScanner(f); s.Scan(); {
		if l := s.Text(); l != "" && !strings.HasPrefix(l, "#") {
			out = append(out, l)
		}
	}
	return out
}

// reason returns why the call in a row is denied. A row is a command line, or a tool with its arguments.
func reason(t *testing.T, g *selfguard.Guard, row string) string {
	tool, args, ok := strings.Cut(row, " {")
	if !ok || strings.ContainsAny(tool, " $/'\"") {
		call := &mcpproxy.Call{Kind: mcpproxy.KindTool, Tool: "Bash", Dir: "/w/app"}
		commands := []shell.Command{shell.Parse(row)}
		return g.Check(call, mcpproxy.UnknownOperation, []string{"bash"}, commands, nil).Reason()
	}
	call := &mcpproxy.Call{Kind: mcpproxy.KindTool, Tool: tool, Dir: "/w/app"}
	doc, err := text.Parse([]byte("{"+args), "arguments")
	if err != nil {
		t.Fatal(err)
	}
	var commands []shell.Command
	if tool == "PowerShell" {
		for _, part := range doc.Parts {
			if part.Kind == text.Value {
				commands = append(commands, shell.ParsePowerShell(part.Text))
			}
		}
	}
	op := new(classify.Classifier).AgentOperation(tool)
	return g.Check(call, op, classify.Tokens(tool), commands, doc).Reason()
}

func TestEveryRowOfTheTables(t *testing.T) {
	g := selfguard.New(guarding())
	for table, denied := range map[string]bool{"denied.txt": true, "honest.txt": false} {
		for _, row := range rows(t, table) {
			if why := reason(t, g, row); (why != "") != denied {
				t.Errorf("%s: %s: %q", table, row, why)
			}
		}
	}
}

// A name only refers to a path that ends with the name, whatever characters it contains.
func FuzzAPathOfItsOwn(f *testing.F) {
	for _, s := range []string{"~/.mcpproxy/KILL", "$HOME/.mcpproxy", `C:\Users\me\.mcpproxy\KILL`, "../../.mcpproxy/trust.json", "/home/me/.mcpproxy/[a", "a/../.mcpproxy/KILL", "//", "\xff"} {
		f.Add(s)
	}
	own := guarding()
	f.Fuzz(func(t *testing.T, name string) {
		got := selfguard.PathOf(own, name)
		again := selfguard.PathOf(own, "./"+name)
		if got != "" && !strings.HasPrefix(name, "file://") && !path.IsAbs(name) && again == "" && name[0] != '~' &&
			name[0] != '$' &&
			name[0] != '\\' {
			t.Errorf("%q is %q, and ./ before it nothing", name, got)
		}
		if got == "" || strings.ContainsAny(name, "*?[") {
			return
		}
		base := path.Base(strings.ReplaceAll(name, `\`, "/"))
		if !strings.EqualFold(base, path.Base(got)) && base != "." && base != ".." {
			t.Errorf("%q is taken for %q", name, got)
		}
	})
}
