package agent

// Goose is the name of Goose.
const Goose = "goose"

var goose = Agent{
	Name:     Goose,
	Title:    "Goose",
	Programs: []string{"goose"},
	Signs:    []string{".config/goose"},
	Home:     Folder{Base: XDG, Path: "goose"},
	Hooks: &Hooks{
		Folder: Folder{Path: ".agents/plugins"},
		Files: map[Scope]string{
			User:    "mcpproxy/hooks/hooks.json",
			Project: ".agents/plugins/mcpproxy/hooks/hooks.json",
		},
		Format: Nested, // its matcher is a regular expression, and "*" is not one
		Events: []Event{
			{Name: "PreToolUse", Tools: true},
			{Name: "PostToolUse", Tools: true},
			{Name: "PostToolUseFailure", Tools: true},
			{Name: "UserPromptSubmit"},
			{Name: "SessionStart"},
			{Name: "SessionEnd"},
		},
		Extra: map[string]string{
			"../plugin.json": `{
  "name": "mcpproxy",
  "version": "1.0.0",
  "description": "Shows mcpproxy what the agent's tools do"
}
`,
		},
		Switches: map[Scope][]string{
			User:    {"mcpproxy/plugin.json"},
			Project: {".agents/plugins/mcpproxy/plugin.json"},
		},
		Asks: "denied",
		Notes: []string{
			"**Goose** does not tell its hooks what a tool answered, so only the call itself is judged, and data it read is " +
				"not recognised later.",
		},
	},
	// Goose lists its servers together with its other extensions.
	Servers: &Servers{
		Files: map[Scope]List{
			User: {Names: []string{"config.yaml"}, Keys: []string{"extensions"}},
		},
		Variables: Literal,
		ByHand:    "run `goose configure`, add a command-line extension, and give it this command:",
	},
	Tools: Tools{
		Reads:      []string{"analyze", "tree", "read_image"},
		Writes:     []string{"text_editor", "write", "edit", "todo_write"},
		Works:      []string{"delegate", "dynamic_task", "load_skill", "subagent"},
		Runs:       []string{"shell", "developer-shell", "automation_script", "computer_control", "execute_code"},
		Fetches:    []string{"web_scrape"},
		Extensions: []string{"developer__", "computercontroller__", "memory__", "todo__", "platform__"},
	},
}
