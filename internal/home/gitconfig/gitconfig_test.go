package gitconfig_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/home/gitconfig"
)

// tree makes files, by their path in a new folder, and returns the folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		content = strings.ReplaceAll(content, "DIR", dir)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const origin = "[remote \"origin\"]\n\turl = https://github.com/acme/app.git\n"

func TestFolderReadsTheRepositoryAroundIt(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		dir   string
		want  gitconfig.Settings
	}{
		"a folder below the top": {
			map[string]string{
				"app/.git/HEAD":   "ref: refs/heads/main\n",
				"app/.git/config": origin + "\tpushurl = git@github.com:acme/app.git\n[user]\n\temail = ana@acme.example\n",
				"app/a/b/x":       "",
			},
			"app/a/b",
			gitconfig.Settings{
				Folder:  "DIR/app",
				File:    "DIR/app/.git/config",
				Remotes: []string{"https://github.com/acme/app.git", "git@github.com:acme/app.git"},
				Emails:  []string{"ana@acme.example"},
			},
		},
		"a worktree, whose settings are those of the repository": {
			map[string]string{
				"app/.git/HEAD":                   "ref: refs/heads/main\n",
				"app/.git/config":                 origin,
				"app/.git/worktrees/wt/commondir": "../..\n",
				"wt/.git":                         "gitdir: DIR/app/.git/worktrees/wt\n",
			},
			"wt",
			gitconfig.Settings{
				Folder:  "DIR/wt",
				File:    "DIR/app/.git/config",
				Remotes: []string{"https://github.com/acme/app.git"},
			},
		},
		"a submodule, which has settings of its own": {
			map[string]string{
				"app/.git/HEAD":               "ref: refs/heads/main\n",
				"app/.git/config":             "[remote \"origin\"]\nurl=https://github.com/acme/other.git\n",
				"app/.git/modules/lib/config": origin,
				"app/lib/.git":                "gitdir: ../.git/modules/lib\n",
			},
			"app/lib",
			gitconfig.Settings{
				Folder:  "DIR/app/lib",
				File:    "DIR/app/.git/modules/lib/config",
				Remotes: []string{"https://github.com/acme/app.git"},
			},
		},
		"a folder without a repository": {
			map[string]string{"x/y": ""},
			"x",
			gitconfig.Settings{Folder: "DIR/x"},
		},
		"a folder .git that is no repository": {
			map[string]string{"x/.git/config": origin, "x/y": ""},
			"x",
			gitconfig.Settings{Folder: "DIR/x"},
		},
		"no file of the content, and no include of the repository": {
			map[string]string{
				"app/.git/HEAD":   "ref: refs/heads/main\n",
				"app/.git/config": origin + "[include]\n\tpath = ../.gitconfig\n",
				"app/.gitconfig":  "[user]\n\temail = m@evil.example\n",
				"app/.gitmodules": "[submodule \"x\"]\n\turl = https://github.com/evil/x\n",
			},
			"app",
			gitconfig.Settings{
				Folder:  "DIR/app",
				File:    "DIR/app/.git/config",
				Remotes: []string{"https://github.com/acme/app.git"},
			},
		},
		"the user's abbreviations of URLs": {
			map[string]string{
				"app/.git/HEAD":   "ref: refs/heads/main\n",
				"app/.git/config": "[remote \"origin\"]\n\turl = gh:acme/app\n",
				"home/.gitconfig": "[url \"https://github.com/\"]\n\tinsteadOf = gh:\n[url \"https://evil.example/\"]\n\tinsteadOf = g\n",
			},
			"app",
			gitconfig.Settings{
				Folder:  "DIR/app",
				File:    "DIR/app/.git/config",
				Remotes: []string{"https://github.com/acme/app"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := tree(t, c.files)
			got, err := gitconfig.Folder(
				context.Background(),
				filepath.Join(dir, c.dir),
				gitconfig.Places{Home: filepath.Join(dir, "home")},
			)
			if err != nil {
				t.Fatal(err)
			}
			c.want.Folder = strings.ReplaceAll(c.want.Folder, "DIR", dir)
			c.want.File = strings.ReplaceAll(c.want.File, "DIR", dir)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAFolderWhoseSettingsOthersCanChangeSaysSo(t *testing.T) {
	dir := tree(t, map[string]string{"app/.git/HEAD": "", "app/.git/config": origin})
	if err := os.Chmod(filepath.Join(dir, "app/.git/config"), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := gitconfig.Folder(context.Background(), filepath.Join(dir, "app"), gitconfig.Places{})
	if err != nil || got.Writers == nil || len(got.Remotes) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestWhatCannotBeReadIsAnError(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"a .git that names nothing":      {"app/.git": "nonsense"},
		"a .git that leads nowhere":      {"app/.git": "gitdir: DIR/missing"},
		"settings that are too large":    {"app/.git/HEAD": "", "app/.git/config": strings.Repeat("#", 300<<10)},
		"a repository without settings":  {"app/.git/HEAD": ""},
		"a .git with more than one line": {"app/.git": "gitdir: a\nb"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := tree(t, files)
			if got, err := gitconfig.Folder(context.Background(), filepath.Join(dir, "app"), gitconfig.Places{}); err == nil {
				t.Errorf("%+v", got)
			}
		})
	}
	if _, err := gitconfig.Folder(context.Background(), "relative", gitconfig.Places{}); err == nil {
		t.Error("a relative folder is read")
	}
}

func TestUserReadsWhatTheUsersSettingsInclude(t *testing.T) {
	dir := tree(t, map[string]string{
		".config/git/config": "[user]\n\temail = first@acme.example\n",
		".gitconfig": "[user]\n\tname = Ana\n\temail = ana@gmail.com\n" +
			"[includeIf \"gitdir:~/work/\"]\n\tpath = ~/work.inc\n[include]\n\tpath = loop.inc\n",
		"work.inc": "[user]\n\temail = ana@acme.example\n\temail = ana@gmail.com\n",
		"loop.inc": "[include]\n\tpath = .gitconfig\n\tpath = DIR/missing\n",
	})
	got, err := gitconfig.User(context.Background(), gitconfig.Places{Home: dir})
	if err != nil {
		t.Fatal(err)
	}
	want := gitconfig.Settings{Emails: []string{"first@acme.example", "ana@gmail.com", "ana@acme.example"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// syntax holds configuration files. This package must find the same remotes in them as git itself.
var syntax = map[string]string{
	"white space":           "[remote \"o\"]  \n \t url\t=  https://h.example/a/b  \t\n",
	"a comment":             "# x\n[remote \"o\"] ; y\nurl = https://h.example/a/b # c\n",
	"a quoted comment":      "[remote \"o\"]\nurl = \"https://h.example/a#b\" ; c\n",
	"escapes":               "[remote \"o\"]\nurl = a\\\\b\\\"c\\td\n",
	"a line that goes on":   "[remote \"o\"]\nurl = https://h.example/\\\na/b\n",
	"capital letters":       "[REMOTE \"Origin\"]\nURL = https://h.example/A\n",
	"quotes in a heading":   "[remote \"a\\\"b]c\"]\nurl = x:y/z\n",
	"the old form":          "[remote.o]\nurl = https://h.example/a\n",
	"a variable in line":    "[remote \"o\"] url = https://h.example/a\n",
	"no value":              "[remote \"o\"]\nfetch\nurl = https://h.example/a\n",
	"white space in quotes": "[remote \"o\"]\nurl = \" a \" b\n",
	"carriage returns":      "[remote \"o\"]\r\nurl = https://h.example/a\r\n",
	"no end of line":        "[remote \"o\"]\nurl = https://h.example/a",
}

func TestTheSyntaxIsReadAsGitReadsIt(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git")
	}
	for name, file := range syntax {
		t.Run(name, func(t *testing.T) {
			dir := tree(t, map[string]string{".git/HEAD": "", ".git/config": file})
			cmd := exec.Command(git, "config", "-f", filepath.Join(dir, ".git/config"), "-z", "--get-regexp", `^remote\..*\.url$`)
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("git: %v", err)
			}
			_, want, _ := strings.Cut(strings.TrimSuffix(string(out), "\x00"), "\n")
			got, err := gitconfig.Folder(context.Background(), dir, gitconfig.Places{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{want}, got.Remotes); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzFolder(f *testing.F) {
	for _, file := range syntax {
		f.Add(file)
	}
	f.Add("[remote \"o\"]\nurl = \"unclosed\n[user]\nemail=x\n")
	f.Fuzz(func(t *testing.T, file string) {
		dir := tree(t, map[string]string{".git/HEAD": "", ".git/config": file, "home/.gitconfig": file})
		found, _ := gitconfig.Folder(context.Background(), dir, gitconfig.Places{Home: filepath.Join(dir, "home")})
		if len(found.Remotes) > 64 || len(found.Emails) > 64 {
			t.Errorf("%d remotes, %d addresses", len(found.Remotes), len(found.Emails))
		}
	})
}
