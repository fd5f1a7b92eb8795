package agent

// Windsurf is the name of Windsurf.
const Windsurf = "windsurf"

var windsurf = Agent{
	Name:    Windsurf,
	Title:   "Windsurf",
	Home:    Folder{Path: ".codeium/windsurf"},
	Private: []string{".codeium"},
	NoHooks: "mcpproxy does not know the form of its hooks",
	Servers: &Servers{
		Files:     map[Scope]List{User: list("mcp_config.json")},
		Variables: Editor,
		Entry:     Entry{URL: "serverUrl"},
		Next:      "Refresh the list of MCP servers in Windsurf.",
	},
}
