package connect

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"mcpproxy/internal/settings"
	"mcpproxy/internal/suggest"
)

// Name is what agents call this proxy.
const Name = "mcpproxy"

// agent is what is known about an agent's list of MCP servers.
type agent struct {
	name  string
	files map[settings.Scope]file
	entry func(Way) (entry, error)
	// variables says how the values of its entries name variables.
	variables variables
	next      string // what makes it read its settings anew
	// folder is what has to be done besides where a project brings the servers.
	folder string
}

// file is where a list of servers stands.
type file struct {
	base func(settings.Env) string // the folder
	// names are the names that the file may have, the usual one first.
	names []string
	keys  []string // of the list, from the outside in; {project} is the project's folder
}

// Way is how an agent reaches this proxy: by a program, or at an address.
type Way struct {
	Command []string // the program and its arguments
	URL     string   // when there is no program
}

// entry is a server as the JSON of agents says it.
type entry struct {
	Type      string   `json:"type,omitempty"`
	Command   any      `json:"command,omitempty"` // opencode has the arguments in it
	Args      []string `json:"args,omitempty"`
	URL       string   `json:"url,omitempty"`
	HTTPURL   string   `json:"httpUrl,omitempty"`
	ServerURL string   `json:"serverUrl,omitempty"`
	Tools     []string `json:"tools,omitempty"`
	Enabled   bool     `json:"enabled,omitempty"`
}

// home is a folder within the user's own, or the one that a variable names.
func home(folder, variable string) func(settings.Env) string {
	return func(env settings.Env) string {
		if moved := env.Getenv(variable); variable != "" && moved != "" {
			return moved
		}
		return filepath.Join(env.Home, filepath.FromSlash(folder))
	}
}

// project is a folder within the project's.
func project(folder string) func(settings.Env) string {
	return func(env settings.Env) string { return filepath.Join(env.Project, filepath.FromSlash(folder)) }
}

// programs is the folder in which graphical programs keep their settings.
func programs(folder string) func(settings.Env) string {
	return func(env settings.Env) string {
		base := env.Getenv("XDG_CONFIG_HOME")
		switch {
		case runtime.GOOS == "darwin":
			base = filepath.Join(env.Home, "Library", "Application Support")
		case runtime.GOOS == "windows" && env.Getenv("APPDATA") != "":
			base = env.Getenv("APPDATA")
		case base == "":
			base = filepath.Join(env.Home, ".config")
		}
		return filepath.Join(base, filepath.FromSlash(folder))
	}
}

// claudeFolder is where Claude Code has its file of state, which is beside its
// folder of settings unless that was moved.
func claudeFolder(env settings.Env) string { return home("", "CLAUDE_CONFIG_DIR")(env) }

var servers = []string{"mcpServers"}

// agents are the agents whose lists of servers are known, with the places and forms
// that their documentation names. What Claude Code, Codex, Copilot CLI and Gemini CLI
// read is tried with the real clients.
var agents = []*agent{
	{
		name: "claude-code", variables: braces, next: "Start a new session of Claude Code.",
		files: map[settings.Scope]file{
			settings.User:    {claudeFolder, []string{".claude.json"}, servers},
			settings.Project: {project(""), []string{".mcp.json"}, servers},
			settings.Local:   {claudeFolder, []string{".claude.json"}, []string{"projects", "{project}", "mcpServers"}},
		},
		entry:  typed("stdio", entry{}),
		folder: "Claude Code asks each user once whether it may use the servers of .mcp.json.",
	},
	{
		name: "claude-desktop", variables: literal, next: "Quit Claude Desktop and start it again.",
		files: map[settings.Scope]file{settings.User: {programs("Claude"), []string{"claude_desktop_config.json"}, servers}},
		entry: func(w Way) (entry, error) {
			if w.URL != "" {
				return entry{}, errors.New("the file of claude-desktop names programs only: leave --http out")
			}
			return typed("", entry{})(w)
		},
	},
	{
		name: "codex", variables: literal, next: "Start a new session of Codex.",
		files: map[settings.Scope]file{
			settings.User:    {home(".codex", "CODEX_HOME"), []string{"config.toml"}, []string{"mcp_servers"}},
			settings.Project: {project(".codex"), []string{"config.toml"}, []string{"mcp_servers"}},
		},
		entry:  typed("", entry{}),
		folder: "Codex reads a project's settings only in folders that you trust: start codex there and say so.",
	},
	{
		name: "gemini-cli", variables: dollars, next: "Start a new session of Gemini CLI.",
		files: map[settings.Scope]file{
			settings.User:    {home(".gemini", ""), []string{"settings.json"}, servers},
			settings.Project: {project(".gemini"), []string{"settings.json"}, servers},
		},
		entry: func(w Way) (entry, error) {
			e, err := untyped(w)
			e.HTTPURL, e.URL = e.URL, "" // its url is an address of the older SSE transport
			return e, err
		},
		folder: "Gemini CLI reads a project's settings only in folders that you trust: start gemini there and say so.",
	},
	{
		name: "copilot", variables: braces, next: "Start a new session of Copilot CLI.",
		files: map[settings.Scope]file{
			settings.User:    {home(".copilot", "COPILOT_HOME"), []string{"mcp-config.json"}, servers},
			settings.Project: {project(".github"), []string{"mcp.json"}, servers},
		},
		entry:  typed("local", entry{Tools: []string{"*"}}),
		folder: "Copilot CLI reads a project's servers only in folders that you trust: start copilot there and say so.",
	},
	{
		name: "cursor", variables: editor, next: "Restart Cursor.",
		files: map[settings.Scope]file{
			settings.User:    {home(".cursor", ""), []string{"mcp.json"}, servers},
			settings.Project: {project(".cursor"), []string{"mcp.json"}, servers},
		},
		entry: untyped,
	},
	{
		name: "vscode", variables: editor, next: "Start the server with the command `MCP: List Servers` of VS Code.",
		files: map[settings.Scope]file{
			settings.User:    {programs("Code/User"), []string{"mcp.json"}, []string{"servers"}},
			settings.Project: {project(".vscode"), []string{"mcp.json"}, []string{"servers"}},
		},
		entry: typed("stdio", entry{}),
	},
	{
		name: "windsurf", variables: editor, next: "Refresh the list of MCP servers in Windsurf.",
		files: map[settings.Scope]file{settings.User: {home(".codeium/windsurf", ""), []string{"mcp_config.json"}, servers}},
		entry: func(w Way) (entry, error) {
			e, err := untyped(w)
			e.ServerURL, e.URL = e.URL, ""
			return e, err
		},
	},
	{
		name: "opencode", variables: curly, next: "Start a new session of opencode.",
		files: map[settings.Scope]file{
			settings.User:    {openIn("opencode"), openCodeFiles, []string{"mcp"}},
			settings.Project: {project(""), openCodeFiles, []string{"mcp"}},
		},
		entry: func(w Way) (entry, error) {
			if w.URL != "" {
				return entry{Type: "remote", URL: w.URL, Enabled: true}, nil
			}
			return entry{Type: "local", Command: w.Command, Enabled: true}, nil
		},
	},
	goose,
}

