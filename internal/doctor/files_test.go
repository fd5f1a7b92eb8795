package doctor

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// owned is the information about a file that belongs to the user with this uid.
type owned struct {
	fs.FileInfo
	uid uint32
}

func (o owned) Sys() any { return &syscall.Stat_t{Uid: o.uid} }

func TestFilesOfOtherUsersAreReported(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		uid  int
		mode os.FileMode
		want string
	}{
		"yours, mode 0600":    {os.Getuid(), 0o600, "only you can read and write"},
		"yours, mode 0644":    {os.Getuid(), 0o644, "chmod 600"},
		"another's, 0600":     {os.Getuid() + 1, 0o600, "belongs to another user"},
		"another's, and open": {os.Getuid() + 1, 0o666, "belongs to another user"},
	} {
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		f := &Checkup{}
		f.onlyOwners("tokens.json", path, owned{info, uint32(c.uid)})
		got := f.Checks[0]
		if !strings.Contains(got.Detail+got.Advice, c.want) || got.OK != (name == "yours, mode 0600") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
