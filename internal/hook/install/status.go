package install

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"mcpproxy/internal/settings"
)

// Status is the state of the hook at one place.
type Status struct {
	Agent     string `json:"agent"`
	Scope     Scope  `json:"scope"`
	Path      string `json:"path"`
	Installed string `json:"installed"`           // yes, no, or incomplete (events are missing)
	Program   string `json:"program,omitempty"`   // program of the hook
	Reachable bool   `json:"reachable"`           // the program exists and is executable
	Trusted   string `json:"trusted,omitempty"`   // for agents that require trust in a hook or its folder: yes or no
	Problem   string `json:"problem,omitempty"`   // the problem, and what to do
	LastEvent string `json:"last_event"`          // last event from this agent; "unknown" without a daemon
	Present   bool   `json:"agent_present"`       // the agent is installed on this machine
	SharedBy  string `json:"shared_by,omitempty"` // another agent that runs the hooks in this file
}

// Status reads the state of the place. It runs no program.
func (p Place) Status() Status {
	s := Status{
		Agent:     p.Agent,
		Scope:     p.Scope,
		Path:      p.Path,
		Installed: "no",
		LastEvent: "unknown",
		Present:   Present(p.env, p.Agent),
	}
	raw, err := settings.Read(p.Path)
	if err != nil {
		s.Problem = strings.TrimSuffix(err.Error(), "; nothing was changed")
		return s
	}
	if raw == nil {
		return s
	}
	have, err := p.format().commands(p, raw)
	if err != nil {
		s.Problem = strings.TrimSuffix(err.Error(), "; nothing was changed")
		return s
	}
	if len(have) == 0 {
		return s
	}
	s.Installed, s.Reachable = "yes", true
	missing := 0
	for _, e := range p.agent.Hooks.Events {
		if have[e.Name] == "" {
			missing++
		}
	}
	if missing > 0 {
		s.Installed = "incomplete"
		s.Problem = fmt.Sprintf(
			"%d events are missing; run `mcpproxy hook install --agent %s --scope %s`",
			missing,
			p.Agent,
			p.Scope,
		)
	}
	for _, line := range have {
		s.Program = program(line)
		if !filepath.IsAbs(s.Program) || !runnable(s.Program) {
			s.Reachable = false
			s.Problem = fmt.Sprintf(
				"%s cannot be run; run `mcpproxy hook install --agent %s --scope %s` again, or uninstall",
				s.Program,
				p.Agent,
				p.Scope,
			)
			break
		}
	}
	if trust := trusts[p.agent.Name]; trust != nil {
		trusted, asked := trust(p, raw)
		switch {
		case asked && trusted:
			s.Trusted = "yes"
		case asked:
			s.Trusted = "no"
			s.Problem = cmp.Or(s.Problem, p.hint())
		}
	}
	s.SharedBy = p.agent.SharesHooks()
	return s
}
