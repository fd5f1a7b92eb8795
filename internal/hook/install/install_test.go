package install_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/hook/install"
	"mcpproxy/internal/settings"
)

var program = install.Command{Path: "/opt/my tools/mcpproxy-hook"}

// world returns a home folder and a project for one test.
func world(t interface {
	Helper()
	Fatal(...any)
}, dir string) install.Env {
	t.Helper()
	env := install.Env{
		Home:    filepath.Join(dir, "home"),
		Project: filepath.Join(dir, "project"),
		Backups: filepath.Join(dir, "state", "hook-backups"),
		Getenv:  func(string) string { return "" },
	}
	for _, d := range []string{env.Home, env.Project} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return env
}

func at(t *testing.T, env install.Env, agent string, scope install.Scope) install.Place {
	t.Helper()
	p, err := install.At(env, agent, scope)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func apply(t *testing.T, plan install.Plan, err error) install.Action {
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

func content(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// tree returns the files and folders below a folder.
func tree(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		names = append(names, strings.TrimPrefix(path, dir))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// eachPlace calls f with every place of every agent.
func eachPlace(t *testing.T, f func(t *testing.T, env install.Env, p install.Place)) {
	for _, agent := range install.Agents() {
		for _, scope := range install.Scopes {
			env := world(t, t.TempDir())
			p, err := install.At(env, agent, scope)
			if err != nil {
				continue
			}
			t.Run(agent+"/"+string(scope), func(t *testing.T) { f(t, env, p) })
		}
	}
}

func TestInstallingIntoNothingAndUninstallingLeavesNothing(t *testing.T) {
	eachPlace(t, func(t *testing.T, env install.Env, p install.Place) {
		before := tree(t, filepath.Dir(env.Home))
		plan, err := p.Install(program)
		if got := apply(t, plan, err); got != install.Installed {
			t.Errorf("it is %s", got)
		}
		if s := p.Status(); s.Installed != "yes" || s.Program != program.Path {
			t.Errorf("afterwards: %+v", s)
		}
		written := content(t, p.Path)
		if !strings.HasSuffix(written, "\n") || strings.Contains(written, "api_key") ||
			strings.Contains(written, "8080") {
			t.Errorf("it wrote\n%s", written)
		}
		plan, err = p.Install(program)
		if got := apply(t, plan, err); got != install.Unchanged || plan.Diff() != "" || content(t, p.Path) != written {
			t.Errorf("a second time it is %s\n%s", got, plan.Diff())
		}
		plan, err = p.Uninstall()
		if got := apply(t, plan, err); got != install.Removed {
			t.Errorf("it is %s", got)
		}
		after := tree(t, filepath.Dir(env.Home))
		after = without(after, "/state") // mcpproxy's own folder
		if d := cmp.Diff(before, after); d != "" {
			t.Error(d)
		}
		plan, err = p.Uninstall()
		if got := apply(t, plan, err); got != install.NotInstalled {
			t.Errorf("a second time it is %s", got)
		}
	})
}

func without(names []string, name string) (out []string) {
	for _, n := range names {
		if n != name {
			out = append(out, n)
		}
	}
	return out
}

func TestAChangedFileKeepsItsFormatting(t *testing.T) {
	for name, mine := range map[string]string{
		"tabs and a trailing comma": "{\n\t// keep\n\t\"model\": \"opus\", // mine\n}\n",
		"other hooks":               "{\n    \"hooks\": {\n        \"PreToolUse\": [\n            { \"matcher\": \"Bash\", \"hooks\": [{ \"type\": \"command\", \"command\": \"lint\" }] }\n        ]\n    },\n    \"model\": \"opus\"\n}",
		"one line":                  `{"model":"opus","hooks":{"Stop":[]}}`,
		"empty":                     "",
	} {
		t.Run(name, func(t *testing.T) {
			env := world(t, t.TempDir())
			p := at(t, env, "gemini-cli", install.Project)
			put(t, p.Path, mine)
			plan, err := p.Install(install.Command{Path: "/bin/mcpproxy-hook"})
			apply(t, plan, err)
			golden(t, strings.ReplaceAll(name, " ", "_"), content(t, p.Path))
		})
	}
}

func TestAFileThatCannotBeReadIsLeftAlone(t *testing.T) {
	for name, c := range map[string]struct{ mine, want string }{
		"no JSON":             {"{\n  \"a\": tru\n}", ":2: "},
		"cut off":             {"{\n  \"a\": 1,\n", ":3: "},
		"a list":              {"[]", "must be a JSON object"},
		"hooks is a list":     {"{\n\n  \"hooks\": []\n}", `:3: "hooks" should be an object`},
		"an event is a text":  {"{\n  \"hooks\": {\n    \"PreToolUse\": \"x\"\n  }\n}", `:3: "PreToolUse" should be a list`},
		"hooks stands twice":  {"{\n  \"hooks\": {},\n  \"hooks\": {}\n}", `:3: "hooks" appears here twice`},
		"two values":          {"{} {}", "nothing was changed"},
		"a comment left open": {"{} /*", "nothing was changed"},
	} {
		t.Run(name, func(t *testing.T) {
			env := world(t, t.TempDir())
			p := at(t, env, "claude-code", install.Project)
			put(t, p.Path, c.mine)
			_, err := p.Install(program)
			if err == nil || !strings.Contains(err.Error(), c.want) ||
				!strings.Contains(err.Error(), "settings.json") ||
				!strings.Contains(err.Error(), "nothing was changed") {
				t.Errorf("the error is %v, want %q", err, c.want)
			}
			if _, err := os.Stat(env.Backups); err == nil || content(t, p.Path) != c.mine {
				t.Error("something was written")
			}
			s := p.Status()
			if s.Installed != "no" || s.Problem == "" && c.want[0] == ':' && strings.Contains(c.want, " should be an") {
				t.Errorf("the status is %+v", s)
			}
		})
	}
}

func TestTheModeAndTheLinkStay(t *testing.T) {
	env := world(t, t.TempDir())
	p := at(t, env, "claude-code", install.User)
	real := filepath.Join(env.Home, "dotfiles", "claude.json")
	put(t, real, "{}\n")
	if err := os.Chmod(real, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(p.Path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../dotfiles/claude.json", p.Path); err != nil {
		t.Fatal(err)
	}
	plan, err := p.Install(program)
	apply(t, plan, err)
	link, err := os.Lstat(p.Path)
	if err != nil || link.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", link, err)
	}
	info, err := os.Stat(real)
	if err != nil || info.Mode().Perm() != 0o640 || !strings.Contains(content(t, real), "mcpproxy-hook") {
		t.Errorf("the file behind it: %v, %v", info, err)
	}
	for path, mode := range map[string]os.FileMode{p.Backup(): 0o700, filepath.Join(p.Backup(), "before"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	plan, err = p.Uninstall()
	apply(t, plan, err)
	if content(t, real) != "{}\n" {
		t.Error(content(t, real))
	}
	if err := os.Remove(real); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Install(
		program,
	); err == nil ||
		!strings.Contains(err.Error(), "is a link to a missing file") {
		t.Errorf("a link to nothing: %v", err)
	}
}

func TestANewProgramReplacesTheOldOne(t *testing.T) {
	eachPlace(t, func(t *testing.T, _ install.Env, p install.Place) {
		plan, err := p.Install(install.Command{Path: "/old/mcpproxy", Args: []string{"hook", "evaluate"}})
		apply(t, plan, err)
		plan, err = p.Install(program)
		if got := apply(t, plan, err); got != install.Updated {
			t.Errorf("it is %s", got)
		}
		if written := content(t, p.Path); strings.Contains(written, "/old/") {
			t.Errorf("the old one is still there:\n%s", written)
		}
		plan, err = p.Uninstall()
		apply(t, plan, err)
		if _, err := os.Stat(p.Path); err == nil {
			t.Errorf("left:\n%s", content(t, p.Path))
		}
	})
}

// A program whose name contains its version is recognised as ours.
func TestAProgramOfAnotherNameIsUninstalledToo(t *testing.T) {
	eachPlace(t, func(t *testing.T, _ install.Env, p install.Place) {
		plan, err := p.Install(install.Command{Path: "/opt/mcpproxy-1.2", Args: []string{"hook", "evaluate"}})
		apply(t, plan, err)
		if p.Status().Installed == "no" {
			t.Error("it is not seen")
		}
		plan, err = p.Uninstall()
		apply(t, plan, err)
		if _, err := os.Stat(p.Path); err == nil {
			t.Errorf("left:\n%s", content(t, p.Path))
		}
	})
}

// If the user has edited the file after the installation, uninstalling keeps the edit and does not restore the file
// from before.
func TestLaterChangesOfAFileStay(t *testing.T) {
	env := world(t, t.TempDir())
	p := at(t, env, "claude-code", install.Local)
	put(t, p.Path, "{\n  \"model\": \"opus\"\n}\n")
	plan, err := p.Install(program)
	apply(t, plan, err)
	put(t, p.Path, strings.Replace(content(t, p.Path), "opus", "sonnet", 1))
	plan, err = p.Install(install.Command{Path: "/new/mcpproxy-hook"})
	apply(t, plan, err)
	plan, err = p.Uninstall()
	apply(t, plan, err)
	if got := content(t, p.Path); got != "{\n  \"model\": \"sonnet\"\n}\n" {
		t.Error(got)
	}
}

func TestCopilotAndVSCodeShareAFile(t *testing.T) {
	env := world(t, t.TempDir())
	one, two := at(t, env, "copilot", install.Project), at(t, env, "vscode", install.Project)
	if one.Path != two.Path {
		t.Fatalf("%s and %s", one.Path, two.Path)
	}
	plan, err := one.Install(program)
	apply(t, plan, err)
	plan, err = two.Install(program)
	if got := apply(t, plan, err); got != install.Unchanged {
		t.Errorf("for the second it is %s:\n%s", got, plan.Diff())
	}
}

func TestAPluginOfAnotherAuthorIsNotChanged(t *testing.T) {
	env := world(t, t.TempDir())
	p := at(t, env, "opencode", install.Project)
	put(t, p.Path, "export const Mine = 1;\n")
	if _, err := p.Install(program); err == nil || !strings.Contains(err.Error(), "was not written by mcpproxy") {
		t.Errorf("the error is %v", err)
	}
	plan, err := p.Uninstall()
	if got := apply(t, plan, err); got != install.NotInstalled {
		t.Errorf("it is %s", got)
	}
}

func TestAt(t *testing.T) {
	env := world(t, t.TempDir())
	for _, c := range []struct{ name, agent, scope, want string }{
		{"an unknown agent", "clod", "user", "claude-code, codex"},
		{"a scope that the agent has not", "codex", "local", "it has user, project"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := install.At(env, c.agent, install.Scope(c.scope))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v", err)
			}
		})
	}
	if p := at(t, env, "claude-agent-sdk", install.User); p.Agent != "claude-code" {
		t.Errorf("the Agent SDK's settings are %s's", p.Agent)
	}
	env.Getenv = func(name string) string { return map[string]string{"CODEX_HOME": "/elsewhere"}[name] }
	if p := at(t, env, "codex", install.User); p.Path != "/elsewhere/hooks.json" {
		t.Errorf("a moved folder is not followed: %s", p.Path)
	}
}

func TestFilesAreThoseThatHaveHooksNow(t *testing.T) {
	env := world(t, t.TempDir())
	if got := settings.Files(env.Backups); got != nil {
		t.Errorf("before the first: %q", got)
	}
	user, project := at(t, env, "claude-code", install.User), at(t, env, "codex", install.Project)
	for _, p := range []install.Place{user, project} {
		plan, err := p.Install(program)
		apply(t, plan, err)
	}
	if diff := cmp.Diff([]string{user.Path, project.Path}, settings.Files(env.Backups)); diff != "" {
		t.Error(diff)
	}
	plan, err := user.Uninstall()
	apply(t, plan, err)
	if diff := cmp.Diff([]string{project.Path}, settings.Files(env.Backups)); diff != "" {
		t.Error(diff)
	}
}
