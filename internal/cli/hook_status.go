package cli

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy/internal/api"
	"mcpproxy/internal/cli/term"
	hookeval "mcpproxy/internal/hook/evaluate"
	"mcpproxy/internal/hook/install"
	"mcpproxy/internal/remote"
)

// hookReport is the output of hook status.
type hookReport struct {
	Daemon string           `json:"daemon"` // reachable, unreachable or unknown
	Detail string           `json:"detail,omitempty"`
	Hooks  []install.Status `json:"hooks"`
}

func hookStatusCommand(g *globals) *cobra.Command {
	f := &hookFlags{}
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show where the hook is installed and whether it works",
		Args:  noArguments,
		Example: `  mcpproxy hook status
  mcpproxy hook status --agent codex -o json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			env, _, err := hookEnv(g)
			if err != nil {
				return err
			}
			r := hookReport{Daemon: "reachable", Hooks: []install.Status{}}
			var seen api.Overview
			err = fetch(cmd, g, "/api/v1/status", nil, &seen)
			switch {
			case errors.Is(err, remote.ErrNotRunning):
				r.Daemon = "unreachable"
			case err != nil:
				r.Daemon, r.Detail = "unknown", err.Error()
			}
			if r.Hooks, err = hookStatuses(env, f, seen.Agents, err == nil); err != nil {
				return err
			}
			return g.printHooks(cmd.OutOrStdout(), r)
		},
	}
	cmd.Flags().StringVar(&f.agent, "agent", "", "one agent only")
	return cmd
}

// hookStatuses returns the places with a hook or a problem, and one place for every agent without a
// hook.
func hookStatuses(env install.Env, f *hookFlags, seen []hookeval.AgentSeen, heard bool) ([]install.Status, error) {
	names := install.Agents()
	if f.agent != "" {
		names = []string{f.agent}
	}
	out := []install.Status{}
	for _, name := range names {
		places, err := hookPlaces(env, &hookFlags{agent: name})
		if err != nil {
			return nil, err
		}
		found := false
		var first install.Status
		for i, p := range places {
			s := p.Status()
			s.LastEvent = lastEvent(p.Agent, seen, heard)
			if i == 0 {
				first = s
			}
			if s.Installed != "no" || s.Problem != "" {
				found = true
				out = append(out, s)
			}
		}
		if !found && (first.Present || f.agent != "") {
			out = append(out, first)
		}
	}
	return out, nil
}

// lastEvent returns the time of the last event from an agent. The daemon forgets agents that have
// been silent for half an hour.
func lastEvent(agent string, seen []hookeval.AgentSeen, heard bool) string {
	if !heard {
		return "unknown"
	}
	for _, a := range seen {
		if a.Name == agent {
			return a.Last.Local().Format(time.RFC3339)
		}
	}
	return "none lately"
}

// printHooks prints a report.
func (g *globals) printHooks(w io.Writer, r hookReport) error {
	if g.output != "table" {
		return g.print(w, r, nil)
	}
	switch r.Daemon {
	case "reachable":
		fmt.Fprintln(w, "mcpproxy is running.")
	case "unreachable":
		fmt.Fprintln(w, "mcpproxy is not running, so hooks let everything pass: start it with `mcpproxy serve`.")
	default:
		fmt.Fprintf(w, "Whether mcpproxy is running is unknown: %s\n", term.Plain(r.Detail))
	}
	if len(r.Hooks) == 0 {
		fmt.Fprintln(w, "No agent was found on this machine, and no hook.")
		return nil
	}
	t := &term.Table{Header: []string{"AGENT", "INSTALLED", "SCOPE", "FILE", "PROGRAM", "TRUSTED", "LAST EVENT"}}
	for _, s := range r.Hooks {
		runs, trusted := "-", s.Trusted
		switch {
		case s.Installed == "no":
		case s.Reachable:
			runs = "runs"
		default:
			runs = "cannot be run"
		}
		if trusted == "" {
			trusted = "-"
		}
		event := s.LastEvent
		if at, err := time.Parse(time.RFC3339, event); err == nil {
			event = term.When(w, at, time.RFC3339)
		}
		if s.Installed == "no" && s.Problem == "" {
			t.Add(s.Agent, "no", "-", "-", runs, trusted, event)
			continue
		}
		t.Add(s.Agent, s.Installed, string(s.Scope), s.Path, runs, trusted, event)
	}
	if err := t.Write(w); err != nil {
		return err
	}
	for _, s := range r.Hooks {
		if s.Problem != "" {
			fmt.Fprintf(w, "%s: %s\n", s.Agent, term.Plain(s.Problem))
		}
	}
	return nil
}
