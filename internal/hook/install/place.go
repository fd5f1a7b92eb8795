package install

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"mcpproxy/internal/agent"
	"mcpproxy/internal/settings"
)

// Scope says whose settings a file contains.
type Scope = settings.Scope

// The scopes. Not every agent has all three.
const (
	User    = settings.User
	Project = settings.Project
	Local   = settings.Local
)

// Scopes lists the scopes, the widest first.
var Scopes = settings.Scopes

// Env holds the folders and variables of the user's environment.
type Env = settings.Env

// Place is one settings file of one agent.
type Place struct {
	Agent string
	Scope Scope
	Path  string

	agent *agent.Agent
	env   Env
}

// Agents returns the names of the agents that hooks can be installed for.
func Agents() []string { return agent.Names(agent.WithHooks()) }

// At returns the place of an agent's settings. If there is no such place, the error lists those
// that exist.
func At(env Env, name string, scope Scope) (Place, error) {
	a, ok := agent.Hooked(name)
	if !ok {
		return Place{}, fmt.Errorf("there is no agent %q; there are %s", name, strings.Join(Agents(), ", "))
	}
	file, ok := a.Hooks.Files[scope]
	if !ok {
		var have []string
		for _, s := range Scopes {
			if _, ok := a.Hooks.Files[s]; ok {
				have = append(have, string(s))
			}
		}
		return Place{}, fmt.Errorf("%s has no settings of scope %q; it has %s", a.Name, scope, strings.Join(have, ", "))
	}
	base := env.Project
	if scope == User {
		base = env.Folder(a.HookFolder())
	}
	return Place{
		Agent: a.Name,
		Scope: scope,
		Path:  filepath.Join(base, filepath.FromSlash(file)),
		agent: a,
		env:   env,
	}, nil
}

// own reports whether only mcpproxy writes the file.
func (p Place) own() bool {
	return strings.Contains(filepath.ToSlash(p.agent.Hooks.Files[p.Scope]), "mcpproxy")
}

// folder returns the agent's own settings folder.
func (p Place) folder() string { return p.env.Folder(p.agent.HookFolder()) }

// Present reports whether an agent is installed on this machine: its folder or its program exists.
func Present(env Env, name string) bool {
	a, ok := agent.Named(name)
	if !ok || a.Hooks == nil {
		return false
	}
	folders := []string{env.Folder(a.HookFolder())}
	if len(a.Signs) > 0 {
		folders = nil
		for _, f := range a.Signs {
			folders = append(folders, filepath.Join(env.Home, filepath.FromSlash(f)))
		}
	}
	for _, f := range folders {
		if info, err := os.Stat(f); err == nil && info.IsDir() {
			return true
		}
	}
	for _, program := range slices.Concat(a.Programs, a.Editors) {
		if _, err := exec.LookPath(program); err == nil {
			return true
		}
	}
	return false
}
