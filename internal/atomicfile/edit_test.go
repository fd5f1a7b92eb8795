package atomicfile_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mcpproxy/internal/atomicfile"
)

func TestAnEditAppliesOnlyToTheContentItWasMadeFrom(t *testing.T) {
	for name, c := range map[string]struct{ now, before, after []byte }{
		"a file that changed":              {[]byte("theirs"), []byte("old"), []byte("new")},
		"one that changed to another size": {[]byte("th"), []byte("old"), []byte("new")},
		"one that went":                    {nil, []byte("old"), []byte("new")},
		"one that came":                    {[]byte("theirs"), nil, []byte("new")},
		"a file to be removed that another program changed": {[]byte("theirs"), []byte("old"), nil},
		"one that was emptied and is to go":                 {[]byte{}, []byte("old"), nil},
		"one that went and is to go":                        {nil, []byte("old"), nil},
		"one that came and is not to be one":                {[]byte("theirs"), nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "settings.json")
			if c.now != nil {
				if err := os.WriteFile(path, c.now, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err := atomicfile.Edit{
				Path:   path,
				Before: c.before,
				After:  c.after,
				Mode:   0o600,
			}.Apply()
			if !errors.Is(err, atomicfile.ErrChanged) {
				t.Errorf("the error is %v", err)
			}
			if c.now == nil {
				if entries := inFolder(t, path); len(entries) != 0 {
					t.Errorf("there are %v", entries)
				}
				return
			}
			holds(t, path, string(c.now))
			alone(t, path)
		})
	}
}

func TestAnEditReplacesMakesAndRemoves(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	edit := func(before, after []byte) {
		t.Helper()
		if err := (atomicfile.Edit{
			Path:   path,
			Before: before,
			After:  after,
			Mode:   0o640,
		}).Apply(); err != nil {
			t.Fatal(err)
		}
	}
	edit(nil, []byte("one"))
	holds(t, path, "one")
	mode(t, path, 0o640)
	if err := os.Chmod(path, 0o604); err != nil {
		t.Fatal(err)
	}
	edit([]byte("one"), []byte("two, longer"))
	holds(t, path, "two, longer")
	mode(t, path, 0o604)
	alone(t, path)
	edit([]byte("two, longer"), nil)
	if entries := inFolder(t, path); len(entries) != 0 {
		t.Errorf("there are %v", entries)
	}
}

// Other programs increment a counter in the file, as agents do with their starts: they replace the file, or write it
// in place. If somebody edits the file at the same time, no increment is lost.
func TestNoUpdateOfAnotherProgramIsLost(t *testing.T) {
	for name, write := range map[string]func(path string, data []byte) error{
		"replaced": func(path string, data []byte) error {
			if err := os.WriteFile(path+".theirs", data, 0o600); err != nil {
				return err
			}
			return os.Rename(path+".theirs", path)
		},
		"in place": func(path string, data []byte) error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.Write(data) // always the same length, so that every reader sees a complete number
			return errors.Join(err, f.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "settings.json")
			const form = "%09d ours %d\n"
			if err := os.WriteFile(path, fmt.Appendf(nil, form, 0, 0), 0o600); err != nil {
				t.Fatal(err)
			}
			var stop atomic.Bool
			counted := make(chan error, 1)
			go func() { counted <- count(path, form, &stop, write) }()
			edits, again := 0, 0
			for edits < 200 && len(counted) == 0 {
				before, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				var n, ours int
				if _, err := fmt.Sscanf(string(before), form, &n, &ours); err != nil {
					t.Fatalf("%q: %v", before, err)
				}
				after := fmt.Appendf(nil, form, n, 1-ours)
				switch err := (atomicfile.Edit{Path: path, Before: before, After: after}).Apply(); {
				case err == nil:
					edits++
				case errors.Is(err, atomicfile.ErrChanged):
					again++
				default:
					t.Fatal(err)
				}
			}
			stop.Store(true)
			if err := <-counted; err != nil {
				t.Error(err)
			}
			if again == 0 {
				t.Error("the program never came in between: this test shows nothing")
			}
			t.Logf("%d edits, %d made anew", edits, again)
		})
	}
}

