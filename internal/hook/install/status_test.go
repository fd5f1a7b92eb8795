package install_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/hook/install"
)

var update = flag.Bool("update", false, "write what is got into testdata")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		put(t, path, got)
	}
	if d := cmp.Diff(content(t, path), got); d != "" {
		t.Error(d)
	}
}

func script(t *testing.T, dir, name, body string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	put(t, path, "#!/bin/sh\n"+body+"\n")
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// Shows: FR-048.
func TestStatus(t *testing.T) {
	env := world(t, t.TempDir())
	p := at(t, env, "codex", install.User)
	if s := p.Status(); s.Installed != "no" || s.Problem != "" || s.Reachable {
		t.Errorf("before: %+v", s)
	}
	hook := script(t, env.Home, "mcpproxy-hook", "exit 0")
	plan, err := p.Install(install.Command{Path: hook})
	apply(t, plan, err)
	if plan.Hint == "" {
		t.Error("nothing is said about trust")
	}
	if s := p.Status(); s.Installed != "yes" || !s.Reachable || s.Trusted != "no" ||
		!strings.Contains(s.Problem, "/hooks") {
		t.Errorf("installed: %+v", s)
	}
	trust := noted(p.Path)
	config := filepath.Join(filepath.Dir(p.Path), "config.toml")
	put(t, config, "model = \"x\"\n\n"+trust)
	if s := p.Status(); s.Trusted != "yes" || s.Problem != "" {
		t.Errorf("trusted: %+v", s)
	}
	put(t, config, strings.Replace(trust, "\"sha256:00\"", "\"sha256:00\"\nenabled = false", 1))
	if s := p.Status(); s.Trusted != "no" {
		t.Errorf("switched off: %+v", s)
	}
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}
	if s := p.Status(); s.Reachable ||
		!strings.Contains(s.Problem, "cannot be run; run `mcpproxy hook install --agent codex --scope user` again") {
		t.Errorf("the program is gone: %+v", s)
	}
	put(t, p.Path, strings.Replace(content(t, p.Path), "SessionStart", "Stop", 1))
	if s := p.Status(); s.Installed != "incomplete" {
		t.Errorf("an event is missing: %+v", s)
	}
}

func TestPresent(t *testing.T) {
	env := world(t, t.TempDir())
	t.Setenv("PATH", filepath.Join(env.Home, "bin"))
	for _, agent := range install.Agents() {
		if install.Present(env, agent) {
			t.Errorf("%s is on an empty machine", agent)
		}
	}
	put(t, filepath.Join(env.Home, ".gemini", "settings.json"), "{}")
	put(t, filepath.Join(env.Home, ".agents", "plugins", "x", "plugin.json"), "{}")
	script(t, filepath.Join(env.Home, "bin"), "claude", "")
	for agent, want := range map[string]bool{
		"gemini-cli":  true,
		"claude-code": true,
		"codex":       false,
		"goose":       false,
		"nobody":      false,
	} {
		if install.Present(env, agent) != want {
			t.Errorf("%s is present: %t", agent, !want)
		}
	}
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ body, want string }{
		"silence":                           {"cat >/dev/null", ""},
		"it is called as an agent calls it": {`test "$*" = "--agent claude-code --event SessionStart" && test ! -e "$MCPPROXY_SOCKET"`, ""},
		"a failure":                         {"exit 3", "cannot be run"},
		"something else":                    {"echo hello", "is not the hook"},
	} {
		t.Run(name, func(t *testing.T) {
			err := install.Command{Path: script(t, dir, "hook", c.body)}.Check(context.Background())
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("the error is %v", err)
			}
		})
	}
	if err := (install.Command{Path: filepath.Join(dir, "nothing")}).Check(context.Background()); err == nil {
		t.Error("a program that is not there can be run")
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	self := script(t, dir, "mcpproxy", "")
	c, err := install.Find(self)
	if err != nil || c.Path != self || cmp.Diff(c.Args, []string{"hook", "evaluate"}) != "" {
		t.Errorf("alone: %+v, %v", c, err)
	}
	beside := script(t, dir, "mcpproxy-hook", "")
	if c, err = install.Find(self); err != nil || c.Path != beside || c.Args != nil {
		t.Errorf("with its hook beside it: %+v, %v", c, err)
	}
	t.Setenv("PATH", dir)
	if c, err = install.Find("mcpproxy"); err != nil || c.Path != beside {
		t.Errorf("from the PATH: %+v, %v", c, err)
	}
}

func TestDiff(t *testing.T) {
	env := world(t, t.TempDir())
	p := at(t, env, "gemini-cli", install.Project)
	put(t, p.Path, "{\n  \"one\": 1,\n  \"two\": 2,\n  \"three\": 3,\n  \"four\": 4,\n  \"five\": 5\n}")
	plan, err := p.Install(install.Command{Path: "/bin/mcpproxy-hook"})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "diff", strings.ReplaceAll(plan.Diff(), env.Project, ""))
	if content(t, p.Path) != "{\n  \"one\": 1,\n  \"two\": 2,\n  \"three\": 3,\n  \"four\": 4,\n  \"five\": 5\n}" {
		t.Error("planning has written")
	}
}
