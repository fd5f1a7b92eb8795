package agent

// ClaudeDesktop is the name of Claude Desktop.
const ClaudeDesktop = "claude-desktop"

var claudeDesktop = Agent{
	Name:    ClaudeDesktop,
	Title:   "Claude Desktop",
	Home:    Folder{Base: Apps, Path: "Claude"},
	NoHooks: "it has none",
	Servers: &Servers{
		Files:     map[Scope]List{User: list("claude_desktop_config.json")},
		Variables: Literal,
		Entry:     Entry{},
		Next:      "Quit Claude Desktop and start it again.",
	},
}
