package agent

// Codex is the name of Codex CLI.
const Codex = "codex"

var codex = Agent{
	Name:     Codex,
	Title:    "Codex",
	Programs: []string{"codex"},
	Home:     Folder{Path: ".codex", Variable: "CODEX_HOME"},
	Hooks: &Hooks{
		Files: map[Scope]string{
			User:    "hooks.json",
			Project: ".codex/hooks.json",
		},
		Format:  Nested,
		Matcher: "*",
		Events: []Event{
			{Name: "PreToolUse", Tools: true},
			{Name: "PostToolUse", Tools: true},
			{Name: "UserPromptSubmit"},
			{Name: "SessionStart"},
			{Name: "SessionEnd", Limit: 3},
		},
		Switches: map[Scope][]string{
			User:    {"config.toml"},
			Project: {".codex/config.toml"},
		},
		Hint: "Codex runs a hook only after you have trusted it: start codex and enter /hooks.",
		FolderHint: "It runs a project's hooks only in folders that you trust: start codex there and say so, " +
			"or run `codex exec --trust`.",
		Asks: "denied: Codex would run it",
		Notes: []string{
			"**Codex** runs a hook only after you have trusted it, and skips it silently until then: enter `/hooks` in Codex. " +
				"`hook status` shows whether you have. After an update that changes the hook's command, you have to trust the hook " +
				"again. Codex tells its hooks when a command starts. It does not tell them what it types into a running command, " +
				"what that command answers, or that a call of an MCP server's tool failed. So keep Codex's own sandbox on, which " +
				"keeps commands off the network: the hook does not see what Codex types into an open `nc` or `bash`.",
		},
	},
	Servers: &Servers{
		Files: map[Scope]List{
			User:    {Names: []string{"config.toml"}, Keys: []string{"mcp_servers"}},
			Project: {Names: []string{".codex/config.toml"}, Keys: []string{"mcp_servers"}},
		},
		Variables:   Literal,
		Entry:       Entry{URL: "url"},
		Command:     []Scope{User},
		Next:        "Start a new session of Codex.",
		FolderHint:  "Codex reads a project's settings only in folders that you trust: start codex there and say so.",
		ProjectNote: ", in folders that you trust",
	},
	Tools: Tools{
		Reads: []string{
			"read_file", "list_dir", "grep_files", "view_image", "list_mcp_resources", "list_mcp_resource_templates",
		},
		Writes: []string{"apply_patch", "update_plan", "request_user_input", "wait"},
		Works: []string{
			"spawn_agent", "send_input", "close_agent", "resume_agent", "wait_agent", "read_mcp_resource",
		},
		Runs: []string{
			"Bash", "shell", "local_shell", "local_shell_call", "shell_command", "exec_command", "exec", "unified_exec",
			"write_stdin",
		},
		Fetches: []string{"web_search"},
	},
}
