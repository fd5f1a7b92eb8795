package settings

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mcpproxy/internal/atomicfile"
)

// Editor makes changes of one file, and remembers what was there before them.
type Editor struct {
	Path   string // of the file, absolute
	Folder string // where the copies of all changed files are kept
	Part   string // of the file, where several parts are changed each by itself; "" for all of it
	// Private says that the file, if it is made, is for its owner only: the program that
	// it belongs to may put secrets into it. One that is there keeps its mode.
	Private bool
	// Secret says that what is entered is a secret: a file that is there loses the rights
	// of everybody but its owner before it is written.
	Secret bool
	// Within, unless it is empty, is the folder that no link may lead out of: a project,
	// which comes from others with its links.
	Within string
	// Lock says that the program that the file belongs to writes it only while it has made
	// a folder beside it, of the file's name and ".lock".
	Lock bool
	// Without is the file's content without what we have entered. It may be given
	// content that holds nothing of ours.
	Without func(raw []byte) ([]byte, error)
}

// note describes the copy of a file that was changed.
type note struct {
	Path    string `json:"path"`
	Existed bool   `json:"existed"`          // there was a file before
	Written string `json:"written_sha256"`   // what the file became
	Made    string `json:"folder,omitempty"` // the topmost folder that was made for it
}

// Backup is the folder with what was there before.
func (k Editor) Backup() string {
	sum := sha256.Sum256([]byte(k.Path + k.Part))
	return filepath.Join(k.Folder, filepath.Base(k.Path)+"-"+hex.EncodeToString(sum[:6]))
}

// Files are the files in a folder of copies that were changed from here and not
// taken back since, in order.
func Files(folder string) (paths []string) {
	entries, _ := os.ReadDir(folder) // there is none before the first
	for _, e := range entries {
		if n := readNote(filepath.Join(folder, e.Name())); n.Path != "" {
			paths = append(paths, n.Path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// Kept is what was there before, when the file is still as it was written. A nil
// slice means that there was no file.
func (k Editor) Kept(now []byte) ([]byte, bool) {
	n := k.noted()
	if n.Written == "" || n.Written != digest(now) {
		return nil, false
	}
	if !n.Existed {
		return nil, true
	}
	before, err := Read(filepath.Join(k.Backup(), "before"))
	return before, err == nil && before != nil
}

// Check returns an error if a link leads out of the folder that changes have to stay in.
func (k Editor) Check() error {
	_, err := atomicfile.Inside(k.Path, k.Within)
	return err
}

// Enter makes the change of the file and of others that go with it; the file's own
// is the first. It fails with [atomicfile.ErrChanged] if another program changed one of
// them since it was read.
func (k Editor) Enter(changes ...Change) error {
	release, err := k.lock()
	if err != nil {
		return err
	}
	defer release()
	n, err := k.keep(changes[0])
	if err != nil {
		return err
	}
	for _, c := range changes {
		made, err := makeFolder(filepath.Dir(c.Path), k.Within)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Path, err)
		}
		if n.Made == "" || made != "" && len(made) < len(n.Made) {
			n.Made = made
		}
		if err := k.apply(c); err != nil {
			return err
		}
		if err := k.note(n); err != nil { // also if a later one fails
			return err
		}
	}
	return nil
}

// TakeBack makes the changes that undo what [Editor.Enter] did, and drops the copy. It
// fails as Enter does.
func (k Editor) TakeBack(changes ...Change) error {
	release, err := k.lock()
	if err != nil {
		return err
	}
	defer release()
	made := k.noted().Made
	for _, c := range changes {
		if err := k.apply(c); err != nil {
			return err
		}
		if c.After == nil {
			_ = os.Remove(c.Path) // the link, if the file had one
			tidy(filepath.Dir(c.Path), made)
		}
	}
	return k.forget()
}

// apply makes one change. A file that is there keeps its mode, unless a secret comes
// into it.
func (k Editor) apply(c Change) error {
	mode := fs.FileMode(0o644)
	if k.Private {
		mode = 0o600
	}
	if k.Secret {
		if err := closeToOthers(c.Path); err != nil {
			return fmt.Errorf("writing %s: %w", c.Path, err)
		}
	}
	edit := atomicfile.Edit{
		Path:   c.Path,
		Within: k.Within,
		Before: c.Before,
		After:  c.After,
		Mode:   mode,
	}
	if err := edit.Apply(); err != nil {
		return fmt.Errorf("writing %s: %w", c.Path, err)
	}
	return nil
}

// closeToOthers takes a file's rights from everybody but its owner.
func closeToOthers(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil || info.Mode().Perm()&0o077 == 0:
		return err
	}
	return os.Chmod(path, info.Mode().Perm()&^0o077)
}

// keep copies what is there before a change is made. What a former change had
// replaced stays the copy, so that nobody gets a file back that has our entries.
func (k Editor) keep(c Change) (note, error) {
	n := k.noted()
	before := c.Before
	if kept, ok := k.Kept(c.Before); ok {
		before = kept
	} else {
		n.Made = ""
		if without, err := k.Without(c.Before); before != nil && err == nil {
			before = without
		}
	}
	n.Path = k.Path
	n.Existed = before != nil
	n.Written = digest(c.After)
	dir := k.Backup()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return n, fmt.Errorf("keeping a copy of %s: %w", c.Path, err)
	}
	if err := write(filepath.Join(dir, "before"), before, 0o600); err != nil {
		return n, fmt.Errorf("keeping a copy of %s: %w", c.Path, err)
	}
	return n, nil
}

func (k Editor) noted() note {
	if n := readNote(k.Backup()); n.Path == k.Path {
		return n
	}
	return note{}
}

func readNote(backup string) (n note) {
	raw, err := os.ReadFile(filepath.Join(backup, "note.json"))
	if err != nil || json.Unmarshal(raw, &n) != nil {
		return note{}
	}
	return n
}

func (k Editor) note(n note) error {
	raw, err := json.MarshalIndent(n, "", "  ")
	if err != nil {
		return err
	}
	return write(filepath.Join(k.Backup(), "note.json"), append(raw, '\n'), 0o600)
}

// forget drops the copy.
func (k Editor) forget() error {
	err := os.RemoveAll(k.Backup())
	_ = os.Remove(k.Folder) // unless it has others
	return err
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Stamp is a text that is another one once [Files] of the folder may be others. Until
// resting is true, files of the folder are so young that a change may leave no trace in it.
func Stamp(folder string) (stamp string, resting bool) {
	var b strings.Builder
	resting = true
	look := func(path string) {
		info, err := os.Lstat(path)
		if err != nil {
			b.WriteString("-\n")
			return
		}
		changed := info.ModTime()
		resting = resting && time.Since(changed).Abs() > tick
		fmt.Fprintf(&b, "%s %d %d\n", info.Name(), changed.UnixNano(), info.Size())
	}
	look(folder)
	entries, _ := os.ReadDir(folder) // there is none before the first
	for _, e := range entries {
		look(filepath.Join(folder, e.Name()))
	}
	return b.String(), resting
}

// tick is longer than the steps in which file systems count the time of a change.
const tick = 2 * time.Second
