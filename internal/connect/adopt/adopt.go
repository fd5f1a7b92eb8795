// Package adopt decides which MCP servers of agents the configuration takes over, under which
// names, and why others are left out.
package adopt

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"mcpproxy/internal/config"
	"mcpproxy/internal/connect"
	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/settings"
	"mcpproxy/internal/suggest"
)

// The outcomes for a server that import finds.
const (
	StateNew         = "new"
	stateThere       = "already imported"
	StateTaken       = "skipped: another server has that name" // unless it is renamed
	stateOff         = "skipped: the agent has disabled it"
	stateOther       = "skipped: not named with --server"
	stateOnlyProject = "skipped: only this folder names it; if you trust it, import it with --server NAME"
	stateLeft        = "skipped" // and a reason
)

// Candidate is a server that import has found in an agent's configuration.
type Candidate struct {
	Name   string        `json:"name"`   // its name in the agent's configuration
	Server config.Server `json:"server"` // its entry as it would be added to our configuration file
	From   []origin      `json:"from"`
	State  string        `json:"state"`
	Reason string        `json:"reason,omitempty"`
	As     string        `json:"as,omitempty"` // its name in our configuration file, if that differs
	// Plain lists the settings of Server that seem to contain a secret in plain text.
	Plain []string `json:"plain_text,omitempty"`

	found connect.Server
}

// origin is where a server was found.
type origin struct {
	Agent string         `json:"agent,omitempty"`
	Scope settings.Scope `json:"scope,omitempty"`
	Path  string         `json:"path"`
}

