package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tailscale/hujson"

	"mcpproxy/internal/api"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
	"mcpproxy/internal/exit"
	"mcpproxy/internal/policy/replay"
	"mcpproxy/internal/remote"
)

func policyCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Check rules, try them on the log, and get suggestions from it",
		Args:  noSuchVerb,
		RunE:  help,
		Example: `  mcpproxy policy check mcp_config.json
  mcpproxy policy simulate stricter.json --since 7d
  mcpproxy policy suggest`,
	}
	cmd.AddCommand(policyCheck(g), policySimulate(g), policySuggest(g))
	return cmd
}

// checkedRule is a rule in the output of check.
type checkedRule struct {
	Order int    `json:"order"`
	Line  int    `json:"line"`
	Name  string `json:"name"`
	Then  string `json:"then"`
	When  string `json:"when"`
}

// checked is the output of check.
type checked struct {
	File         string           `json:"file"`
	OK           bool             `json:"ok"`
	Rules        []checkedRule    `json:"rules"`
	Suppressions int              `json:"suppressions"`
	Findings     []daemon.Finding `json:"findings"`
}

func policyCheck(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE",
		Short: "Check the rules and suppressions of a configuration, or of a part of one",
		Args:  cobra.ExactArgs(1),
		Long: `Checks a configuration file, or a part of one with the section "security", and lists the rules in the order in which
they are asked. A rule that is invalid, can never match or never decides is a mistake: the exit code is 4, and the
line is named. The daemon may run or not.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			raw, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			c, err := config.Parse(args[0], raw, config.Lookup)
			if err != nil {
				return exit.With(exit.Config, err)
			}
			around := c
			if running, err := config.LoadClient(g.config); len(c.Servers) == 0 && err == nil {
				around = running // a partial configuration is checked against the running servers
			}
			_, found := daemon.ExamineRules(raw, c, around)
			return printChecked(cmd, g, args[0], raw, c, found)
		},
	}
}

// printChecked prints the checked rules; mistakes become the error.
func printChecked(
	cmd *cobra.Command,
	g *globals,
	file string,
	raw []byte,
	c *config.Config,
	found []daemon.Finding,
) error {
	out := checked{
		File:         file,
		OK:           true,
		Rules:        []checkedRule{},
		Suppressions: len(c.Security.Suppressions),
		Findings:     append([]daemon.Finding{}, found...),
	}
	t := &term.Table{Header: []string{"ORDER", "LINE", "RULE", "THEN", "WHEN"}}
	for i, p := range c.Security.Policies {
		r := checkedRule{
			i + 1,
			config.Line(raw, fmt.Sprintf("/security/policies/%d", i)),
			p.Name,
			string(p.Then),
			p.When,
		}
		out.Rules = append(out.Rules, r)
		t.Add(fmt.Sprint(r.Order), fmt.Sprint(r.Line), r.Name, r.Then, term.Cut(r.When, 80))
	}
	mistakes := 0
	for _, f := range found {
		kind := "warning"
		if !f.Warning {
			kind, out.OK = "mistake", false
			mistakes++
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s:%d: %s: %s\n", file, f.Line, kind, term.Plain(f.Message))
	}
	if err := g.print(cmd.OutOrStdout(), out, t); err != nil {
		return err
	}
	if mistakes > 0 {
		return exit.With(exit.Config, fmt.Errorf("%s is not valid: %d mistakes", file, mistakes))
	}
	if g.output == "table" {
		fmt.Fprintf(cmd.OutOrStdout(), "%s is valid: %d rules, %d suppressions.\n", file, len(out.Rules), out.Suppressions)
	}
	return nil
}

func policySimulate(g *globals) *cobra.Command {
	var sim simulation
	cmd := &cobra.Command{
		Use:   "simulate FILE",
		Short: "Say how another policy would have decided the calls in the log",
		Args:  cobra.ExactArgs(1),
		Long: `Decides every call in the log again, with the policy of a configuration file, or of a part of one that is merged over the
configuration in force. Prints how many decisions would differ, and which. It changes nothing.`,
		Example: "  mcpproxy policy simulate stricter.json --since 7d",
		RunE: func(cmd *cobra.Command, args []string) error {
			raw, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			standard, err := hujson.Standardize(raw)
			if err != nil {
				return exit.With(exit.Config, fmt.Errorf("%s: %w", args[0], err))
			}
			if standard = bytes.TrimSpace(standard); len(standard) == 0 {
				standard = []byte("{}")
			}
			c, err := newClient(g)
			if err != nil {
				return err
			}
			return sim.run(cmd, g, c, args[0], "policy", standard)
		},
	}
	sim.flags(cmd)
	return cmd
}

// simulation is a request to replay the calls in the log.
type simulation struct {
	since, until string
	all          bool
}

func (s *simulation) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.since, "since", "7d", "from when: how long ago (7d, 12h), or an RFC 3339 `time`")
	cmd.Flags().StringVar(&s.until, "until", "", "to when, in the same form")
	cmd.Flags().BoolVar(&s.all, "all", false, "list every call that changes, not only the newest 20")
}

// run makes the daemon replay the calls with the content of a file of a kind, and prints what would
// change.
func (s *simulation) run(cmd *cobra.Command, g *globals, c *remote.Client, file, kind string, content []byte) error {
	limit := 20
	if s.all {
		limit = 0
	}
	request := map[string]any{
		kind:    json.RawMessage(content),
		"since": s.since,
		"until": s.until,
		"limit": limit,
	}
	var out api.Simulation
	if err := c.Post(cmd.Context(), "/api/v1/policies/simulate", request, &out); err != nil {
		return simulationError(file, err)
	}
	if g.output != "table" {
		return g.print(cmd.OutOrStdout(), out, nil)
	}
	return printSimulation(cmd.OutOrStdout(), out)
}

// printSimulation prints a simulation for people.
func printSimulation(w io.Writer, out api.Simulation) error {
	sum := &term.Table{Header: []string{"WAS", "WOULD BE", "CALLS"}}
	for _, c := range out.Table {
		sum.Add(string(c.Was), string(c.Would), fmt.Sprint(c.Calls))
	}
	if err := sum.Write(w); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%d of %d calls would have been decided differently.\n", out.Changed, out.Calls)
	if len(out.Changes) > 0 {
		calls := &term.Table{Header: []string{"ID", "TIME", "TOOL", "WAS", "WOULD BE", "BY"}}
		for _, c := range out.Changes {
			calls.Add(
				c.ID,
				term.When(w, c.Time, "01-02 15:04:05"),
				term.Cut(strings.TrimPrefix(c.Server+":"+c.Tool, ":"), 40),
				string(c.Was),
				string(c.Would),
				by(c),
			)
		}
		fmt.Fprintln(w)
		if err := calls.Write(w); err != nil {
			return err
		}
	}
	if more := out.Changed - len(out.Changes); more > 0 {
		fmt.Fprintf(w, "%d more; --all lists them.\n", more)
	}
	for _, note := range out.Notes {
		fmt.Fprintf(w, "\n%s\n", note)
	}
	if out.Undecided > 0 {
		fmt.Fprintf(w, "\n%d calls were left out.\n", out.Undecided)
	}
	return nil
}

// by returns the rule that would decide a call, or would no longer decide it.
func by(c replay.Change) string {
	if c.Rule != "" {
		return c.Rule
	}
	return "no longer " + c.WasRule
}

func policySuggest(g *globals) *cobra.Command {
	var since string
	cmd := &cobra.Command{
		Use:   "suggest",
		Short: "Suggest changes of the policy from the activity log",
		Args:  noArguments,
		Long: `Reads the log for what people were asked again and again and approved every time (at least five times, and never about
sensitive data), for rules of yours that decided nothing, and for the hosts that servers reached with
isolation.network: observe. Prints the command that allows exactly what was approved, or
the change to paste into the configuration. What people refused never becomes a proposal. Nothing is changed.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := newClient(g)
			if err != nil {
				return err
			}
			var out []replay.Suggestion
			query := map[string][]string{"since": {since}}
			if err := c.Get(cmd.Context(), "/api/v1/policies/suggestions", query, &out); err != nil {
				return err
			}
			if g.output != "table" {
				return g.print(cmd.OutOrStdout(), out, nil)
			}
			return printSuggestions(cmd.OutOrStdout(), g.config, out)
		},
	}
	cmd.Flags().StringVar(&since, "since", "30d", "from when: how long ago (30d, 12h), or an RFC 3339 `time`")
	return cmd
}

