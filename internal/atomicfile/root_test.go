//go:build unix

package atomicfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAFileThatOthersThanRootCanChangeIsRefused(t *testing.T) {
	if err := CheckRoot("/etc/passwd"); err != nil {
		t.Errorf("/etc/passwd: %v", err)
	}
	dir := t.TempDir() // below a folder that everybody can write to
	file := filepath.Join(dir, "managed.json")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := CheckRoot(file); err == nil {
		t.Error("a file below a folder that everybody can write to is accepted")
	}
	if err := CheckRoot(filepath.Join(dir, "none")); !os.IsNotExist(err) {
		t.Errorf("of a file that is not there: %v", err)
	}
}

func TestRootsFilesAreTakenByTheirMode(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make files of root and of others")
	}
	file := filepath.Join(t.TempDir(), "managed.json")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	look := func() error {
		info, err := os.Lstat(file)
		if err != nil {
			t.Fatal(err)
		}
		return checkRoot(file, info)
	}
	for mode, ok := range map[fs.FileMode]bool{0o644: true, 0o600: true, 0o664: false, 0o646: false} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		if err := look(); (err == nil) != ok {
			t.Errorf("%04o: %v", mode, err)
		}
	}
	if err := os.Chown(file, 1000, 0); err != nil {
		t.Fatal(err)
	}
	if err := look(); err == nil || !strings.Contains(err.Error(), "must belong to root") {
		t.Errorf("the file of a user: %v", err)
	}
}
