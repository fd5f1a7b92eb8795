package connect

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mcpproxy/internal/agent"
	"mcpproxy/internal/settings"
	"mcpproxy/internal/suggest"
)

// Name is the name of this proxy in the configurations of agents.
const Name = "mcpproxy"

// Way is the way in which an agent connects to this proxy: by starting a program, or at an address.
type Way struct {
	Command []string // the program and its arguments
	URL     string   // address, if there is no program
	Token   string   // token that the agent sends to the address
}

// entry is a server in the form of the agents' JSON files.
type entry struct {
	Type      string   `json:"type,omitempty"`
	Command   any      `json:"command,omitempty"` // for opencode a list with the arguments
	Args      []string `json:"args,omitempty"`
	URL       string   `json:"url,omitempty"`
	HTTPURL   string   `json:"httpUrl,omitempty"`
	ServerURL string   `json:"serverUrl,omitempty"`
	// Headers are the HTTP headers that the agent sends with each request to an address.
	Headers map[string]string `json:"headers,omitempty"`
	Tools   []string          `json:"tools,omitempty"`
	Enabled bool              `json:"enabled,omitempty"`
}

// headers returns the headers that send the token; nil if there is no token.
func (w Way) headers() map[string]string {
	if w.Token == "" {
		return nil
	}
	return map[string]string{"Authorization": bearer + w.Token}
}

const bearer = "Bearer "

// entryOf returns the entry with which an agent connects to this proxy. The error says why the
// agent's file cannot contain such an entry.
func entryOf(a *agent.Agent, w Way) (entry, error) {
	form := a.Servers.Entry
	switch {
	case a.Servers.ByHand != "" && w.URL != "":
		return entry{}, fmt.Errorf(
			"mcpproxy does not edit the YAML of %s: leave --http out, and the command prints what to enter",
			a.Name,
		)
	case a.Servers.ByHand != "":
		return entry{}, fmt.Errorf(
			"mcpproxy does not edit the YAML of %s: %s\n  %s",
			a.Name,
			a.Servers.ByHand,
			strings.Join(w.Command, " "),
		)
	case w.URL != "" && form.URL == "":
		return entry{}, fmt.Errorf("the file of %s names programs only: leave --http out", a.Name)
	}
	e := entry{Enabled: form.Enabled}
	if form.AllTools {
		e.Tools = []string{"*"}
	}
	switch {
	case w.URL != "":
		e.Type = form.Address
		e.Headers = w.headers()
		e.setURL(form.URL, w.URL)
	case form.OneList:
		e.Type = form.Program
		e.Command = w.Command
	default:
		e.Type = form.Program
		e.Command = w.Command[0]
		e.Args = w.Command[1:]
	}
	return e, nil
}

// setURL sets an address under the name that the agent uses for it.
func (e *entry) setURL(member, url string) {
	switch member {
	case "httpUrl":
		e.HTTPURL = url
	case "serverUrl":
		e.ServerURL = url
	default:
		e.URL = url
	}
}

// Agents returns the names of the agents whose server lists can be read.
func Agents() []string { return agent.Names(agent.WithServers()) }

// Place is one list of servers of one agent.
type Place struct {
	Agent string
	Scope settings.Scope
	Path  string // of the file

	agent *agent.Agent
	keys  []string
	env   settings.Env
}

// At returns the place of an agent's servers in a scope. The error lists the agents or scopes that
// exist.
func At(env settings.Env, name string, scope settings.Scope) (Place, error) {
	a, known := agent.Named(name)
	if !known || a.Servers == nil {
		near := suggest.Nearest(name, Agents())
		if near != "" {
			near = fmt.Sprintf(" did you mean %q?", near)
		}
		return Place{}, fmt.Errorf("there is no agent %q;%s there are %s", name, near, strings.Join(Agents(), ", "))
	}
	list, ok := a.Servers.Files[scope]
	if !ok {
		return Place{}, fmt.Errorf(
			"%s has no servers of scope %q; it has %s",
			name,
			scope,
			strings.Join(scopes(a), ", "),
		)
	}
	p := Place{
		Agent: name,
		Scope: scope,
		agent: a,
		env:   env,
	}
	base := env.Project
	if scope != settings.Project {
		base = env.Folder(a.ServerFolder())
	}
	for _, file := range list.Names {
		path := filepath.Join(base, filepath.FromSlash(file))
		if _, err := os.Lstat(path); p.Path == "" || err == nil {
			p.Path = path
		}
	}
	for _, key := range list.Keys {
		p.keys = append(p.keys, strings.ReplaceAll(key, "{project}", env.Project))
	}
	return p, nil
}

// scopes returns the scopes for which an agent has a list of servers.
func scopes(a *agent.Agent) []string {
	var have []string
	for _, s := range settings.Scopes {
		if _, ok := a.Servers.Files[s]; ok {
			have = append(have, string(s))
		}
	}
	return have
}

// Places returns all places of an agent, or of all agents if name is "", the widest scope first.
// The error lists the agents that exist.
func Places(env settings.Env, name string) ([]Place, error) {
	if name != "" {
		if _, err := At(env, name, settings.User); err != nil {
			return nil, err
		}
	}
	var all []Place
	for _, a := range agent.WithServers() {
		for _, scope := range settings.Scopes {
			if _, ok := a.Servers.Files[scope]; !ok || name != "" && name != a.Name {
				continue
			}
			if p, err := At(env, a.Name, scope); err == nil {
				all = append(all, p)
			}
		}
	}
	return all, nil
}

// Next tells the user what to do after the place was changed.
func (p Place) Next() string {
	if p.Scope == settings.Project && p.agent.Servers.FolderHint != "" {
		return p.agent.Servers.Next + " " + p.agent.Servers.FolderHint
	}
	return p.agent.Servers.Next
}
