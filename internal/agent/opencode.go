package agent

// OpenCode is the name of opencode.
const OpenCode = "opencode"

var opencode = Agent{
	Name:     OpenCode,
	Title:    "opencode",
	Programs: []string{"opencode"},
	Home:     Folder{Base: XDG, Path: "opencode"},
	Hooks: &Hooks{
		Folder: Folder{Path: ".config/opencode"},
		Files: map[Scope]string{
			User:    "plugins/mcpproxy.js",
			Project: ".opencode/plugins/mcpproxy.js",
		},
		Format: Plugin,
		Switches: map[Scope][]string{
			User:    {"plugins/*"},
			Project: {".opencode/plugins/*"},
		},
		Asks: "denied",
	},
	Servers: &Servers{
		Files: map[Scope]List{
			User:    openCodeList,
			Project: openCodeList,
		},
		Variables: Curly,
		Entry: Entry{
			Program: "local",
			Address: "remote",
			URL:     "url",
			Enabled: true,
			OneList: true,
		},
		Next: "Start a new session of opencode.",
	},
	Tools: Tools{
		Reads:   []string{"read", "list", "glob", "grep", "lsp", "lsp_diagnostics", "lsp_hover", "todoread"},
		Writes:  []string{"write", "edit", "multiedit", "patch", "apply_patch", "todowrite", "question"},
		Works:   []string{"task", "skill", "batch"},
		Runs:    []string{"bash"},
		Fetches: []string{"webfetch", "websearch", "codesearch"},
	},
}

// openCodeList is the list of servers, in the user's folder and in the project's.
var openCodeList = List{
	Names: []string{"opencode.json", "opencode.jsonc"},
	Keys:  []string{"mcp"},
}
