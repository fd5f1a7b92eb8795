package atomicfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"mcpproxy/internal/atomicfile"
)

func TestAFileIsReplacedWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	for _, text := range []string{"the first, which is longer", "the second", ""} {
		if err := atomicfile.WriteBytes(path, 0o600, []byte(text)); err != nil {
			t.Fatal(err)
		}
		holds(t, path, text)
		mode(t, path, 0o600)
		alone(t, path)
	}
}

func TestTheModeIsTheCallersWhateverTheOldOneWas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.WriteBytes(path, 0o644, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	mode(t, path, 0o644)
}

func TestAWriterThatFailsLeavesTheOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "export.csv")
	if err := atomicfile.WriteBytes(path, 0o600, []byte("old")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the log ended early")
	err := atomicfile.Write(path, 0o600, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half of it")
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("the error is %v, want the writer's", err)
	}
	holds(t, path, "old")
	alone(t, path)
}

func TestTheOldFileIsThereWhileTheNewOneIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	if err := atomicfile.WriteBytes(path, 0o600, []byte("old")); err != nil {
		t.Fatal(err)
	}
	err := atomicfile.Write(path, 0o644, func(w io.Writer) error {
		_, err := io.WriteString(w, "new")
		holds(t, path, "old")
		for _, e := range inFolder(t, path) { // nor can others read the new one yet
			mode(t, filepath.Join(filepath.Dir(path), e.Name()), 0o600)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	holds(t, path, "new")
}

func TestASymbolicLinkStaysALink(t *testing.T) {
	dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "dotfiles.json")
	link := filepath.Join(dir, "settings.json")
	if err := errors.Join(os.WriteFile(elsewhere, []byte("old"), 0o644), os.Symlink(elsewhere, link)); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.WriteBytes(link, 0o644, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is none any more: %v, %v", info, err)
	}
	holds(t, elsewhere, "new")
	alone(t, elsewhere)
}

func TestAFolderThatIsNotThereIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "tokens.json")
	if err := atomicfile.WriteBytes(path, 0o600, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is %v, want that it does not exist", err)
	}
}

func TestSweepRemovesWhatACrashLeftAndNothingElse(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".flow.new-123", ".flow.new-9", "flow", ".other.new-1", "flow.new"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := atomicfile.Sweep(filepath.Join(dir, "flow")); err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range inFolder(t, filepath.Join(dir, "flow")) {
		left = append(left, e.Name())
	}
	if len(left) != 3 || left[0] != ".other.new-1" || left[1] != "flow" || left[2] != "flow.new" {
		t.Errorf("left are %q", left)
	}
}

func holds(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v, want %q", filepath.Base(path), got, err, want)
	}
}

func mode(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
		t.Errorf("%s: %v, %v, want mode %v", filepath.Base(path), info, err, want)
	}
}

func alone(t *testing.T, path string) {
	t.Helper()
	if entries := inFolder(t, path); len(entries) != 1 {
		t.Errorf("beside the file are %v", entries)
	}
}

func inFolder(t *testing.T, path string) []os.DirEntry {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	return entries
}
