package agent

// Servers says where and how an agent lists its MCP servers.
type Servers struct {
	// Folder is the folder with the user's list, if it is not the agent's Home.
	Folder Folder
	// Files are the files with the lists: within Folder for User and Local, else within
	// the project.
	Files map[Scope]List
	// Variables says how the values of an entry name variables.
	Variables Variables
	// Entry is the form of an entry.
	Entry Entry
	// ByHand is what the user does to enter a program, followed by its command line, for
	// an agent whose file is read and not changed; else "".
	ByHand string
	// Locks says that the agent locks the file of User and Local while it writes it.
	Locks bool
	// Command are the scopes of the files that `PROGRAM mcp add` and `PROGRAM mcp remove`
	// change, for an agent whose program has these commands.
	Command []Scope

	// Next tells the user how to make the agent read its list again.
	Next string
	// FolderHint is what the user has to do besides for a project's servers; "" for
	// nothing.
	FolderHint string
	// ProjectNote stands behind the project's file in the documentation; "" for nothing.
	ProjectNote string
}

// List is one list of servers in a file.
type List struct {
	// Names are the paths that the file may have, the usual one first. The ending says
	// the format: .toml, .yaml, or else JSON with comments.
	Names []string
	// Keys lead to the list, from the outside in. {project} stands for the project's
	// folder.
	Keys []string
}

// Entry is the form of a server's entry.
type Entry struct {
	Program string // the member "type" of a program; "" for an entry without one
	Address string // the member "type" of an address; "" for an entry without one
	URL     string // the member with the address; "" if a file can name programs only
	// AllTools says that the entry has to name the tools that the agent may use.
	AllTools bool
	// Enabled says that the entry has a member "enabled".
	Enabled bool
	// OneList says that the program and its arguments are one list, in the member "command".
	OneList bool
}

// Variables is how an agent's settings name variables.
type Variables string

// The ways to name variables.
const (
	Literal Variables = "none"    // a value is taken as it stands
	Braces  Variables = "braces"  // ${NAME} and ${NAME:-default}
	Dollars Variables = "dollars" // $NAME too
	Editor  Variables = "editor"  // ${env:NAME}, ${input:ID}, ${workspaceFolder}, ${userHome}; ${NAME}
	Curly   Variables = "curly"   // {env:NAME} and {file:PATH}
)

// ServerFolder returns the folder with the user's list of servers.
func (a *Agent) ServerFolder() Folder {
	if a.Servers.Folder != (Folder{}) {
		return a.Servers.Folder
	}
	return a.Home
}

// mcpServers are the keys of most agents' lists.
var mcpServers = []string{"mcpServers"}

// list returns a list in one file under the keys of most agents.
func list(name string) List { return List{Names: []string{name}, Keys: mcpServers} }
