package install

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// Status is how one place stands.
type Status struct {
	Agent     string `json:"agent"`
	Scope     Scope  `json:"scope"`
	Path      string `json:"path"`
	Installed string `json:"installed"`           // yes, no, or incomplete: events are missing
	Program   string `json:"program,omitempty"`   // of the hook
	Reachable bool   `json:"reachable"`           // it is there and can be run
	Trusted   string `json:"trusted,omitempty"`   // for agents that want a hook reviewed: yes or no
	Problem   string `json:"problem,omitempty"`   // what is wrong, and what to do
	LastEvent string `json:"last_event"`          // when the daemon last heard of this agent; "unknown" without a daemon
	Present   bool   `json:"agent_present"`       // the agent is on this machine
	SharedBy  string `json:"shared_by,omitempty"` // another agent that runs the same file
}

// Status looks at the place. Nothing is run.
func (p Place) Status() Status {
	s := Status{Agent: p.Agent, Scope: p.Scope, Path: p.Path, Installed: "no", LastEvent: "unknown", Present: Present(p.env, p.Agent)}
	raw, err := read(p.Path)
	if err != nil {
		s.Problem = strings.TrimSuffix(err.Error(), "; nothing was changed")
		return s
	}
	if raw == nil {
		return s
	}
	have, err := p.agent.format.commands(p, raw)
	if err != nil {
		s.Problem = strings.TrimSuffix(err.Error(), "; nothing was changed")
		return s
	}
	if len(have) == 0 {
		return s
	}
	s.Installed, s.Reachable = "yes", true
	missing := 0
	for _, e := range p.agent.events {
		if have[e.name] == "" {
			missing++
		}
	}
	if missing > 0 {
		s.Installed = "incomplete"
		s.Problem = fmt.Sprintf("%d events are missing; run `mcpproxy hook install --agent %s --scope %s`", missing, p.Agent, p.Scope)
	}
	for _, line := range have {
		s.Program = program(line)
		if !filepath.IsAbs(s.Program) || !runnable(s.Program) {
			s.Reachable = false
			s.Problem = fmt.Sprintf("%s cannot be run; run `mcpproxy hook install --agent %s --scope %s` again, or uninstall", s.Program, p.Agent, p.Scope)
			break
		}
	}
	if p.Agent == "codex" {
		s.Trusted = p.trusted(raw)
		if s.Trusted == "no" && s.Problem == "" {
			s.Problem = p.agent.hint
		}
	}
	if p.Agent == "copilot" || p.Agent == "vscode" {
		s.SharedBy = map[string]string{"copilot": "vscode", "vscode": "copilot"}[p.Agent]
	}
	return s
}

// trustHeader begins what Codex remembers of a hook: its file, event, group and
// place in the group.
var trustHeader = regexp.MustCompile(`^\s*\[hooks\.state\.("(?:[^"\\]|\\.)*"|'[^']*')\]`)

// trusted reports whether Codex has noted trust in every hook of ours. The hash
// that it notes is Codex's own, so a hook that was changed since counts as trusted
// here until Codex says otherwise.
func (p Place) trusted(hooks []byte) string {
	raw, err := os.ReadFile(filepath.Join(p.agent.folder(p.env), "config.toml"))
	if err != nil {
		return "no"
	}
	noted := map[string]bool{}
	key := ""
	for line := range strings.Lines(string(raw)) {
		if m := trustHeader.FindStringSubmatch(line); m != nil {
			key = strings.Trim(m[1], "'")
			if unquoted, err := strconv.Unquote(m[1]); err == nil {
				key = unquoted
			}
			continue
		}
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), "="); {
		case strings.HasPrefix(name, "["):
			key = ""
		case key != "" && strings.TrimSpace(name) == "trusted_hash":
			noted[key] = true
		case key != "" && strings.TrimSpace(name) == "enabled" && strings.TrimSpace(value) == "false":
			noted[key] = false
			key = ""
		}
	}
	for _, want := range p.trustKeys(hooks) {
		if !noted[want] {
			return "no"
		}
	}
	return "yes"
}

var wordStart = regexp.MustCompile(`([a-z])([A-Z])`)

// trustKeys are the names under which Codex notes trust in our hooks.
func (p Place) trustKeys(raw []byte) []string {
	f, err := parseSettings(p.Path, raw)
	if err != nil {
		return nil
	}
	hooks, _ := f.child(f.object, "hooks", '{')
	object, ok := hooks.(*hujson.Object)
	if !ok {
		return nil
	}
	var keys []string
	for _, m := range object.Members {
		groups, ok := m.Value.Value.(*hujson.Array)
		if !ok {
			continue
		}
		event := strings.ToLower(wordStart.ReplaceAllString(m.Name.Value.(hujson.Literal).String(), "${1}_$2"))
		for g, group := range groups.Elements {
			inner, ok := member(group, "hooks").(*hujson.Array)
			if !ok {
				continue
			}
			for h, hook := range inner.Elements {
				if line(hook) != "" {
					keys = append(keys, fmt.Sprintf("%s:%s:%d:%d", p.Path, event, g, h))
				}
			}
		}
	}
	return keys
}
