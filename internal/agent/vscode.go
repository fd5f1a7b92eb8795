package agent

// VSCode is the name of the agent of Visual Studio Code.
const VSCode = "vscode"

var vscode = Agent{
	Name:    VSCode,
	Title:   "VS Code",
	Editors: []string{"code", "code-insiders"},
	Signs:   []string{".vscode", ".config/Code", "Library/Application Support/Code"},
	Home:    Folder{Base: Apps, Path: "Code/User"},
	Private: []string{".vscode"},
	Hooks: &Hooks{
		Folder: copilotHome,
		Files:  copilotHookFiles,
		Format: FlatTyped,
		Events: copilotEvents,
		Caller: Copilot,
		Switches: map[Scope][]string{
			User:    {"hooks/*"},
			Project: {".github/hooks/*"},
		},
		Asks: "you are asked",
	},
	Servers: &Servers{
		Files: map[Scope]List{
			User:    {Names: []string{"mcp.json"}, Keys: []string{"servers"}},
			Project: {Names: []string{".vscode/mcp.json"}, Keys: []string{"servers"}},
		},
		Variables: Editor,
		Entry:     Entry{Program: "stdio", Address: "http", URL: "url"},
		Next:      "Start the server with the command `MCP: List Servers` of VS Code.",
	},
	Tools: Tools{
		Reads: []string{
			"read_file", "list_dir", "file_search", "find_files", "grep_search", "find_text_in_files",
			"semantic_search", "list_code_usages", "usages", "get_errors", "problems", "get_changed_files",
			"read_notebook_cell_output", "get_notebook_summary", "copilot_getNotebookSummary",
			"get_terminal_output", "terminal_last_command", "terminal_selection", "get_vscode_api",
			"get_project_setup_info", "test_failure", "test_search",
		},
		Writes: []string{
			"create_file", "create_directory", "edit_files", "insert_edit_into_file", "replace_string_in_file",
			"multi_replace_string_in_file", "apply_patch", "edit_notebook_file", "edit_jupyter_notebook",
			"create_new_jupyter_notebook", "new_jupyter_notebook", "manage_todo_list", "todos", "memory",
			"ask_questions", "create_and_run_task", "kill_terminal",
		},
		Works: []string{"run_subagent"},
		Runs: []string{
			"run_in_terminal", "run_commands", "run_task", "run_vscode_command", "run_notebook_cell",
		},
		Fetches: []string{"fetch", "fetch_webpage", "open_simple_browser", "github_repo"},
	},
}
