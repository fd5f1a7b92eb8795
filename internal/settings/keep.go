package settings

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Keeper makes changes of one file, and remembers what was there before them.
type Keeper struct {
	Path   string // of the file, absolute
	Folder string // where the copies of all changed files are kept
	Part   string // of the file, where several parts are changed each by itself; "" for all of it
	// Private says that the file, if it is made, is for its owner only: the program that
	// it belongs to may put secrets into it. One that is there keeps its mode.
	Private bool
	// Without is the file's content without what we have entered. It may be given
	// content that holds nothing of ours.
	Without func(raw []byte) ([]byte, error)
}

// note is what is remembered beside the copy of a file that was changed.
type note struct {
	Path    string `json:"path"`
	Existed bool   `json:"existed"`          // there was a file before
	Written string `json:"written_sha256"`   // what the file became
	Made    string `json:"folder,omitempty"` // the topmost folder that was made for it
}

// Backup is the folder with what was there before.
func (k Keeper) Backup() string {
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
func (k Keeper) Kept(now []byte) ([]byte, bool) {
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

// Enter makes the change of the file and of others that go with it; the file's own
// is the first.
func (k Keeper) Enter(changes ...Change) error {
	n, err := k.keep(changes[0])
	if err != nil {
		return err
	}
	for _, c := range changes {
		made, err := makeFolder(filepath.Dir(c.Path))
		if err != nil {
			return fmt.Errorf("%s: %w", c.Path, err)
		}
		if n.Made == "" || made != "" && len(made) < len(n.Made) {
			n.Made = made
		}
		mode := fs.FileMode(0o644)
		if k.Private {
			mode = 0o600
		}
		if err := replace(c.Path, c.After, mode); err != nil {
			return err
		}
	}
	return k.note(n)
}

// TakeBack makes the changes that undo what [Keeper.Enter] did, and drops the copy.
func (k Keeper) TakeBack(changes ...Change) error {
	made := k.noted().Made
	for _, c := range changes {
		if c.After != nil {
			if err := replace(c.Path, c.After, 0o644); err != nil {
				return err
			}
			continue
		}
		if err := os.Remove(c.Path); err != nil {
			return err
		}
		tidy(filepath.Dir(c.Path), made)
	}
	return k.forget()
}

// keep copies what is there before a change is made. What a former change had
// replaced stays the copy, so that nobody gets a file back that has our entries.
func (k Keeper) keep(c Change) (note, error) {
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
	n.Path, n.Existed, n.Written = k.Path, before != nil, digest(c.After)
	dir := k.Backup()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return n, fmt.Errorf("keeping a copy of %s: %w", c.Path, err)
	}
	if err := write(filepath.Join(dir, "before"), before, 0o600); err != nil {
		return n, fmt.Errorf("keeping a copy of %s: %w", c.Path, err)
	}
	return n, nil
}

func (k Keeper) noted() note {
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

func (k Keeper) note(n note) error {
	raw, err := json.MarshalIndent(n, "", "  ")
	if err != nil {
		return err
	}
	return write(filepath.Join(k.Backup(), "note.json"), append(raw, '\n'), 0o600)
}

// forget drops the copy.
func (k Keeper) forget() error {
	err := os.RemoveAll(k.Backup())
	_ = os.Remove(k.Folder) // unless it has others
	return err
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
