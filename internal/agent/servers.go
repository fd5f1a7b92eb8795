package agent

// Servers says where and how an agent lists its MCP servers.
type Servers struct {
	// Folder is the folder with the user's list, if it is not the agent's Home.
	Folder Folder
	// Files are the files with the lists. For the scopes User and Local their paths are relative to Folder, for
	// Project to the project.
	Files map[Scope]List
	// Variables says how the agent's settings refer to variables.
	Variables Variables
	// Entry is the form of an entry.
	Entry Entry
	// ByHand tells the user how to add a program. Messages print the command line of the program after it. It is set
	// for an agent whose file mcpproxy reads but does not change, and "" for others.
	ByHand string
	// Locks says that the agent locks the file of the scopes User and Local while it writes it.
	Locks bool
	// Command are the scopes whose files `PROGRAM mcp add` and `PROGRAM mcp remove` change. It is empty if the agent's
	// program lacks these commands.
	Command []Scope

	// Next tells the user how to make the agent read its list again.
	Next string
	// FolderHint says what else the user has to do for a project's servers; "" for nothing.
	FolderHint string
	// ProjectNote follows the name of the project's file in the documentation; "" for nothing.
	ProjectNote string
}

// List is a list of servers in a file.
type List struct {
	// Names are the paths that the file may have, the usual one first. The extension determines the format: .toml,
	// .yaml, or otherwise JSON with comments.
	Names []string
	// Keys are the names of the members that lead to the list, the outermost first. {project} stands for the project's
	// folder.
	Keys []string
}

// Entry is the form of a server's entry.
type Entry struct {
	Program string // the value of "type" for a program; "" if the entry has no type
	Address string // the value of "type" for an address; "" if the entry has no type
	URL     string // the name of the member with the address; "" if the file can only contain programs
	// AllTools says that the entry must name the tools that the agent may use.
	AllTools bool
	// Enabled says that the entry has a member "enabled".
	Enabled bool
	// OneList says that the member "command" contains the program and its arguments as one list.
	OneList bool
}

// Variables says how an agent's settings refer to variables.
type Variables string

// The ways to refer to variables.
const (
	Literal Variables = "none"    // variables are not replaced
	Braces  Variables = "braces"  // ${NAME} and ${NAME:-default}
	Dollars Variables = "dollars" // $NAME as well
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

// mcpServers are the keys that most agents use.
var mcpServers = []string{"mcpServers"}

// list returns a list in one file, under the keys that most agents use.
func list(name string) List { return List{Names: []string{name}, Keys: mcpServers} }