// Sources names the agents and files that name the server.
func (c Candidate) Sources() string {
	var names []string
	for _, o := range c.From {
		name := o.Agent
		if name == "" {
			name = o.Path
		}
		if o.Scope == settings.Project || o.Scope == settings.Local {
			name += " (" + string(o.Scope) + ")"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// What returns the command or the address of the server.
func (c Candidate) What() string {
	if c.Server.URL != "" {
		return c.Server.URL
	}
	return strings.Join(append([]string{c.Server.Command}, c.Server.Args...), " ")
}

// Outcome says in words what happens to the server.
func (c Candidate) Outcome() string {
	switch {
	case c.Reason != "":
		return c.State + ": " + c.Reason
	case c.As != "":
		return c.State + ", as " + c.As
	}
	return c.State
}

// Find returns the servers in a file, of an agent, or of all agents. Broken names the files that could not be read.
func Find(env settings.Env, file, agent string) (found []connect.Server, broken, err error) {
	if file != "" {
		found, err = connect.ReadFile(env, file)
		return found, nil, err
	}
	places, err := connect.Places(env, agent)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range places {
		servers, err := p.Servers()
		found, broken = append(found, servers...), errors.Join(broken, err)
	}
	if len(found) == 0 {
		return nil, nil, broken
	}
	return found, broken, nil
}

// Present returns the servers in the configuration file, with unresolved references.
func Present(path string) ([]connect.Server, error) {
	raw, err := config.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c, err := config.Parse(path, raw, nil)
	if err != nil {
		return nil, err
	}
	var all []connect.Server
	for _, s := range c.Servers {
		all = append(all, connect.Server{
			Name:     s.Name,
			Command:  s.Command,
			Args:     s.Args,
			Env:      s.Env,
			Dir:      s.WorkingDir,
			URL:      s.URL,
			Headers:  s.Headers,
			Protocol: s.Protocol,
		})
	}
	return all, nil
}

// Choice is the user's choice among the servers that were found.
type Choice struct {
	Servers []string // only these servers; all if empty
	Rename  bool     // rename servers whose name is taken

	// Isolation returns the isolation of a server that is started by a command.
	Isolation func(command string) (*config.Isolation, error)
}

// Weigh decides for each server that was found whether it is taken over. The same server in several
// places counts as one.
func Weigh(path, listen string, found, present []connect.Server, want Choice) ([]Candidate, error) {
	var all []Candidate
	names := map[string]bool{} // names in use
	for _, s := range present {
		names[s.Name] = true
	}
	trial, err := config.NewTrial(path)
	if err != nil {
		return nil, err
	}
	var known []string
	for _, s := range found {
		if s.Leads(listen) {
			continue
		}
		from := origin{s.Agent, s.Scope, s.Path}
		if i := slices.IndexFunc(all, func(c Candidate) bool {
			return c.found.Name == s.Name && c.found.Same(s) && c.found.Disabled == s.Disabled
		}); i >= 0 {
			all[i].From = append(all[i].From, from)
			if all[i].State == stateOnlyProject { // a file of the user names it too
				all[i].settle(trial, present, names, want)
			}
			continue
		}
		known = append(known, s.Name)
		c := Candidate{
			Name:   s.Name,
			Server: configured(s),
			From:   []origin{from},
			found:  s,
		}
		if c.Server.Isolation, err = want.Isolation(s.Command); err != nil {
			return nil, err
		}
		c.settle(trial, present, names, want)
		c.Plain = c.Server.Plain()
		all = append(all, c)
	}
	for _, name := range want.Servers {
		if !slices.Contains(known, name) {
			return nil, unknownServer(name, known)
		}
	}
	return all, nil
}

func unknownServer(name string, known []string) error {
	if near := suggest.Nearest(name, known); near != "" {
		return fmt.Errorf("--server: no server %q was found; did you mean %q?", name, near)
	}
	return fmt.Errorf("--server: no server %q was found", name)
}

// onlyFromProject reports whether only files of the project's folder name a server. Such files come with a
// cloned repository, so anybody may have chosen the program.
func (c *Candidate) onlyFromProject() bool {
	return !slices.ContainsFunc(c.From, func(o origin) bool { return o.Scope != settings.Project })
}

// settle decides what happens to a candidate. Names contains the names that are in use.
func (c *Candidate) settle(trial *config.Trial, present []connect.Server, names map[string]bool, want Choice) {
	named := slices.Contains(want.Servers, c.found.Name)
	i := slices.IndexFunc(present, func(p connect.Server) bool { return p.Same(c.found) })
	switch {
	case i >= 0 && present[i].Name != c.Server.Name:
		c.State, c.As = stateThere, present[i].Name
	case i >= 0:
		c.State = stateThere
	case len(want.Servers) > 0 && !named:
		c.State = stateOther
	case c.found.Problem != "":
		c.State, c.Reason = stateLeft, c.found.Problem
	case c.found.Disabled && !named:
		c.State = stateOff
	case c.onlyFromProject() && !named:
		c.State = stateOnlyProject
	case names[c.Server.Name] && !want.Rename:
		c.State = StateTaken
	default:
		c.State = StateNew
		if names[c.Server.Name] {
			c.Server.Name = freeName(c.Server.Name, c.From[0].Agent, names)
		}
		if err := trial.Add(c.Server); err != nil {
			c.State, c.Reason = stateLeft, err.Error()
			if e, ok := errors.AsType[*config.Error](err); ok {
				c.Reason = e.Msg
			}
			if _, unset, ok := strings.Cut(c.Reason, "}: "); ok { // what a reference cannot express
				c.Reason = unset + "; see to that where mcpproxy runs, then import again"
			}
			return
		}
		names[c.Server.Name] = true
		if c.Server.Name != c.found.Name {
			c.As = c.Server.Name
		}
	}
}

// freeName returns a free name, made from a name in use.
func freeName(name, agent string, taken map[string]bool) string {
	if agent != "" && !taken[name+"-"+agent] && len(name)+1+len(agent) <= maxName {
		return name + "-" + agent
	}
	for i := 2; ; i++ {
		ending := fmt.Sprintf("-%d", i)
		if next := name[:min(len(name), maxName-len(ending))] + ending; !taken[next] {
			return next
		}
	}
}

// maxName is the maximum length of a server's name, in bytes.
const maxName = 64

var foreignToNames = lazyregexp.New(`[^A-Za-z0-9._-]+`)

// configured returns a name for the server that the configuration allows: agents also allow spaces and other
// characters in names.
func configured(s connect.Server) config.Server {
	name := strings.TrimLeft(foreignToNames().ReplaceAllString(s.Name, "-"), "._-")
	name = strings.TrimRight(name[:min(len(name), maxName)], "-")
	if name == "" || strings.EqualFold(name, connect.Name) {
		name = "server"
	}
	return config.Server{
		Name:        name,
		Command:     s.Command,
		Args:        s.Args,
		Env:         s.Env,
		WorkingDir:  s.Dir,
		URL:         s.URL,
		Headers:     s.Headers,
		Protocol:    s.Protocol,
		TimeoutSecs: s.Timeout,
	}
}

// Chosen returns the servers that are to be taken over.
func Chosen(all []Candidate) []config.Server {
	var out []config.Server
	for _, c := range all {
		if c.State == StateNew {
			out = append(out, c.Server)
		}
	}
	return out
}

// Masked returns the candidates without secrets, for display.
func Masked(all []Candidate) []Candidate {
	shown := config.Config{}
	for _, c := range all {
		s := c.Server
		s.Args = slices.Clone(s.Args)
		s.Env = maps.Clone(s.Env)
		s.Headers = maps.Clone(s.Headers)
		shown.Servers = append(shown.Servers, s)
	}
	shown.Mask()
	out := slices.Clone(all)
	for i := range out {
		out[i].Server = shown.Servers[i]
	}
	return out
}