// count increments the counter in the file until stop. It fails if one of its own increments was lost.
func count(path, form string, stop *atomic.Bool, write func(string, []byte) error) error {
	for want := 0; !stop.Load(); want++ {
		time.Sleep(200 * time.Microsecond) // much more often than any agent
		now, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var n, ours int
		if _, err := fmt.Sscanf(string(now), form, &n, &ours); err != nil {
			return fmt.Errorf("%q: %w", now, err)
		}
		if n != want {
			return fmt.Errorf("the count is %d, and was %d", n, want)
		}
		if err := write(path, fmt.Appendf(nil, form, n+1, ours)); err != nil {
			return err
		}
	}
	return nil
}

func TestALinkOutOfTheFolderIsNotFollowed(t *testing.T) {
	top, outside := filepath.Join(t.TempDir(), "project"), t.TempDir()
	err := errors.Join(
		os.MkdirAll(filepath.Join(top, "config"), 0o700),
		os.WriteFile(filepath.Join(outside, "f"), []byte("old"), 0o600),
		os.WriteFile(filepath.Join(top, "config", "f"), []byte("old"), 0o600),
		os.Symlink(
			filepath.Join(outside, "f"),
			filepath.Join(top, "file"),
		),
		os.Symlink(outside, filepath.Join(top, "folder")),
		os.Symlink(filepath.Join("config", "f"), filepath.Join(top, "within")),
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"file", "folder/f", "folder/new", "folder/new/deep", "../f"} {
		err := atomicfile.Edit{
			Path:   filepath.Join(top, name),
			Within: top,
			Before: []byte("old"),
			After:  []byte("new"),
		}.Apply()
		if err == nil || !strings.Contains(err.Error(), "outside the folder "+top) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
	holds(t, filepath.Join(outside, "f"), "old")
	err = atomicfile.Edit{
		Path:   filepath.Join(top, "within"),
		Within: top,
		Before: []byte("old"),
		After:  []byte("new"),
	}.Apply()
	if err != nil {
		t.Error(err)
	}
	holds(t, filepath.Join(top, "config", "f"), "new")
}

func TestOnlyRegularFilesAreReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"written": atomicfile.WriteBytes(path, 0o600, nil),
		"edited":  atomicfile.Edit{Path: path, Before: []byte{}, After: []byte("new")}.Apply(),
	} {
		if err == nil || !strings.Contains(err.Error(), "is a named pipe and is not replaced") {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

// A user who runs a command with sudo can still use their own files afterwards.
func TestAFileThatRootReplacesKeepsItsOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := errors.Join(os.WriteFile(path, []byte("old"), 0o640), os.Chown(path, 4711, 4712)); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.WriteBytes(path, 0o600, []byte("written")); err != nil {
		t.Fatal(err)
	}
	belongs(t, path, 4711, 4712)
	mode(t, path, 0o600)
	if err := (atomicfile.Edit{Path: path, Before: []byte("written"), After: []byte("edited")}).Apply(); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "edited")
	belongs(t, path, 4711, 4712)
	mode(t, path, 0o600)

	if err := os.Chown(filepath.Dir(path), 4711, 4712); err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(filepath.Dir(path), "new.json")
	if err := (atomicfile.Edit{Path: made, After: []byte("new"), Mode: 0o600}).Apply(); err != nil {
		t.Fatal(err)
	}
	belongs(t, made, 4711, 4712)
}

func belongs(t *testing.T, path string, uid, gid uint32) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if s := info.Sys().(*syscall.Stat_t); s.Uid != uid || s.Gid != gid {
		t.Errorf("%s belongs to %s:%s", path, strconv.Itoa(int(s.Uid)), strconv.Itoa(int(s.Gid)))
	}
}
