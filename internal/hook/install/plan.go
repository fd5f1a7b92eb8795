package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mcpproxy/internal/atomicfile"
)

// Action says what a plan does to its place.
type Action string

// The actions.
const (
	Installed    Action = "installed"
	Updated      Action = "updated"
	Unchanged    Action = "unchanged"
	Removed      Action = "removed"
	NotInstalled Action = "not installed" // there was nothing to remove
)

// Plan is a change of a place's files that has not been made yet.
type Plan struct {
	Place  Place
	Action Action
	Hint   string // what the user has to do besides; "" for nothing

	files []change
}

// change is what happens to one file.
type change struct {
	path   string
	before []byte // nil: there is none
	after  []byte // nil: it goes
}

func (c change) nothing() bool {
	return (c.before == nil) == (c.after == nil) && bytes.Equal(c.before, c.after)
}

// Install plans to enter the hook. The error names the file and the line that
// stands in the way.
func (p Place) Install(c Command) (Plan, error) {
	raw, err := read(p.Path)
	if err != nil {
		return Plan{}, err
	}
	after, err := p.agent.format.install(p, raw, c)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Place: p, Action: Installed, Hint: p.hint(), files: []change{{p.Path, raw, after}}}
	if raw != nil {
		if have, err := p.agent.format.commands(p, raw); err == nil && len(have) > 0 {
			plan.Action = Updated
		}
	}
	for name, content := range p.agent.extra {
		path := filepath.Join(filepath.Dir(p.Path), filepath.FromSlash(name))
		there, err := read(path)
		if err != nil {
			return Plan{}, err
		}
		if there == nil {
			plan.files = append(plan.files, change{path, nil, []byte(content)})
		}
	}
	if plan.nothing() {
		plan.Action, plan.Hint = Unchanged, ""
	}
	return plan, nil
}

// Uninstall plans to take the hook out.
func (p Place) Uninstall() (Plan, error) {
	plan := Plan{Place: p, Action: NotInstalled}
	raw, err := read(p.Path)
	if err != nil || raw == nil {
		return plan, err
	}
	after, err := p.agent.format.uninstall(p, raw)
	if err != nil {
		return Plan{}, err
	}
	main := change{p.Path, raw, after}
	if main.nothing() {
		return plan, nil
	}
	if kept, ok := p.kept(raw); ok {
		main.after = kept
	}
	plan.Action, plan.files = Removed, []change{main}
	for name, content := range p.agent.extra {
		path := filepath.Join(filepath.Dir(p.Path), filepath.FromSlash(name))
		if there, err := read(path); err == nil && string(there) == content && main.after == nil {
			plan.files = append(plan.files, change{path, there, nil})
		}
	}
	return plan, nil
}

func (p Plan) nothing() bool {
	for _, c := range p.files {
		if !c.nothing() {
			return false
		}
	}
	return true
}

// Diff is the plan as a unified diff; "" when it changes nothing.
func (p Plan) Diff() string {
	var out string
	for _, c := range p.files {
		out += unified(c.path, c.before, c.after)
	}
	return out
}

// Apply makes the change.
func (p Plan) Apply() error {
	if p.nothing() {
		return nil
	}
	if p.Action == Removed {
		return p.remove()
	}
	n, err := p.keep()
	if err != nil {
		return err
	}
	for _, c := range p.files {
		made, err := makeFolder(filepath.Dir(c.path))
		if err != nil {
			return fmt.Errorf("%s: %w", c.path, err)
		}
		if n.Made == "" || made != "" && len(made) < len(n.Made) {
			n.Made = made
		}
		if err := replace(c.path, c.after); err != nil {
			return err
		}
	}
	return p.Place.note(n)
}

func (p Plan) remove() error {
	made := p.Place.noted().Made
	for _, c := range p.files {
		if c.after != nil {
			if err := replace(c.path, c.after); err != nil {
				return err
			}
			continue
		}
		if err := os.Remove(c.path); err != nil {
			return err
		}
		tidy(filepath.Dir(c.path), made)
	}
	return p.Place.forget()
}

// tidy removes empty folders from dir upwards: those named after us, and those
// within top, which was made for us.
func tidy(dir, top string) {
	for {
		within, err := filepath.Rel(top, dir)
		made := top != "" && err == nil && filepath.IsLocal(within)
		named := filepath.Base(dir) == "mcpproxy" || filepath.Base(filepath.Dir(dir)) == "mcpproxy"
		if !made && !named || os.Remove(dir) != nil { // what is not empty stays
			return
		}
		dir = filepath.Dir(dir)
	}
}

// read is a file's content; nil when there is none.
func read(path string) ([]byte, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if info, lerr := os.Lstat(path); lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
			return nil, fmt.Errorf("%s is a link to a file that is not there; nothing was changed", path)
		}
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w; nothing was changed", err)
	}
	if raw == nil {
		raw = []byte{}
	}
	return raw, nil
}

// makeFolder makes a folder and those above it, and returns the topmost that was
// not there.
func makeFolder(dir string) (made string, err error) {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); err == nil || at == filepath.Dir(at) {
			break
		}
		made = at
	}
	return made, os.MkdirAll(dir, 0o755)
}

// replace writes the settings of an agent, and leaves their mode.
func replace(path string, data []byte) error {
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	return write(path, data, mode)
}

func write(path string, data []byte, mode fs.FileMode) error {
	if err := atomicfile.WriteBytes(path, mode, data); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
