package install

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"mcpproxy/internal/settings"
)

// Scope says whose settings a place is.
type Scope = settings.Scope

// The scopes. Not every agent has all three.
const (
	User    = settings.User
	Project = settings.Project
	Local   = settings.Local
)

// Scopes lists the scopes, the widest first.
var Scopes = settings.Scopes

// Env is where things are.
type Env = settings.Env

// Place is one file of settings of one agent.
type Place struct {
	Agent string
	Scope Scope
	Path  string

	agent *agent
	env   Env
}

// agent is what is known about an agent's settings.
type agent struct {
	name    string
	home    string            // the folder of its settings, within the user's
	homeVar string            // the environment variable that moves that folder
	files   map[Scope]string  // relative to home for User, else to the project
	format  format            //
	events  []event           //
	extra   map[string]string // files beside the one with the hooks: relative path → content
	bins    []string          // names of its program
	hint    string            // what the user has to do after installing; "" for nothing
	// folderHint is what has to be done besides for a project's hooks.
	folderHint string
	// trust reports whether the agent trusts our hooks in the file, and whether it
	// wants to be asked at all; nil for agents that never do.
	trust func(p Place, hooks []byte) (trusted, asked bool)
}

// seconds is how long an agent is to wait for a hook. It is more than a hook ever
// takes (Longest in the hook's client): an agent that ends a hook before its answer
// goes on as if there were none.
const seconds = 30

// event is one event that is subscribed to.
type event struct {
	name  string
	tools bool // takes a matcher
	async bool
}

// agents are the agents whose settings are known.
var agents = []*agent{
	{
		name: "claude-code", home: ".claude", homeVar: "CLAUDE_CONFIG_DIR", bins: []string{"claude"},
		files:  map[Scope]string{User: "settings.json", Project: ".claude/settings.json", Local: ".claude/settings.local.json"},
		format: nested{matcher: "*", timeout: seconds},
		events: []event{
			{"PreToolUse", true, false}, {"PostToolUse", true, true}, {"PostToolUseFailure", true, true},
			{"UserPromptSubmit", false, false}, {"SessionStart", false, false}, {"SessionEnd", false, false},
		},
	},
	{
		name: "codex", home: ".codex", homeVar: "CODEX_HOME", bins: []string{"codex"},
		files:      map[Scope]string{User: "hooks.json", Project: ".codex/hooks.json"},
		format:     nested{matcher: "*", timeout: seconds, less: map[string]int{"SessionEnd": 3}}, // it allows no more there
		events:     []event{{"PreToolUse", true, false}, {"PostToolUse", true, false}, {"UserPromptSubmit", false, false}, {"SessionStart", false, false}, {"SessionEnd", false, false}},
		hint:       "Codex runs a hook only after you have trusted it: start codex and enter /hooks.",
		folderHint: "It runs a project's hooks only in folders that you trust: start codex there and say so, or run `codex exec --trust`.",
		trust:      codexTrust,
	},
	{
		name: "gemini-cli", home: ".gemini", bins: []string{"gemini"},
		files:      map[Scope]string{User: "settings.json", Project: ".gemini/settings.json"},
		format:     nested{matcher: "*", timeout: 1000 * seconds},
		events:     []event{{"BeforeTool", true, false}, {"AfterTool", true, false}, {"BeforeAgent", false, false}, {"SessionStart", false, false}, {"SessionEnd", false, false}},
		folderHint: "Gemini CLI runs a project's hooks only in folders that you trust: start gemini there and say so.",
		trust:      geminiTrust,
	},
	{
		name: "copilot", home: ".copilot", homeVar: "COPILOT_HOME", bins: []string{"copilot"},
		files: map[Scope]string{User: "hooks/mcpproxy.json", Project: ".github/hooks/mcpproxy.json"}, format: flat{copilot: true}, events: copilotEvents,
		folderHint: "Copilot CLI runs a project's hooks only in folders that you trust: start copilot there and say so, or run it with --trust-folder.",
		trust:      copilotTrust,
	},
	{
		name: "cursor", home: ".cursor", bins: []string{"cursor", "cursor-agent"},
		files:  map[Scope]string{User: "hooks.json", Project: ".cursor/hooks.json"},
		format: flat{},
		events: []event{{name: "preToolUse"}, {name: "postToolUse"}, {name: "postToolUseFailure"}, {name: "beforeSubmitPrompt"}, {name: "sessionStart"}, {name: "sessionEnd"}},
	},
	{
		name: "goose", home: ".agents/plugins", bins: []string{"goose"},
		files:  map[Scope]string{User: "mcpproxy/hooks/hooks.json", Project: ".agents/plugins/mcpproxy/hooks/hooks.json"},
		format: nested{timeout: seconds}, // its matcher is a regular expression, and * is none
		events: []event{{"PreToolUse", true, false}, {"PostToolUse", true, false}, {"PostToolUseFailure", true, false}, {"UserPromptSubmit", false, false}, {"SessionStart", false, false}, {"SessionEnd", false, false}},
		extra:  map[string]string{"../plugin.json": "{\n  \"name\": \"mcpproxy\",\n  \"version\": \"1.0.0\",\n  \"description\": \"Shows mcpproxy what the agent's tools do\"\n}\n"},
	},
	{
		name: "vscode", home: ".copilot", homeVar: "COPILOT_HOME", bins: []string{"code", "code-insiders"},
		files: map[Scope]string{User: "hooks/mcpproxy.json", Project: ".github/hooks/mcpproxy.json"}, format: flat{copilot: true}, events: copilotEvents,
	},
	{
		name: "opencode", home: ".config/opencode", bins: []string{"opencode"},
		files:  map[Scope]string{User: "plugins/mcpproxy.js", Project: ".opencode/plugins/mcpproxy.js"},
		format: plugin{},
	},
}

