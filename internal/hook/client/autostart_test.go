package client

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Only the user can choose the program that a hook starts.
func TestOnlyTheUserChoosesWhatAHookStarts(t *testing.T) {
	text, err := StartText([]string{"/usr/bin/mcpproxy", "start", "--config", "/home/a b/c.json"}, "/usr/bin:/bin")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := StartText([]string{"/x", "a\nb"}, ""); err == nil {
		t.Error("a line break is written down")
	}
	for name, c := range map[string]struct {
		text         string
		file, folder os.FileMode
		stopped      bool
		starts       bool
	}{
		"the daemon has written the file":       {text, 0o600, 0o700, false, true},
		"the user has stopped the daemon":       {text, 0o600, 0o700, true, false},
		"others can read the file":              {text, 0o644, 0o700, false, false},
		"others can write the file":             {text, 0o602, 0o700, false, false},
		"others can look into the folder":       {text, 0o600, 0o755, false, false},
		"the program is no absolute path":       {"/bin\nmcpproxy\nstart\n", 0o600, 0o700, false, false},
		"the file names no program":             {"/bin\n", 0o600, 0o700, false, false},
		"the file is empty":                     {"", 0o600, 0o700, false, false},
		"the file is longer than any that's ok": {text + string(make([]byte, maxStart)), 0o600, 0o700, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put := func(name, text string, mode os.FileMode) {
				path := filepath.Join(dir, name)
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(path, mode); err != nil {
					t.Fatal(err)
				}
			}
			put(StartFile, c.text, c.file)
			if c.stopped {
				put(StoppedFile, "", 0o600)
			}
			if err := os.Chmod(dir, c.folder); err != nil {
				t.Fatal(err)
			}
			words, path, ok := StartCommand(filepath.Join(dir, "mcpproxy.sock"))
			if ok != c.starts {
				t.Fatalf("it is started: %t", ok)
			}
			if !ok {
				return
			}
			want := []string{"/usr/bin/mcpproxy", "start", "--config", "/home/a b/c.json"}
			if diff := cmp.Diff(want, words); diff != "" || path != "/usr/bin:/bin" {
				t.Errorf("the command (-want +got), with PATH %q:\n%s", path, diff)
			}
		})
	}
}

func TestTheEnvironmentHasOnePath(t *testing.T) {
	got := withPath([]string{"HOME=/h", "PATH=/old", "PATHS=x"}, "/new")
	if diff := cmp.Diff([]string{"PATH=/new", "HOME=/h", "PATHS=x"}, got); diff != "" {
		t.Error(diff)
	}
}
