package agent

// Cursor is the name of Cursor: the editor and its terminal program.
const Cursor = "cursor"

var cursor = Agent{
	Name:     Cursor,
	Title:    "Cursor",
	Programs: []string{"cursor-agent"},
	Editors:  []string{"cursor"},
	Home:     Folder{Path: ".cursor"},
	Private:  []string{".config/Cursor/User"},
	Hooks: &Hooks{
		Files: map[Scope]string{
			User:    "hooks.json",
			Project: ".cursor/hooks.json",
		},
		Format: Flat,
		Events: []Event{
			{Name: "preToolUse"},
			{Name: "postToolUse"},
			{Name: "postToolUseFailure"},
			{Name: "beforeSubmitPrompt"},
			{Name: "sessionStart"},
			{Name: "sessionEnd"},
		},
		Asks: "denied",
		Notes: []string{
			"**Cursor** does not name the MCP server of a tool; its tools count as those of a server `mcp`.",
		},
	},
	Servers: &Servers{
		Files: map[Scope]List{
			User:    list("mcp.json"),
			Project: list(".cursor/mcp.json"),
		},
		Variables: Editor,
		Entry:     Entry{URL: "url"},
		Next:      "Restart Cursor.",
	},
	Tools: Tools{
		Reads: []string{
			"Read", "read_file", "list_dir", "Glob", "Grep", "grep_search", "file_search", "codebase_search",
			"SemanticSearch", "read_lints", "fetch_rules",
		},
		Writes: []string{
			"Write", "StrReplace", "search_replace", "edit_file", "edit_notebook", "Delete", "delete_file",
			"todo_write", "switch_mode", "ask_question", "update_todos",
		},
		Works:   []string{"Task"},
		Runs:    []string{"Shell", "run_terminal_cmd", "run_terminal_command"},
		Fetches: []string{"web_search", "WebFetch"},
	},
}
