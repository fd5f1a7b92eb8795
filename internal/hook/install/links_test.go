package install_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mcpproxy/internal/hook/install"
)

func TestALinkOutOfTheProjectIsNotFollowed(t *testing.T) {
	for _, scope := range []install.Scope{install.Project, install.Local} {
		dir := t.TempDir()
		env := world(t, dir)
		outside := filepath.Join(dir, "outside")
		if err := os.Mkdir(outside, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(outside, filepath.Join(env.Project, ".claude")); err != nil {
			t.Fatal(err)
		}
		_, err := at(t, env, "claude-code", scope).Install(program)
		if err == nil || !strings.Contains(err.Error(), "outside the folder "+env.Project) {
			t.Errorf("%s: the error is %v", scope, err)
		}
		if made, err := os.ReadDir(outside); err != nil || len(made) > 0 {
			t.Errorf("%s: outside are %v, %v", scope, made, err)
		}
	}
}

// A link to the user's own file may lead anywhere, because many users keep their settings in a folder of dotfiles.
func TestAUsersLinkIsFollowed(t *testing.T) {
	dir := t.TempDir()
	env := world(t, dir)
	outside := filepath.Join(dir, "dotfiles")
	if err := os.Mkdir(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(env.Home, ".claude")); err != nil {
		t.Fatal(err)
	}
	plan, err := at(t, env, "claude-code", install.User).Install(program)
	apply(t, plan, err)
	if _, err := os.Stat(filepath.Join(outside, "settings.json")); err != nil {
		t.Error(err)
	}
}

func TestAPipeInThePlaceOfSettingsIsAnErrorAtOnce(t *testing.T) {
	env := world(t, t.TempDir())
	place := at(t, env, "gemini-cli", install.Project)
	if err := os.MkdirAll(filepath.Dir(place.Path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(place.Path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := place.Install(program); err == nil || !strings.Contains(err.Error(), "is a named pipe") {
		t.Errorf("the error is %v", err)
	}
	if s := place.Status(); !strings.Contains(s.Problem, "is a named pipe") {
		t.Errorf("the status is %+v", s)
	}
}
