package agent

// Copilot is the name of GitHub's Copilot CLI.
const Copilot = "copilot"

var copilot = Agent{
	Name:     Copilot,
	Title:    "Copilot CLI",
	Programs: []string{"copilot"},
	Home:     copilotHome,
	Private:  []string{".config/github-copilot"},
	Hooks: &Hooks{
		Files:  copilotHookFiles,
		Format: FlatTyped,
		Events: copilotEvents,
		Switches: map[Scope][]string{
			User:    {"config.json", "settings.json", "hooks/*"},
			Project: {".github/hooks/*", ".github/copilot/settings.json", ".github/copilot/settings.local.json"},
		},
		FolderHint: "Copilot CLI runs a project's hooks only in folders that you trust: start copilot there and say so, " +
			"or run it with --trust-folder.",
		Asks: "you are asked; without a terminal it is denied",
		Notes: []string{
			"**VS Code and Copilot CLI** read the hooks in a project's `.claude` folder too. With both installed a call is " +
				"judged twice, with the same result.",
		},
	},
	Servers: &Servers{
		Files: map[Scope]List{
			User:    list("mcp-config.json"),
			Project: list(".github/mcp.json"),
		},
		Variables: Braces,
		Entry: Entry{
			Program:  "local",
			Address:  "http",
			URL:      "url",
			AllTools: true,
		},
		Command:     []Scope{User},
		Next:        "Start a new session of Copilot CLI.",
		FolderHint:  "Copilot CLI reads a project's servers only in folders that you trust: start copilot there and say so.",
		ProjectNote: ", in folders that you trust",
	},
	Tools: Tools{
		Reads: []string{
			"view", "glob", "grep", "rg", "read_bash", "list_bash", "read_powershell", "list_powershell",
			"fetch_copilot_cli_documentation",
		},
		Writes: []string{
			"create", "edit", "str_replace_editor", "apply_patch", "stop_bash", "stop_powershell", "store_memory",
			"report_intent", "ask_user", "update_todo", "exit_plan_mode",
		},
		Works:   []string{"task", "skill", "sql"},
		Runs:    []string{"bash", "write_bash", "powershell", "write_powershell"},
		Fetches: []string{"web_fetch", "web_search"},
	},
}

// copilotHome is the folder from which Copilot CLI and VS Code read hooks.
var copilotHome = Folder{Path: ".copilot", Variable: "COPILOT_HOME"}

// copilotHookFiles are the files that both Copilot CLI and VS Code read hooks from.
var copilotHookFiles = map[Scope]string{
	User:    "hooks/mcpproxy.json",
	Project: ".github/hooks/mcpproxy.json",
}

// copilotEvents are the events in the files that Copilot CLI and VS Code share.
var copilotEvents = []Event{
	{Name: "preToolUse"},
	{Name: "postToolUse"},
	{Name: "postToolUseFailure"},
	{Name: "userPromptSubmitted"},
	{Name: "sessionStart"},
	{Name: "sessionEnd"},
}
