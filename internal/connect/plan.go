package connect

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"mcpproxy/internal/settings"
)

// Action is how a plan changes its place.
type Action string

// The actions.
const (
	Connected    Action = "connected"
	Updated      Action = "updated" // it was connected in another way before
	Unchanged    Action = "unchanged"
	Disconnected Action = "disconnected"
	NotConnected Action = "not connected" // there was no entry to remove
)

// Plan is a change of a place. [Plan.Apply] makes it.
type Plan struct {
	Place  Place
	Action Action

	change settings.Change
	secret bool                 // the change adds a token
	again  func() (Plan, error) // makes the plan again
}

// form is a format of an agent's list of servers.
type form interface {
	// enter returns the file with our entry added; raw is nil if there is no file.
	enter(p Place, raw []byte, w Way) ([]byte, error)
	// remove returns the file without our entry. A file without our entry is returned unchanged.
	remove(p Place, raw []byte) ([]byte, error)
	// list returns the servers of the list, in their order.
	list(p Place, raw []byte) ([]named, error)
}

// named is an entry of a list of servers, as JSON.
type named struct {
	name  string
	entry map[string]any
}

// ways are the members of an entry that say how a server is reached.
var ways = []string{"command", "args", "url", "httpUrl", "serverUrl", "type", "headers", "http_headers"}

// says reports whether two entries reach a server in the same way. Other members, such as an
// environment, are ignored, because the user may set them.
func says(have, want map[string]any) bool {
	return !slices.ContainsFunc(ways, func(name string) bool { return !reflect.DeepEqual(have[name], want[name]) })
}

func (p Place) form() form {
	switch filepath.Ext(p.Path) {
	case ".toml":
		return tomlForm{}
	case ".yaml", ".yml":
		return yamlForm{}
	}
	return jsonForm{}
}

// Connect plans to add this proxy. The error names the file and the obstacle.
func (p Place) Connect(w Way) (Plan, error) {
	if err := p.editor().Check(); err != nil {
		return Plan{}, err
	}
	raw, err := settings.Read(p.Path)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{
		Place:  p,
		Action: Connected,
		secret: w.Token != "",
		again:  func() (Plan, error) { return p.Connect(w) },
	}
	have, err := p.own(raw)
	if err != nil {
		return Plan{}, err
	}
	if have != nil {
		plan.Action = Updated
		if !p.leads(raw) {
			return Plan{}, fmt.Errorf(
				"%s: the server %q there is a different program from this one; rename it, then connect",
				p.Path,
				Name,
			)
		}
	}
	after, err := p.form().enter(p, raw, w)
	if err != nil {
		return Plan{}, err
	}
	if plan.change = (settings.Change{Path: p.Path, Before: raw, After: after}); plan.change.Nothing() {
		plan.Action = Unchanged
	}
	return plan, nil
}

// Disconnect plans to remove this proxy; see [Place.Connect].
func (p Place) Disconnect() (Plan, error) {
	plan := Plan{Place: p, Action: NotConnected, again: p.Disconnect}
	raw, err := settings.Read(p.Path)
	if err != nil || raw == nil {
		return plan, err
	}
	if _, err := p.own(raw); err != nil || !p.leads(raw) {
		return plan, err
	}
	if err := p.editor().Check(); err != nil {
		return plan, err
	}
	change := settings.Change{Path: p.Path, Before: raw}
	if kept, ok := p.editor().Kept(raw); ok {
		change.After = kept
	} else if change.After, err = p.form().remove(p, raw); err != nil {
		return plan, err
	}
	plan.Action, plan.change = Disconnected, change
	return plan, nil
}

// Token returns the token in our entry, which the agent sends to the listener's address; "" if
// there is none.
func (p Place) Token() (string, error) {
	raw, err := settings.Read(p.Path)
	if err != nil || raw == nil {
		return "", err
	}
	have, err := p.own(raw)
	if err != nil || have == nil || !p.leads(raw) {
		return "", err
	}
	value := serverOf(p.agent.Servers.Variables, p.env, *have).Headers["Authorization"]
	plain, ok := strings.CutPrefix(value, bearer)
	if !ok {
		return "", nil
	}
	return plain, nil
}

// leads reports whether the entry under our name leads to this proxy, at any port: the listener may
// have had another port when the entry was made.
func (p Place) leads(raw []byte) bool {
	have, err := p.own(raw)
	return err == nil && have != nil && serverOf(p.agent.Servers.Variables, p.env, *have).Leads("")
}

// own returns the entry under our name, or nil.
func (p Place) own(raw []byte) (*named, error) {
	if raw == nil {
		return nil, nil
	}
	all, err := p.form().list(p, raw)
	if err != nil {
		return nil, err
	}
	for _, n := range all {
		if n.name == Name {
			return &n, nil
		}
	}
	return nil, nil
}

// Diff returns the change as a unified diff; "" if nothing changes.
func (p Plan) Diff() string { return p.change.Diff() }

// Apply makes the change. It keeps what other programs write to the file at the same time.
func (p Plan) Apply() error { return settings.Make(p, Plan.apply, p.again) }

func (p Plan) apply() error {
	switch {
	case p.change.Nothing():
		return nil
	case p.Action == Disconnected:
		return p.Place.editor().TakeBack(p.change)
	}
	k := p.Place.editor()
	k.Secret = p.secret
	return k.Enter(p.change)
}

// editor returns the editor that changes the place's file and keeps a copy of it.
func (p Place) editor() settings.Editor {
	k := settings.Editor{
		Path:    p.Path,
		Folder:  p.env.Backups,
		Private: p.Scope != settings.Project,
		Without: func(raw []byte) ([]byte, error) { return p.form().remove(p, raw) },
	}
	if p.Scope == settings.Project {
		k.Within = p.env.Project
	}
	k.Lock = p.agent.Servers.Locks && p.Scope != settings.Project
	if p.Scope == settings.Local {
		k.Part = p.env.Project
	}
	return k
}

// Backup returns the folder in which the content from before the change is kept.
func (p Place) Backup() string { return p.editor().Backup() }

// Servers returns the servers of the place, including this proxy. If the file does not exist, there
// are none.
func (p Place) Servers() ([]Server, error) {
	raw, err := settings.Read(p.Path)
	if err != nil || raw == nil {
		return nil, err
	}
	all, err := p.form().list(p, raw)
	if err != nil {
		return nil, err
	}
	var out []Server
	for _, n := range all {
		s := serverOf(p.agent.Servers.Variables, p.env, n)
		s.Agent = p.Agent
		s.Scope = p.Scope
		s.Path = p.Path
		if (p.Scope == settings.Project || p.Scope == settings.Local) && s.Dir == "" && s.near() {
			s.Dir = p.env.Project // the folder in which the agent starts it
		}
		out = append(out, s)
	}
	return out, nil
}