// printSuggestions prints suggestions for people, and a configuration to paste.
func printSuggestions(w io.Writer, file string, list []replay.Suggestion) error {
	if len(list) == 0 {
		fmt.Fprintln(w, "The log suggests no change.")
		return nil
	}
	var all []json.RawMessage
	for _, s := range list {
		fmt.Fprintln(w, term.Plain(s.Text))
		if s.Run != "" {
			fmt.Fprintf(w, "  To allow exactly that: %s\n", term.Plain(s.Run))
		}
		var part struct {
			Security struct{ Suppressions []json.RawMessage }
		}
		if len(s.Config) > 0 {
			if err := json.Unmarshal(s.Config, &part); err != nil {
				return errors.New("a suggestion of the daemon cannot be read")
			}
			all = slices.Concat(all, part.Security.Suppressions)
		}
	}
	if len(all) == 0 {
		return nil
	}
	change, err := json.MarshalIndent(map[string]any{"security": map[string]any{"suppressions": all}}, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(w, "\nPut this into %s, or add it to the suppressions that are there:\n\n%s\n", file, change)
	}
	return err
}

// simulationError explains what the daemon refused: a flag, or part of the file.
func simulationError(file string, err error) error {
	switch said := err.Error(); {
	case errors.Is(err, remote.ErrNotRunning):
		return err
	case strings.HasPrefix(said, "since:") || strings.HasPrefix(said, "until:"):
		return exit.With(exit.Config, fmt.Errorf("--%w", err))
	}
	return exit.With(exit.Config, fmt.Errorf("%s: %w", file, err))
}
