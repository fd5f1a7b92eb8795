package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpproxy/internal/atomicfile"
)

func TestAFileThatOthersMayWriteIsReportedWithTheCommandThatFixesIt(t *testing.T) {
	for name, c := range map[string]struct {
		folder, file fs.FileMode
		problem      string // "" for none
		remedy       string // FOLDER and FILE are the paths
	}{
		"the owner alone":               {0o700, 0o600, "", ""},
		"others may read":               {0o755, 0o644, "", ""},
		"everybody may write":           {0o700, 0o666, "can be changed by other users (mode 0666)", "chmod go-w FILE"},
		"everybody may replace it":      {0o777, 0o600, "can be changed by other users (mode 0777)", "chmod go-w FOLDER"},
		"each only what is their own":   {0o777 | fs.ModeSticky, 0o600, "", ""},
		"everybody may write, not read": {0o755, 0o602, "can be changed by other users (mode 0602)", "chmod go-w FILE"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "folder")
			file := filepath.Join(folder, "file")
			link := filepath.Join(t.TempDir(), "link")
			err := errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(file, nil, 0o600), os.Symlink(file, link),
				os.Chmod(file, c.file), os.Chmod(folder, c.folder))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{file, link} {
				err := atomicfile.CheckWriters(path)
				if c.problem == "" {
					if err != nil {
						t.Errorf("the error is %v", err)
					}
					continue
				}
				e, ok := errors.AsType[*atomicfile.AccessError](err)
				remedy := strings.NewReplacer("FOLDER", folder, "FILE", file).Replace(c.remedy)
				if !ok || e.Problem != c.problem || e.Remedy != remedy || !strings.Contains(e.Error(), "run: "+remedy) {
					t.Errorf("the error is %v, want that it %s, and %q", err, c.problem, remedy)
				}
			}
		})
	}
}

// In a folder above the path, the sticky bit protects the files of other users. The folder in question itself may
// receive files from everybody.
func TestAFolderForEverybodysFilesIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o777|fs.ModeSticky)); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.CheckWriters(dir); err == nil {
		t.Error("there is no error")
	}
}

func TestWhatBelongsToAnotherUserIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	path := filepath.Join(t.TempDir(), "my file")
	if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chown(path, 4711, 0)); err != nil {
		t.Fatal(err)
	}
	err := atomicfile.CheckWriters(path)
	if err == nil ||
		!strings.Contains(err.Error(), "belongs to another user (uid 4711, mode 0600); run: sudo chown 0 '"+path+"'") {
		t.Errorf("the error is %v", err)
	}
}

// The administrator is responsible for the folders above the user's home.
func TestNothingAboveTheHomeIsLookedAt(t *testing.T) {
	above := t.TempDir()
	home := filepath.Join(above, "home")
	file := filepath.Join(home, "file")
	if err := errors.Join(os.Mkdir(home, 0o700), os.WriteFile(file, nil, 0o600), os.Chmod(above, 0o777)); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.CheckWriters(file); err == nil {
		t.Error("the folder above is not looked at")
	}
	t.Setenv("HOME", home)
	if err := atomicfile.CheckWriters(file); err != nil {
		t.Error(err)
	}
}

func TestWhatOthersCanReadIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for mode, open := range map[fs.FileMode]bool{
		0o600: false,
		0o700: false,
		0o604: true,
		0o644: true,
	} {
		if err := errors.Join(os.WriteFile(path, nil, mode), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		if err := atomicfile.CheckReaders(path); (err != nil) != open {
			t.Errorf("%04o: %v", mode, err)
		}
	}
}
