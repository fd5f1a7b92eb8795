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

// Editor changes one file, and keeps a copy of its content from before the changes.
type Editor struct {
	Path   string // absolute path of the file
	Folder string // folder with the copies of all changed files
	Part   string // name of the part of the file, if several parts are changed separately; "" for the whole file
	// Private makes a new file readable by its owner only, because its program may write secrets
	// into it. An existing file keeps its mode.
	Private bool
	// Secret is set if the change adds a secret: an existing file is made readable by its owner
	// only before it is written.
	Secret bool
	// Within, unless it is empty, is a folder that no link may lead out of: a project, whose links
	// other people may have made.
	Within string
	// Lock is set if the file's program locks the file by making a folder beside it, with the
	// file's name and ".lock".
	Lock bool
	// Without returns the file's content without our additions. It must accept content without any.
	Without func(raw []byte) ([]byte, error)
}

// note describes the copy of a file that was changed.
type note struct {
	Path    string `json:"path"`
	Existed bool   `json:"existed"`          // there was a file before the change
	Written string `json:"written_sha256"`   // digest of the file after the change
	Made    string `json:"folder,omitempty"` // the topmost folder that was made for the file
}

// Backup returns the folder with the copy of the file as it was before the change.
func (k Editor) Backup() string {
	sum := sha256.Sum256([]byte(k.Path + k.Part))
	return filepath.Join(k.Folder, filepath.Base(k.Path)+"-"+hex.EncodeToString(sum[:6]))
}

// Files returns the changed files whose copies are in the folder, sorted. It leaves out files whose changes were
// undone.
func Files(folder string) (paths []string) {
	entries, _ := os.ReadDir(folder) // there is no folder before the first change
	for _, e := range entries {
		if n := readNote(filepath.Join(folder, e.Name())); n.Path != "" {
			paths = append(paths, n.Path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// Kept returns the content before the change, if the file is still as we wrote it. A nil slice
// means that there was no file.
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

// Check returns an error if a link leads out of the folder Within.
func (k Editor) Check() error {
	_, err := atomicfile.Inside(k.Path, k.Within)
	return err
}

// Enter changes the file, with the first change, and the further files that belong to it. It fails
// with [atomicfile.ErrChanged] if another program changed one of them since it was read.
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

// TakeBack makes the changes that undo [Editor.Enter], and removes the copy. It fails in the same
// cases.
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
			_ = os.Remove(c.Path) // a symbolic link at Path, if there is one
			tidy(filepath.Dir(c.Path), made)
		}
	}
	return k.forget()
}

// apply makes one change. An existing file keeps its mode, unless the change adds a secret.
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

// closeToOthers removes the permissions of everybody except the file's owner.
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

// keep copies the file before a change. If an earlier change already made a copy, that copy stays,
// because the current file contains our entries.
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
		return n, fmt.Errorf("saving a copy of %s: %w", c.Path, err)
	}
	if err := write(filepath.Join(dir, "before"), before, 0o600); err != nil {
		return n, fmt.Errorf("saving a copy of %s: %w", c.Path, err)
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

// forget removes the copy.
func (k Editor) forget() error {
	err := os.RemoveAll(k.Backup())
	_ = os.Remove(k.Folder) // fails if it has other copies
	return err
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Stamp returns a text that changes whenever the result of [Files] for the folder may change. While
// resting is false, files of the folder are so new that the next change might not change the stamp.
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
	entries, _ := os.ReadDir(folder) // there is no folder before the first change
	for _, e := range entries {
		look(filepath.Join(folder, e.Name()))
	}
	return b.String(), resting
}

// tick is longer than the resolution of modification times in file systems.
const tick = 2 * time.Second
