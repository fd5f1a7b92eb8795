package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/doctor"
	"mcpproxy/internal/exit"
	hookeval "mcpproxy/internal/hook/evaluate"
	"mcpproxy/internal/hook/install"
)

func doctorCommand(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check the installation, and say what would make it safer",
		Args:  noArguments,
		Long: `Looks at the configuration, at who can read your files, at the activity log and its
chain, at the running daemon with its servers, tokens and switches, at the hooks of your
agents, at how much of them is seen, and grades the deployment. Exits 1 when something is broken (✗); advice
alone (!) is not a failure.`,
		Example: `  mcpproxy doctor
  mcpproxy doctor -o json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			done := term.Progress(cmd.ErrOrStderr(), "looking at the installation")
			found := doctor.Examine(cmd.Context(), doctor.Installation{
				File:  g.config,
				Hooks: func(seen []hookeval.AgentSeen) ([]install.Status, error) { return hooksHere(g, seen) },
			})
			done()
			if g.output != "table" {
				if err := g.print(cmd.OutOrStdout(), found, nil); err != nil {
					return err
				}
			} else {
				printCheckup(cmd.OutOrStdout(), found)
			}
			if !found.OK {
				return exit.With(exit.General, errors.New("something is broken: see the lines marked with ✗"))
			}
			return nil
		},
	}
}

// printCheckup prints all results for people.
func printCheckup(w io.Writer, f *doctor.Checkup) {
	p, section := term.Colors(w), ""
	order := map[string]int{}
	for i, c := range f.Checks {
		if _, met := order[c.Section]; !met {
			order[c.Section] = i
		}
	}
	slices.SortStableFunc(f.Checks, func(a, b doctor.Check) int { return order[a.Section] - order[b.Section] })
	for _, c := range f.Checks {
		if c.Section != section {
			section = c.Section
			heading := section
			if section == doctor.Deployment {
				heading += ": " + f.Graded()
			}
			fmt.Fprintln(w, p.Bold(heading))
		}
		mark := p.Green("✓")
		switch {
		case !c.OK:
			mark = p.Red("✗")
		case c.Grade == doctor.GradeBetter:
			mark = p.Yellow("!")
		}
		fmt.Fprintf(w, "  %s %s: %s\n", mark, term.Plain(c.Name), term.Plain(c.Detail))
		if c.Advice != "" {
			fmt.Fprintf(w, "    %s\n", term.Plain(c.Advice+keyed(c)))
		}
	}
	fmt.Fprintln(w, p.Bold("Security Coverage"))
	if f.Coverage.Active {
		fmt.Fprintf(w, "  %s Coverage: full\n  %s Hooks: active (%s)\n", p.Green("✓"), p.Green("✓"), active(f.Coverage))
		return
	}
	fmt.Fprintln(w, "  Coverage: MCP proxy only")
	for _, r := range f.Recommendations {
		fmt.Fprintf(w, "  Hooks: not active. %s\n", term.Plain(r.Why))
		fmt.Fprintf(w, "  %s %s\n", p.Yellow("→"), term.Plain(r.Message))
	}
}

// active lists the agents with active hooks and their numbers of sessions.
func active(c hookeval.Coverage) string {
	var out []string
	for _, a := range c.Agents {
		sessions := "1 session"
		if a.Sessions != 1 {
			sessions = fmt.Sprintf("%d sessions", a.Sessions)
		}
		out = append(out, term.Plain(a.Name)+": "+sessions)
	}
	return strings.Join(out, ", ")
}

// keyed returns the configuration key that a check depends on.
func keyed(c doctor.Check) string {
	if c.Key == "" {
		return ""
	}
	return " (" + c.Key + ")"
}

// hooksHere returns where hooks are installed, for the agents that the daemon has seen.
func hooksHere(g *globals, seen []hookeval.AgentSeen) ([]install.Status, error) {
	env, _, err := hookEnv(g)
	if err != nil {
		return nil, err
	}
	return hookStatuses(env, &hookFlags{}, seen, true)
}
