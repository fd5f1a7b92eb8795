package agent

import "slices"

// Agent describes one AI agent.
type Agent struct {
	// Name is the agent's name on command lines: lower case, with dashes.
	Name string
	// Title is the agent's name as its makers write it.
	Title string
	// Aliases are other names for hooks of the same agent, such as that of its SDK.
	Aliases []string

	// Programs are the names of the agent's programs that run in a terminal. Processes that such a program starts do
	// not act for the user.
	Programs []string
	// Editors are the names of the agent's programs that contain terminals for the user.
	Editors []string
	// Signs are folders below the user's home whose existence shows that the agent is installed. If Signs is empty,
	// the folder of the agent's hooks shows it.
	Signs []string
	// Home is the folder of the agent's settings.
	Home Folder
	// Private are further files and folders of the agent, below the user's home, that contain settings, sessions or
	// keys. Home and the folders of Hooks and Servers are private without being listed.
	Private []string

	// Hooks says how hooks are installed; nil if the agent has no hooks that mcpproxy can install.
	Hooks *Hooks
	// NoHooks is the reason why Hooks is nil, as the second half of a sentence.
	NoHooks string
	// Servers says where the agent's MCP servers are listed; nil for an agent that has
	// no such list.
	Servers *Servers
	// NoServers is the reason why Servers is nil, as the second half of a sentence.
	NoServers string
	// Tools are the agent's built-in tools. Only hooks see them.
	Tools Tools
}

// All lists the agents. If several have a server with the same name, the first agent's server is
// imported under that name.
func All() []*Agent {
	return []*Agent{
		&claudeCode,
		&claudeDesktop,
		&codex,
		&geminiCLI,
		&copilot,
		&cursor,
		&vscode,
		&windsurf,
		&opencode,
		&goose,
	}
}

// Named finds an agent by its name.
func Named(name string) (*Agent, bool) {
	return find(func(a *Agent) bool { return a.Name == name })
}

// Hooked finds an agent with hooks by its name or one of its aliases.
func Hooked(name string) (*Agent, bool) {
	return find(func(a *Agent) bool {
		return a.Hooks != nil && (a.Name == name || slices.Contains(a.Aliases, name))
	})
}

func find(f func(*Agent) bool) (*Agent, bool) {
	all := All()
	i := slices.IndexFunc(all, f)
	if i < 0 {
		return nil, false
	}
	return all[i], true
}

// WithHooks returns the agents for which hooks can be installed.
func WithHooks() []*Agent {
	return slices.DeleteFunc(All(), func(a *Agent) bool { return a.Hooks == nil })
}

// WithServers returns the agents whose lists of MCP servers are known.
func WithServers() []*Agent {
	return slices.DeleteFunc(All(), func(a *Agent) bool { return a.Servers == nil })
}

// Names returns the names of the given agents, in order.
func Names(agents []*Agent) []string {
	var names []string
	for _, a := range agents {
		names = append(names, a.Name)
	}
	return names
}

// Programs returns the names of the programs of all agents that run in a terminal. It omits editors, because their
// terminals belong to the user.
func Programs() []string {
	var names []string
	for _, a := range All() {
		names = append(names, a.Programs...)
	}
	return names
}

// Scope says for whom the settings in a file hold.
type Scope string

// The scopes. Not every agent has all three.
const (
	User    Scope = "user"    // every session of the user
	Project Scope = "project" // all sessions in a folder, of every user; the file is meant to be committed
	Local   Scope = "local"   // the user's own sessions in a folder
)

// Scopes lists the scopes, the widest first.
var Scopes = []Scope{User, Project, Local}

// Folder is a folder below the user's home in which an agent keeps files.
type Folder struct {
	Base Base
	Path string // path below Base, with slashes; "." for Base itself
	// Variable is the environment variable that replaces the folder with another one; "" if there is no such variable.
	Variable string
}

// Base is a folder that contains the folders of agents.
type Base string

// The bases.
const (
	Home Base = ""       // the user's home folder
	XDG  Base = "xdg"    // $XDG_CONFIG_HOME, else ~/.config, on every system
	Apps Base = "system" // the system's folder for application settings
)
