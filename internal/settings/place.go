package settings

import (
	"path/filepath"
	"runtime"

	"mcpproxy/internal/agent"
)

// Scope says for whom the settings in a file hold: a user, a project or both.
type Scope = agent.Scope

// The scopes. Not every agent has all three.
const (
	User    = agent.User
	Project = agent.Project
	Local   = agent.Local
)

// Scopes lists the scopes, the widest first.
var Scopes = agent.Scopes

// Env has the folders in which settings are.
type Env struct {
	Home    string // the user's folder
	Project string // the project's folder, absolute
	Backups string // the folder for copies of changed files
	Getenv  func(string) string
}

// Folder returns the path of a folder of an agent.
func (e Env) Folder(f agent.Folder) string {
	if f.Variable != "" {
		if moved := e.Getenv(f.Variable); moved != "" {
			return moved
		}
	}
	return filepath.Join(e.base(f.Base), filepath.FromSlash(f.Path))
}

// base returns the path of a folder that contains the folders of agents.
func (e Env) base(b agent.Base) string {
	if b == agent.Home {
		return e.Home
	}
	if b == agent.Apps && runtime.GOOS == "darwin" {
		return filepath.Join(e.Home, "Library", "Application Support")
	}
	if b == agent.Apps && runtime.GOOS == "windows" {
		if data := e.Getenv("APPDATA"); data != "" {
			return data
		}
	}
	if config := e.Getenv("XDG_CONFIG_HOME"); config != "" {
		return config
	}
	return filepath.Join(e.Home, ".config")
}
