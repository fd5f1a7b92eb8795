package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpproxy/internal/config"
)

func TestTheStarterIsTheDefaultWithAKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "down", "mcp_config.json")
	made, err := config.EnsureFile(path)
	if err != nil || !made {
		t.Fatalf("made %t, %v", made, err)
	}
	c, err := config.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.APIKey) != 64 {
		t.Errorf("the key is %q", c.APIKey)
	}
	want := config.Default()
	want.APIKey = c.APIKey
	if diff := diffConfig(want, c); diff != "" {
		t.Errorf("the starter says something other than the defaults (-default +starter):\n%s", diff)
	}
	if idle := c.Idle(); len(idle) > 0 {
		t.Errorf("the starter sets keys without effect: %v", idle)
	}
	raw, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(raw), "//") {
		t.Errorf("the starter has no comments, %v", err)
	}
}

func TestEveryStarterHasAKeyOfItsOwn(t *testing.T) {
	keys := map[string]bool{}
	for range 3 {
		path := filepath.Join(t.TempDir(), "c.json")
		if _, err := config.EnsureFile(path); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		keys[c.APIKey] = true
	}
	if len(keys) != 3 {
		t.Errorf("%d different keys in 3 files", len(keys))
	}
}

// Shows: GW-26.
func TestTheFileIsTheOwnersAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", "c.json")
	if _, err := config.EnsureFile(path); err != nil {
		t.Fatal(err)
	}
	mode := func(p string) os.FileMode {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	if m := mode(path); m != 0o600 {
		t.Errorf("the file has mode %o", m)
	}
	if m := mode(filepath.Dir(path)); m != 0o700 {
		t.Errorf("its folder has mode %o", m)
	}
	if err := os.WriteFile(path, []byte(`{"api_key": ""}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := config.EnsureKey(path, &config.Config{}); err != nil {
		t.Fatal(err)
	}
	if m := mode(path); m != 0o600 {
		t.Errorf("with a key in it, the file has mode %o", m)
	}
}

// Many users keep their configuration in a folder under version control, and link to it.
func TestALinkToTheFileStaysALink(t *testing.T) {
	dir := t.TempDir()
	link, file := filepath.Join(dir, "c.json"), filepath.Join(t.TempDir(), "mine.json")
	if err := os.WriteFile(file, []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if err := config.EnsureKey(link, &config.Config{}); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(file)
	to, linkErr := os.Readlink(link)
	if linkErr != nil || to != file || err != nil || !strings.Contains(string(raw), "api_key") {
		t.Errorf("the link leads to %q (%v), where %q stands (%v)", to, linkErr, raw, err)
	}
}

func TestAnExistingFileIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.json")
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	made, err := config.EnsureFile(path)
	raw, readErr := os.ReadFile(path)
	if made || err != nil || readErr != nil || string(raw) != "{}" {
		t.Errorf("made %t, %v; the file: %q, %v", made, err, raw, readErr)
	}
}

// EnsureKey adds a key; everything else in the file stays, comments too.
func TestEnsureKeyAddsAKeyAndKeepsTheRest(t *testing.T) {
	for name, c := range map[string]struct{ file, kept string }{
		"an empty key":                         {"{\n  // mine\n  \"api_key\": \"\", // filled in\n  \"listen\": \"127.0.0.1:1\" /* kept */\n}\n", "// mine"},
		"no key":                               {"{\n  // mine\n  \"listen\": \"127.0.0.1:1\",\n}\n", "// mine"},
		"an empty object":                      {"{}", "{"},
		"an empty object with a comment":       {"{ // \"nothing\" here\n}", "// \"nothing\" here"},
		"an empty file":                        {"", ""},
		"a comment with a brace before":        {"// {see the manual}\n{\n  \"listen\": \"127.0.0.1:1\"\n}", "// {see the manual}"},
		"an empty key in a comment":            {"{\n  // \"api_key\": \"\" makes one\n  \"listen\": \"127.0.0.1:1\"\n}", "// \"api_key\": \"\" makes one"},
		"an api_key of a server's environment": {"{\"mcpServers\": [{\"name\": \"a\", \"command\": \"x\", \"env\": {\"api_key\": \"\"}}]}", `"env": {"api_key": ""}`},
		"a file that is only a comment":        {"// nothing yet\n", "// nothing yet"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "c.json")
			if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
				t.Fatal(err)
			}
			before, err := config.Load(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if err := config.EnsureKey(path, before); err != nil || len(before.APIKey) != 64 {
				t.Fatalf("the key is %q, %v", before.APIKey, err)
			}
			after, err := config.Load(t.Context(), path)
			if err != nil {
				t.Fatalf("the file cannot be read any more: %v", err)
			}
			if diff := diffConfig(before, after); diff != "" {
				t.Errorf("what was saved is something else (-made +saved):\n%s", diff)
			}
			raw, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(raw), c.kept) {
				t.Errorf("%q is gone, %v:\n%s", c.kept, err, raw)
			}
		})
	}
}

// A key whose value is empty in another form must not produce an invalid file.
func TestEnsureKeyNeverBreaksTheFile(t *testing.T) {
	t.Setenv("T_EMPTY", "")
	for name, file := range map[string]string{
		"a key that is null":                `{"api_key": null, "listen": "127.0.0.1:1"}`,
		"a key that is an empty variable":   `{"api_key": "${env:T_EMPTY}"}`,
		"a key in an unusual spelling":      `{"api\u005fkey": ""}`,
		"a key with a comment in its midst": `{"api_key": /* none */ ""}`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "c.json")
			if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
				t.Fatal(err)
			}
			c, err := config.Load(t.Context(), path)
			if err != nil {
				return // refused already
			}
			_ = config.EnsureKey(path, c)
			if _, err := config.Load(t.Context(), path); err != nil {
				raw, _ := os.ReadFile(path)
				t.Errorf("the file cannot be read any more: %v\n%s", err, raw)
			}
		})
	}
}

func TestAKeyThatIsSetIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.json")
	if err := os.WriteFile(path, []byte(`{"api_key": "mine"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := config.EnsureKey(path, c); err != nil || c.APIKey != "mine" {
		t.Errorf("the key is %q, %v", c.APIKey, err)
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != `{"api_key": "mine"}` {
		t.Errorf("the file was changed: %s, %v", raw, err)
	}
}