// goose has its servers among its other extensions, in YAML, which is read here only.
var goose = &agent{
	name: "goose", variables: literal,
	files: map[settings.Scope]file{settings.User: {openIn("goose"), []string{"config.yaml"}, []string{"extensions"}}},
	entry: func(w Way) (entry, error) {
		return entry{}, fmt.Errorf("the YAML of goose is not changed here: run `goose configure`, add a command-line extension, and give it this command:\n  %s", strings.Join(w.Command, " "))
	},
}

var openCodeFiles = []string{"opencode.json", "opencode.jsonc"}

// openIn is a folder among those of settings, in the same place on every system.
func openIn(folder string) func(settings.Env) string {
	return func(env settings.Env) string {
		if moved := env.Getenv("XDG_CONFIG_HOME"); moved != "" {
			return filepath.Join(moved, folder)
		}
		return filepath.Join(env.Home, ".config", folder)
	}
}

// typed is the entry of an agent that wants to be told the transport; program is its
// word for a program.
func typed(program string, with entry) func(Way) (entry, error) {
	return func(w Way) (entry, error) {
		e := with
		if w.URL != "" {
			e.Type, e.URL = "http", w.URL
			return e, nil
		}
		e.Type, e.Command, e.Args = program, w.Command[0], w.Command[1:]
		return e, nil
	}
}

// untyped is the entry of an agent that sees the transport from what is given.
func untyped(w Way) (entry, error) {
	e, err := typed("", entry{})(w)
	e.Type = ""
	return e, err
}

// Agents are the names of the agents whose lists of servers are known.
func Agents() []string {
	var names []string
	for _, a := range agents {
		names = append(names, a.name)
	}
	return names
}

// Place is one list of servers of one agent.
type Place struct {
	Agent string
	Scope settings.Scope
	Path  string // of the file

	agent *agent
	keys  []string
	env   settings.Env
}

// At is the place of an agent's servers. The error names what there is instead.
func At(env settings.Env, name string, scope settings.Scope) (Place, error) {
	i := slices.IndexFunc(agents, func(a *agent) bool { return a.name == name })
	if i < 0 {
		near := suggest.Nearest(name, Agents())
		if near != "" {
			near = fmt.Sprintf(" did you mean %q?", near)
		}
		return Place{}, fmt.Errorf("there is no agent %q;%s there are %s", name, near, strings.Join(Agents(), ", "))
	}
	a := agents[i]
	f, ok := a.files[scope]
	if !ok {
		return Place{}, fmt.Errorf("%s has no servers of scope %q; it has %s", name, scope, strings.Join(a.scopes(), ", "))
	}
	p := Place{Agent: name, Scope: scope, agent: a, env: env}
	for _, file := range f.names {
		path := filepath.Join(f.base(env), file)
		if _, err := os.Lstat(path); p.Path == "" || err == nil {
			p.Path = path
		}
	}
	for _, key := range f.keys {
		p.keys = append(p.keys, strings.ReplaceAll(key, "{project}", env.Project))
	}
	return p, nil
}

func (a *agent) scopes() []string {
	var have []string
	for _, s := range settings.Scopes {
		if _, ok := a.files[s]; ok {
			have = append(have, string(s))
		}
	}
	return have
}

// Places are all places of an agent, or of all agents when name is "", the widest
// first. The error names what there is instead.
func Places(env settings.Env, name string) ([]Place, error) {
	if name != "" {
		if _, err := At(env, name, settings.User); err != nil {
			return nil, err
		}
	}
	var all []Place
	for _, a := range agents {
		for _, scope := range settings.Scopes {
			if _, ok := a.files[scope]; !ok || name != "" && name != a.name {
				continue
			}
			if p, err := At(env, a.name, scope); err == nil {
				all = append(all, p)
			}
		}
	}
	return all, nil
}

// Next is what the user has to do after the place was changed.
func (p Place) Next() string {
	if p.Scope == settings.Project && p.agent.folder != "" {
		return p.agent.next + " " + p.agent.folder
	}
	return p.agent.next
}
