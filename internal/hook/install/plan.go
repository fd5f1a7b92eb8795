package install

import (
	"path/filepath"

	"mcpproxy/internal/settings"
)

// Action is what a plan does to its file.
type Action string

// The actions.
const (
	Installed    Action = "installed"
	Updated      Action = "updated"
	Unchanged    Action = "unchanged"
	Removed      Action = "removed"
	NotInstalled Action = "not installed" // no hook to remove
)

// Plan is a change of a place's files that has not been made yet.
type Plan struct {
	Place  Place
	Action Action
	Hint   string // what else the user has to do; "" if nothing

	files []settings.Change
	again func() (Plan, error) // computes the plan again
}

// Install returns the plan that adds the hook. The error names the file and the line that prevents
// it.
func (p Place) Install(c Command) (Plan, error) {
	if err := p.editor().Check(); err != nil {
		return Plan{}, err
	}
	raw, err := settings.Read(p.Path)
	if err != nil {
		return Plan{}, err
	}
	after, err := p.format().install(p, raw, c)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{
		Place:  p,
		Action: Installed,
		Hint:   p.hint(),
		files:  []settings.Change{{Path: p.Path, Before: raw, After: after}},
		again:  func() (Plan, error) { return p.Install(c) },
	}
	if raw != nil {
		if have, err := p.format().commands(p, raw); err == nil && len(have) > 0 {
			plan.Action = Updated
		}
	}
	for name, content := range p.agent.Hooks.Extra {
		path := filepath.Join(filepath.Dir(p.Path), filepath.FromSlash(name))
		there, err := settings.Read(path)
		if err != nil {
			return Plan{}, err
		}
		if there == nil {
			plan.files = append(plan.files, settings.Change{Path: path, After: []byte(content)})
		}
	}
	if plan.nothing() {
		plan.Action, plan.Hint = Unchanged, ""
	}
	return plan, nil
}

// Uninstall returns the plan that removes the hook.
func (p Place) Uninstall() (Plan, error) {
	plan := Plan{Place: p, Action: NotInstalled, again: p.Uninstall}
	raw, err := settings.Read(p.Path)
	if err != nil || raw == nil {
		return plan, err
	}
	after, err := p.format().uninstall(p, raw)
	if err != nil {
		return Plan{}, err
	}
	main := settings.Change{Path: p.Path, Before: raw, After: after}
	if main.Nothing() {
		return plan, nil
	}
	if err := p.editor().Check(); err != nil {
		return plan, err
	}
	if kept, ok := p.editor().Kept(raw); ok {
		main.After = kept
	}
	plan.Action, plan.files = Removed, []settings.Change{main}
	for name, content := range p.agent.Hooks.Extra {
		path := filepath.Join(filepath.Dir(p.Path), filepath.FromSlash(name))
		if there, err := settings.Read(path); err == nil && string(there) == content && main.After == nil {
			plan.files = append(plan.files, settings.Change{Path: path, Before: there})
		}
	}
	return plan, nil
}

func (p Plan) nothing() bool {
	for _, c := range p.files {
		if !c.Nothing() {
			return false
		}
	}
	return true
}

// Diff returns the plan as a unified diff, or "" if it changes nothing.
func (p Plan) Diff() string {
	var out string
	for _, c := range p.files {
		out += c.Diff()
	}
	return out
}

// Apply makes the change. It keeps changes that other programs made to the files meanwhile.
func (p Plan) Apply() error { return settings.Make(p, Plan.apply, p.again) }

func (p Plan) apply() error {
	switch {
	case p.nothing():
		return nil
	case p.Action == Removed:
		return p.Place.editor().TakeBack(p.files...)
	}
	return p.Place.editor().Enter(p.files...)
}

// editor makes changes of the place and keeps backups.
func (p Place) editor() settings.Editor {
	k := settings.Editor{Path: p.Path, Folder: p.env.Backups,
		Without: func(raw []byte) ([]byte, error) { return p.format().uninstall(p, raw) }}
	if p.Scope != User {
		k.Within = p.env.Project
	}
	return k
}

// Backup returns the folder with the backups.
func (p Place) Backup() string { return p.editor().Backup() }
