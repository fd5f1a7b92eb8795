package agent

// ClaudeCode is the name of Claude Code.
const ClaudeCode = "claude-code"

// claudeVariable is the environment variable that moves the files of Claude Code.
const claudeVariable = "CLAUDE_CONFIG_DIR"

// claudeCode is Claude Code and the Claude Agent SDK.
var claudeCode = Agent{
	Name:     ClaudeCode,
	Title:    "Claude Code",
	Aliases:  []string{"claude-agent-sdk"}, // the same settings, the same payloads
	Programs: []string{"claude"},
	Home:     Folder{Path: ".claude", Variable: claudeVariable},
	Private:  []string{".config/claude"},
	Hooks: &Hooks{
		Files: map[Scope]string{
			User:    "settings.json",
			Project: ".claude/settings.json",
			Local:   ".claude/settings.local.json",
		},
		Format:  Nested,
		Matcher: "*",
		Events: []Event{
			{Name: "PreToolUse", Tools: true},
			{Name: "PostToolUse", Tools: true, Async: true},
			{Name: "PostToolUseFailure", Tools: true, Async: true},
			{Name: "UserPromptSubmit"},
			{Name: "SessionStart"},
			{Name: "SessionEnd"},
		},
		Asks: "you are asked; without a terminal it is denied",
	},
	Servers: &Servers{
		// The state file is next to the settings folder, unless the variable moves it.
		Folder: Folder{Path: ".", Variable: claudeVariable},
		Files: map[Scope]List{
			User:    list(".claude.json"),
			Project: list(".mcp.json"),
			Local:   {Names: []string{".claude.json"}, Keys: []string{"projects", "{project}", "mcpServers"}},
		},
		Variables:   Braces,
		Entry:       Entry{Program: "stdio", Address: "http", URL: "url"},
		Locks:       true,
		Command:     []Scope{User, Project},
		Next:        "Start a new session of Claude Code.",
		FolderHint:  "Claude Code asks each user once whether it may use the servers of .mcp.json.",
		ProjectNote: "; each user is asked once whether it may be used",
	},
	Tools: Tools{
		Reads: []string{
			"Read", "LS", "Glob", "Grep", "LSP", "NotebookRead", "BashOutput", "TodoRead", "TaskGet", "TaskList",
			"TaskOutput", "ToolSearch", "ListMcpResources", "ListMcpResourcesTool", "getDiagnostics",
		},
		Writes: []string{
			"Write", "Edit", "MultiEdit", "NotebookEdit", "TodoWrite", "TaskCreate", "TaskUpdate", "TaskStop",
			"KillBash", "KillShell", "EnterPlanMode", "ExitPlanMode", "EnterWorktree", "ExitWorktree",
			"AskUserQuestion", "CronCreate", "CronDelete", "CronList", "ScheduleWakeup",
		},
		Works: []string{
			"Task", "Agent", "SendMessage", "TeamCreate", "TeamDelete", "Skill", "SlashCommand", "ReadMcpResource",
			"ReadMcpResourceTool",
		},
		Runs:    []string{"Bash", "BashTool", "PowerShell", "Monitor", "REPL"},
		Fetches: []string{"WebFetch", "WebSearch"},
		Sends:   []string{"PushNotification"},
	},
}
