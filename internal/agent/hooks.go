package agent

import "slices"

// Hooks says how hooks are installed into an agent's settings.
type Hooks struct {
	// Folder is the folder with the user's hooks, if it is not the agent's Home.
	Folder Folder
	// Files are the files with the hooks. For the scope User their paths are relative to Folder, for the other scopes
	// to the project. A file whose path contains "mcpproxy" belongs to mcpproxy.
	Files map[Scope]string
	// Format says how the files are written.
	Format HookFormat
	// Matcher is the pattern that matches every tool in the format Nested; "" if a missing matcher does.
	Matcher string
	// Milliseconds says that the agent counts timeouts in milliseconds, not seconds.
	Milliseconds bool
	// Events are the events for which the hook is installed; nil for the format [Plugin], whose file names the
	// events.
	Events []Event
	// Extra are further files that the agent needs. The keys are paths relative to the folder of the file with the
	// hooks, and the values are contents.
	Extra map[string]string
	// Caller is the name of the agent that the installed command names, if several agents run the same file; "" for
	// this agent.
	Caller string
	// Switches are files that can disable the hooks, or load something that does. For the scope User their paths are
	// relative to Folder, for the other scopes to the project. The last element may be a pattern.
	Switches map[Scope][]string

	// Hint says what the user has to do after the installation; "" for nothing.
	Hint string
	// FolderHint says what else the user has to do for a project's hooks; "" for nothing.
	FolderHint string

	// Asks says, for the documentation, what happens to a call about which the user should be asked. It begins with
	// "denied" for agents that cannot ask.
	Asks string
	// Notes tell users of the hook what they should know, for the documentation. Each is Markdown, one sentence or
	// more.
	Notes []string
}

// HookFormat says how a settings file lists hooks.
type HookFormat string

// The formats.
const (
	// Nested is the format of Claude Code: an event is a list of groups. A group has a matcher and a list of hooks.
	Nested HookFormat = "nested"
	// Flat is the format of Cursor: an event is a list of commands.
	Flat HookFormat = "flat"
	// FlatTyped is the format of Copilot CLI: an event is a list of hooks with a type.
	FlatTyped HookFormat = "flat typed"
	// Plugin is a JavaScript file that calls the command.
	Plugin HookFormat = "plugin"
)

// HookFormats lists the formats.
var HookFormats = []HookFormat{Nested, Flat, FlatTyped, Plugin}

// Event is an event for which a hook is installed.
type Event struct {
	Name  string
	Tools bool // the event is about a tool, and its hook has a matcher
	Async bool // the agent does not wait for the hook
	// Limit is the longest timeout that the agent allows, in the agent's unit; 0 means no limit.
	Limit int
}

// HookFolder returns the folder with the user's hooks.
func (a *Agent) HookFolder() Folder {
	if a.Hooks.Folder != (Folder{}) {
		return a.Hooks.Folder
	}
	return a.Home
}

// HookName returns the agent's name in the installed command.
func (a *Agent) HookName() string {
	if a.Hooks.Caller != "" {
		return a.Hooks.Caller
	}
	return a.Name
}

// SharesHooks returns the name of another agent that runs the same hook files; "" if there is no such agent.
func (a *Agent) SharesHooks() string {
	all := WithHooks()
	i := slices.IndexFunc(all, func(b *Agent) bool { return b.Name != a.Name && b.HookName() == a.HookName() })
	if i < 0 {
		return ""
	}
	return all[i].Name
}
