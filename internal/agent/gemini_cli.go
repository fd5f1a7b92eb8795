package agent

// GeminiCLI is the name of Gemini CLI.
const GeminiCLI = "gemini-cli"

var geminiCLI = Agent{
	Name:     GeminiCLI,
	Title:    "Gemini CLI",
	Programs: []string{"gemini"},
	Home:     Folder{Path: ".gemini"},
	Hooks: &Hooks{
		Files: map[Scope]string{
			User:    "settings.json",
			Project: ".gemini/settings.json",
		},
		Format:       Nested,
		Matcher:      "*",
		Milliseconds: true,
		Events: []Event{
			{Name: "BeforeTool", Tools: true},
			{Name: "AfterTool", Tools: true},
			{Name: "BeforeAgent"},
			{Name: "SessionStart"},
			{Name: "SessionEnd"},
		},
		FolderHint: "Gemini CLI runs a project's hooks only in folders that you trust: start gemini there and say so.",
		Asks:       "denied",
	},
	Servers: &Servers{
		Files: map[Scope]List{
			User:    list("settings.json"),
			Project: list(".gemini/settings.json"),
		},
		Variables: Dollars,
		// In Gemini's settings, the member "url" is an address of the older SSE transport.
		Entry:       Entry{URL: "httpUrl"},
		Command:     []Scope{User, Project},
		Next:        "Start a new session of Gemini CLI.",
		FolderHint:  "Gemini CLI reads a project's settings only in folders that you trust: start gemini there and say so.",
		ProjectNote: ", in folders that you trust",
	},
	Tools: Tools{
		Reads: []string{
			"read_file", "read_many_files", "list_directory", "glob", "grep_search", "search_file_content",
			"get_internal_docs",
		},
		Writes: []string{
			"write_file", "replace", "write_todos", "save_memory", "ask_user", "enter_plan_mode", "exit_plan_mode",
		},
		Works:   []string{"delegate_to_agent", "activate_skill"},
		Runs:    []string{"run_shell_command"},
		Fetches: []string{"web_fetch", "google_web_search"},
	},
}