// copilotEvents are subscribed to by one file for Copilot CLI and VS Code.
var copilotEvents = []event{{name: "preToolUse"}, {name: "postToolUse"}, {name: "postToolUseFailure"}, {name: "userPromptSubmitted"}, {name: "sessionStart"}, {name: "sessionEnd"}}

// signs are the folders that show that an agent is there, where its settings'
// folder does not, or shows another.
var signs = map[string][]string{"goose": {".config/goose"}, "vscode": {".vscode", ".config/Code", "Library/Application Support/Code"}}

// Agents are the names of the agents that hooks can be installed for.
func Agents() []string {
	var names []string
	for _, a := range agents {
		names = append(names, a.name)
	}
	return names
}

// At is the place of an agent's settings. The error names what there is instead.
func At(env Env, name string, scope Scope) (Place, error) {
	if name == "claude-agent-sdk" {
		name = "claude-code" // the same settings
	}
	i := slices.IndexFunc(agents, func(a *agent) bool { return a.name == name })
	if i < 0 {
		return Place{}, fmt.Errorf("there is no agent %q; there are %s", name, strings.Join(Agents(), ", "))
	}
	a := agents[i]
	file, ok := a.files[scope]
	if !ok {
		var have []string
		for _, s := range Scopes {
			if _, ok := a.files[s]; ok {
				have = append(have, string(s))
			}
		}
		return Place{}, fmt.Errorf("%s has no settings of scope %q; it has %s", name, scope, strings.Join(have, ", "))
	}
	base := env.Project
	if scope == User {
		base = a.folder(env)
	}
	return Place{Agent: name, Scope: scope, Path: filepath.Join(base, filepath.FromSlash(file)), agent: a, env: env}, nil
}

// own reports whether the place is a file that only mcpproxy writes.
func (p Place) own() bool {
	return strings.Contains(filepath.ToSlash(p.agent.files[p.Scope]), "mcpproxy")
}

// folder is where the agent's own settings are.
func (a *agent) folder(env Env) string {
	if a.homeVar != "" {
		if moved := env.Getenv(a.homeVar); moved != "" {
			return moved
		}
	}
	return filepath.Join(env.Home, filepath.FromSlash(a.home))
}

// Present reports whether an agent is on this machine: its folder or its program.
func Present(env Env, name string) bool {
	i := slices.IndexFunc(agents, func(a *agent) bool { return a.name == name })
	if i < 0 {
		return false
	}
	a := agents[i]
	folders := []string{a.folder(env)}
	if more, ok := signs[name]; ok {
		folders = nil
		for _, f := range more {
			folders = append(folders, filepath.Join(env.Home, filepath.FromSlash(f)))
		}
	}
	for _, f := range folders {
		if info, err := os.Stat(f); err == nil && info.IsDir() {
			return true
		}
	}
	for _, bin := range a.bins {
		if _, err := exec.LookPath(bin); err == nil {
			return true
		}
	}
	return false
}
