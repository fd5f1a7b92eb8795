package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// note is what is remembered beside the copy of a file that was changed.
type note struct {
	Path    string `json:"path"`
	Existed bool   `json:"existed"`          // there was a file before
	Written string `json:"written_sha256"`   // what the file became
	Made    string `json:"folder,omitempty"` // the topmost folder that was made for it
}

// Backup is the folder with what was there before.
func (p Place) Backup() string {
	sum := sha256.Sum256([]byte(p.Path))
	return filepath.Join(p.env.Backups, filepath.Base(p.Path)+"-"+hex.EncodeToString(sum[:6]))
}

func (p Place) noted() note {
	if n := readNote(p.Backup()); n.Path == p.Path {
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

// Files are the settings in which hooks were installed from here and not taken out
// since, in order; backups is [Env.Backups].
func Files(backups string) (paths []string) {
	entries, _ := os.ReadDir(backups) // there is none before the first
	for _, e := range entries {
		if n := readNote(filepath.Join(backups, e.Name())); n.Path != "" {
			paths = append(paths, n.Path)
		}
	}
	slices.Sort(paths)
	return paths
}

// kept is what was there before, when the file is still as it was written. A nil
// slice means that there was no file.
func (p Place) kept(now []byte) ([]byte, bool) {
	n := p.noted()
	if n.Written == "" || n.Written != digest(now) {
		return nil, false
	}
	if !n.Existed {
		return nil, true
	}
	before, err := read(filepath.Join(p.Backup(), "before"))
	return before, err == nil && before != nil
}

// keep copies what is there before the plan is carried out. What a former
// installation had replaced stays the copy, so that nobody gets a file back that
// has our entries.
func (p Plan) keep() (note, error) {
	main := p.files[0]
	n := p.Place.noted()
	before := main.before
	if kept, ok := p.Place.kept(main.before); ok {
		before = kept
	} else {
		n.Made = ""
		if without, err := p.Place.agent.format.uninstall(p.Place, main.before); before != nil && err == nil {
			before = without
		}
	}
	n.Path, n.Existed, n.Written = p.Place.Path, before != nil, digest(main.after)
	dir := p.Place.Backup()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return n, fmt.Errorf("keeping a copy of %s: %w", main.path, err)
	}
	if err := write(filepath.Join(dir, "before"), before, 0o600); err != nil {
		return n, fmt.Errorf("keeping a copy of %s: %w", main.path, err)
	}
	return n, nil
}

func (p Place) note(n note) error {
	raw, err := json.MarshalIndent(n, "", "  ")
	if err != nil {
		return err
	}
	return write(filepath.Join(p.Backup(), "note.json"), append(raw, '\n'), 0o600)
}

// forget drops the copy.
func (p Place) forget() error {
	err := os.RemoveAll(p.Backup())
	_ = os.Remove(p.env.Backups) // unless it has others
	return err
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
