package agent

import "slices"

// Hooks says how hooks are installed into an agent's settings.
type Hooks struct {
	// Folder is the folder with the user's hooks, if it is not the agent's Home.
	Folder Folder
	// Files are the files with the hooks: within Folder for User, else within the
	// project. A file whose path has "mcpproxy" in it belongs to mcpproxy.
	Files map[Scope]string
	// Format says how the files are written.
	Format HookFormat
	// Matcher is the pattern that matches every tool in Nested; "" if a missing matcher does.
	Matcher string
	// Milliseconds says that the agent counts timeouts in milliseconds, not seconds.
	Milliseconds bool
	// Events are the events that the hook is installed for. A Plugin names its events
	// itself.
	Events []Event
	// Extra are further files that the agent needs besides the file with the hooks: their content,
	// by their path relative to that file's folder.
	Extra map[string]string
	// Caller is the name of the agent for which the hook runs, if several agents run the
	// same file; "" for this one.
	Caller string
	// Switches are files beside those with the hooks that can switch them off, or load
	// what does: within Folder for User, else within the project. The last element may be
	// a pattern.
	Switches map[Scope][]string

	// Hint is what the user has to do after installing; "" for nothing.
	Hint string
	// FolderHint is what the user has to do besides for a project's hooks; "" for nothing.
	FolderHint string

	// Asks says what happens to a call that the user is to be asked about, for the
	// documentation. It begins with "denied" for agents that cannot ask.
	Asks string
	// Notes are what users of the hook should know, for the documentation. Each is
	// Markdown, one sentence or more.
	Notes []string
}

// HookFormat says how a file of settings lists hooks.
type HookFormat string

// The formats.
const (
	// Nested is the format of Claude Code: an event is a list of groups, a group a matcher
	// and a list of hooks.
	Nested HookFormat = "nested"
	// Flat is the format of Cursor: an event is a list of commands.
	Flat HookFormat = "flat"
	// FlatTyped is the format of Copilot CLI: an event is a list of hooks with a type.
	FlatTyped HookFormat = "flat typed"
	// Plugin is a file of JavaScript that calls the command.
	Plugin HookFormat = "plugin"
)

// HookFormats lists the formats.
var HookFormats = []HookFormat{Nested, Flat, FlatTyped, Plugin}

// Event is an event that a hook is installed for.
type Event struct {
	Name  string
	Tools bool // it is about a tool, and takes a matcher
	Async bool // the agent goes on without waiting for the hook
	// Limit is the longest timeout that the agent allows, in the agent's unit; 0 for any.
	Limit int
}

// HookFolder returns the folder with the user's hooks.
func (a *Agent) HookFolder() Folder {
	if a.Hooks.Folder != (Folder{}) {
		return a.Hooks.Folder
	}
	return a.Home
}

// HookName returns the agent's name as the installed command gives it.
func (a *Agent) HookName() string {
	if a.Hooks.Caller != "" {
		return a.Hooks.Caller
	}
	return a.Name
}

// SharesHooks returns the name of another agent that runs the same files of hooks; "" for none.
func (a *Agent) SharesHooks() string {
	all := WithHooks()
	i := slices.IndexFunc(all, func(b *Agent) bool { return b.Name != a.Name && b.HookName() == a.HookName() })
	if i < 0 {
		return ""
	}
	return all[i].Name
}
