package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpproxy/internal/api"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/trust"
)

func trustCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Decide which tools of which servers agents may use",
		Args:  noSuchVerb,
		RunE:  help,
		Long: `A definition that a server declares (a tool, a prompt or its instructions) is held until
a person approves it. If it changes afterwards, it is held again. Agents can neither see
nor use a definition that is held.`,
		Example: `  mcpproxy trust list                          all definitions with their states
  mcpproxy trust baseline github               approve what a server declares at present
  mcpproxy trust diff github create_issue      what has changed since it was approved
  mcpproxy trust approve github create_issue
  mcpproxy trust block github delete_repo`,
	}
	cmd.AddCommand(
		trustList(g),
		trustShow(g),
		trustDiff(g),
		trustApprove(g),
		trustBlock(g),
		trustBaseline(g),
		trustServer(
			g,
			"quarantine",
			"Quarantine a server: hold everything that it declares",
		),
		trustServer(g, "unquarantine", "End the quarantine of a server"),
	)
	return cmd
}

// kindFlag is the flag that selects prompts or instructions instead of tools.
func kindFlag(cmd *cobra.Command, to *string) {
	*to = string(trust.Tool)
	cmd.Flags().Var((*kindValue)(to), "kind", "tool, prompt, instructions or program")
}

// kindValue is the value of the flag --kind: a kind of definition.
type kindValue string

func (k *kindValue) String() string { return string(*k) }
func (*kindValue) Type() string     { return "string" }

func (k *kindValue) Set(s string) error {
	if !slices.Contains(trust.Kinds, trust.Kind(s)) {
		return fmt.Errorf("must be tool, prompt, instructions or program")
	}
	*k = kindValue(s)
	return nil
}

func toolPath(server, tool string) string {
	return "/api/v1/servers/" + url.PathEscape(server) + "/tools/" + url.PathEscape(cmp.Or(tool, "-"))
}

func trustList(g *globals) *cobra.Command {
	var state string
	cmd := &cobra.Command{
		Use:     "list [SERVER]",
		Short:   "List the definitions of servers with their states",
		Args:    cobra.MaximumNArgs(1),
		Example: "  mcpproxy trust list\n  mcpproxy trust list github\n  mcpproxy trust list --state rug_pull",
		RunE: func(cmd *cobra.Command, args []string) error {
			if state != "" && !strings.Contains(" quarantined approved rug_pull blocked unknown ", " "+state+" ") {
				return fmt.Errorf("invalid --state %q: must be quarantined, approved, rug_pull, blocked or unknown", state)
			}
			servers, err := serversOf(cmd, g, args)
			if err != nil {
				return err
			}
			all := []api.Tool{}
			for _, server := range servers {
				tools, err := trustOf(cmd, g, server)
				if err != nil {
					return err
				}
				for _, t := range tools {
					if state == "" || string(t.Trust.State) == state {
						all = append(all, t)
					}
				}
			}
			return g.print(cmd.OutOrStdout(), all, trustTable(all))
		},
	}
	cmd.Flags().StringVar(&state, "state", "", "this state only: quarantined, approved, rug_pull, blocked or unknown")
	return cmd
}

// trustOf returns a server's definitions and its program.
func trustOf(cmd *cobra.Command, g *globals, server string) (all []api.Tool, err error) {
	for _, kind := range []string{"all", string(trust.ProgramKind)} {
		var some []api.Tool
		path := "/api/v1/servers/" + url.PathEscape(server) + "/tools"
		if err := fetch(cmd, g, path, url.Values{"kind": {kind}}, &some); err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// serversOf returns the servers that a command is about: the named one, or all.
func serversOf(cmd *cobra.Command, g *globals, args []string) ([]string, error) {
	if len(args) > 0 {
		return args[:1], nil
	}
	var all []api.Server
	if err := fetch(cmd, g, "/api/v1/servers", nil, &all); err != nil {
		return nil, err
	}
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	return names, nil
}

func trustTable(all []api.Tool) *term.Table {
	t := &term.Table{Header: []string{"SERVER", "KIND", "NAME", "STATE", "FINDINGS", "HASH", "WHY"}}
	for _, x := range all {
		found := ""
		for _, f := range x.Trust.Findings {
			found = string(f.Severity)
			if f.Hard {
				found += ", dangerous"
			}
		}
		why := x.Trust.Reason
		if !x.Trust.Listed {
			why = "not declared any more; " + why
		}
		t.Add(
			x.Server,
			string(x.Trust.Kind),
			term.Cut(trust.Visible(x.Name), 50),
			string(x.Trust.State),
			found,
			x.Trust.Hash[:12],
			term.Cut(why, 90),
		)
	}
	return t
}

func trustShow(g *globals) *cobra.Command {
	var kind string
	cmd := &cobra.Command{
		Use:     "show SERVER [TOOL]",
		Short:   "Show a definition as its server sent it, and what a scan found in it",
		Args:    cobra.RangeArgs(1, 2),
		Example: "  mcpproxy trust show github create_issue\n  mcpproxy trust show github --kind instructions",
		RunE: func(cmd *cobra.Command, args []string) error {
			var d api.Declared
			if err := fetch(cmd, g, toolPath(args[0], word(args)), url.Values{"kind": {kind}}, &d); err != nil {
				return err
			}
			if g.output != "table" {
				return g.print(cmd.OutOrStdout(), d, nil)
			}
			return drawDefinition(cmd.OutOrStdout(), d)
		},
	}
	kindFlag(cmd, &kind)
	return cmd
}

// word returns the second argument, or "".
func word(args []string) string {
	if len(args) > 1 {
		return args[1]
	}
	return ""
}

func trustDiff(g *globals) *cobra.Command {
	var kind string
	cmd := &cobra.Command{
		Use:     "diff SERVER [TOOL]",
		Short:   "Show where a definition differs from the form that was approved",
		Args:    cobra.RangeArgs(1, 2),
		Example: "  mcpproxy trust diff github create_issue",
		RunE: func(cmd *cobra.Command, args []string) error {
			var c api.Comparison
			if err := fetch(cmd, g, toolPath(args[0], word(args))+"/diff", url.Values{"kind": {kind}}, &c); err != nil {
				return err
			}
			if g.output != "table" {
				return g.print(cmd.OutOrStdout(), c, nil)
			}
			drawDiff(cmd.OutOrStdout(), c)
			return nil
		},
	}
	kindFlag(cmd, &kind)
	return cmd
}

// decide sends a decision about definitions of a server.
func decide(ctx context.Context, g *globals, server, verb string, d api.Decision) (trust.Sweep, error) {
	var out trust.Sweep
	c, err := newClient(g)
	if err != nil {
		return out, err
	}
	err = c.Post(ctx, "/api/v1/servers/"+url.PathEscape(server)+"/tools/"+verb, d, &out)
	return out, err
}

func trustApprove(g *globals) *cobra.Command {
	var d api.Decision
	var kind string
	cmd := &cobra.Command{
		Use:   "approve SERVER [TOOL…]",
		Short: "Approve definitions in the form they have",
		Args:  cobra.MinimumNArgs(1),
		Long: `Approves definitions in the form they have now. A definition is named as its server
names it, or by the beginning of its hash. With --hash only that form is approved, even
if the server has replaced it since you looked. --all approves everything of the server
that waits, of every kind, except what a scan found dangerous: approve that by name.`,
		Example: `  mcpproxy trust approve github create_issue list_issues
  mcpproxy trust approve github create_issue --hash 3f1c2a9b77e0
  mcpproxy trust approve github --kind instructions
  mcpproxy trust approve github --kind program
  mcpproxy trust approve github --all`,
		RunE: func(cmd *cobra.Command, args []string) error {
			d.Tools, d.Kind = args[1:], trust.Kind(kind)
			if len(d.Tools) == 0 && !d.All && d.Kind.Named() {
				return fmt.Errorf(
					"name the tools to approve, or give --all; `mcpproxy trust list %s` shows what waits",
					trust.Quote(args[0]),
				)
			}
			out, err := decide(cmd.Context(), g, args[0], "approve", d)
			if err != nil {
				return err
			}
			return printSweep(cmd, g, out)
		},
	}
	kindFlag(cmd, &kind)
	cmd.Flags().StringVar(&d.Hash, "hash", "", "approve this form only; at least 8 characters of its hash")
	cmd.Flags().BoolVar(&d.All, "all", false, "everything that waits, except what a scan found dangerous")
	return cmd
}

func trustBlock(g *globals) *cobra.Command {
	var d api.Decision
	var kind string
	cmd := &cobra.Command{
		Use:     "block SERVER [TOOL…]",
		Short:   "Refuse definitions, whatever form they have",
		Args:    cobra.MinimumNArgs(1),
		Example: "  mcpproxy trust block github delete_repo --reason \"nobody here deletes repositories\"",
		RunE: func(cmd *cobra.Command, args []string) error {
			d.Tools, d.Kind = args[1:], trust.Kind(kind)
			if len(d.Tools) == 0 && d.Kind.Named() {
				return fmt.Errorf(
					"name the tools to block; `mcpproxy trust list %s` shows them, and `mcpproxy trust quarantine %[1]s` holds all of them",
					trust.Quote(args[0]),
				)
			}
			out, err := decide(cmd.Context(), g, args[0], "block", d)
			if err != nil {
				return err
			}
			return printSweep(cmd, g, out)
		},
	}
	kindFlag(cmd, &kind)
	cmd.Flags().StringVar(&d.Reason, "reason", "", "why, for agents and the log")
	return cmd
}

func trustBaseline(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "baseline [SERVER]",
		Short: "Approve what a server, or every server, declares at present",
		Args:  cobra.MaximumNArgs(1),
		Long: `Approves every new definition in which a scan found nothing dangerous. Definitions that
have changed since they were approved, that a scan found dangerous or that are blocked
stay held, and the command lists them. It waits for servers that are still being read.`,
		Example: "  mcpproxy trust baseline\n  mcpproxy trust baseline github",
		RunE: func(cmd *cobra.Command, args []string) error {
			servers, err := serversOf(cmd, g, args)
			if err != nil {
				return err
			}
			all := trust.Sweep{Approved: []trust.Key{}, Skipped: []trust.Skip{}}
			var failed error // a server that cannot be read must not prevent the others
			for _, server := range servers {
				out, err := decide(cmd.Context(), g, server, "approve", api.Decision{New: true})
				failed = errors.Join(failed, err)
				all.Approved, all.Skipped = append(all.Approved, out.Approved...), append(all.Skipped, out.Skipped...)
			}
			if failed != nil && len(all.Approved)+len(all.Skipped) == 0 {
				return failed
			}
			return errors.Join(printSweep(cmd, g, all), failed)
		},
	}
}

func trustServer(g *globals, verb, short string) *cobra.Command {
	return &cobra.Command{
		Use:     verb + " SERVER",
		Short:   short,
		Args:    cobra.ExactArgs(1),
		Example: "  mcpproxy trust " + verb + " github",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := newClient(g)
			if err != nil {
				return err
			}
			var out trust.Change
			path := "/api/v1/servers/" + url.PathEscape(args[0]) + "/" + verb
			if err := c.Post(cmd.Context(), path, map[string]string{}, &out); err != nil {
				return err
			}
			t := &term.Table{Header: []string{"SERVER", "FROM", "TO"}}
			t.Add(out.Server, string(out.From), string(out.To))
			return g.print(cmd.OutOrStdout(), out, t)
		},
	}
}

func printSweep(cmd *cobra.Command, g *globals, s trust.Sweep) error {
	t := &term.Table{Header: []string{"DEFINITION", "NOW", "WHY"}}
	for _, k := range s.Approved {
		t.Add(trust.Visible(k.String()), string(trust.Approved), "")
	}
	for _, k := range s.Blocked {
		t.Add(trust.Visible(k.String()), string(trust.Blocked), "")
	}
	for _, k := range s.Skipped {
		t.Add(trust.Visible(k.String()), "as before", k.Why)
	}
	if len(t.Rows) == 0 && g.output == "table" {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), "Nothing waits for approval.")
		return err
	}
	return g.print(cmd.OutOrStdout(), s, t)
}

// drawDefinition prints a definition for people, with hidden characters made visible.
func drawDefinition(w io.Writer, d api.Declared) error {
	p := term.Colors(w)
	fmt.Fprintf(
		w,
		"%s  %s  since %s, by %s\n%s.\nHash %s\n",
		p.Bold(heading(d.Server, d.Trust.Kind, d.Name)),
		d.Trust.State,
		d.Trust.Since.Local().
			Format("2006-01-02 15:04:05"),
		term.Plain(d.Trust.By),
		term.Plain(strings.TrimSuffix(d.Trust.Reason, ".")),
		d.Trust.Hash,
	)
	for _, f := range d.Trust.Findings {
		for _, s := range f.Signals {
			fmt.Fprintf(
				w,
				"Found: %s %s, at %s: %s\n      %s\n",
				f.Severity,
				s.Check,
				cmp.Or(term.Plain(s.Path), "the definition"),
				term.Plain(s.Detail),
				p.Dim(term.Plain(s.Evidence)),
			)
		}
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, d.Definition, "", "  "); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s\n", trust.Visible(unescaped(pretty.Bytes())))
	if d.Trust.Held {
		key := trust.Key{Server: d.Server, Kind: d.Trust.Kind, Name: d.Name}
		fmt.Fprintf(
			w,
			"\nTo approve exactly this form:\n  %s --hash %s\n",
			trust.Command("approve", key, d.Trust.Hash),
			d.Trust.Hash[:16],
		)
	}
	return nil
}

// heading returns the title of a definition.
func heading(server string, kind trust.Kind, name string) string {
	if kind.Named() {
		return trust.Visible(server + ":" + name)
	}
	return trust.Visible(trust.Key{Server: server, Kind: kind}.String())
}

// drawDiff prints differences for people.
func drawDiff(w io.Writer, c api.Comparison) {
	p := term.Colors(w)
	fmt.Fprintf(
		w,
		"%s  %s\n%s.\n",
		p.Bold(heading(c.Server, c.Trust.Kind, c.Name)),
		c.Trust.State,
		term.Plain(strings.TrimSuffix(c.Trust.Reason, ".")),
	)
	switch {
	case !c.Approved:
		fmt.Fprintln(w, "\nIt was never approved: there is nothing to compare it with.")
	case len(c.Differences) == 0:
		fmt.Fprintln(w, "\nIt has the form that was approved.")
	}
	for _, d := range c.Differences {
		fmt.Fprintf(w, "\n%s %s\n", term.Plain(d.Path), d.Change)
		if d.Before != "" {
			fmt.Fprintf(w, "  - %s\n", strings.ReplaceAll(d.Before, "\n", "\n    "))
		}
		if d.After != "" {
			fmt.Fprintf(w, "  + %s\n", strings.ReplaceAll(d.After, "\n", "\n    "))
		}
	}
	if c.Trust.Held {
		key := trust.Key{Server: c.Server, Kind: c.Trust.Kind, Name: c.Name}
		fmt.Fprintf(
			w,
			"\nTo approve exactly this form:\n  %s --hash %s\n",
			trust.Command("approve", key, c.Trust.Hash),
			c.Trust.Hash[:16],
		)
	}
}

// unescaped returns JSON with escapes in strings replaced by their characters, so that text hidden
// in an escape such as \u200b is recognized. The result is for display only.
func unescaped(raw []byte) string {
	return unicodeEscape().ReplaceAllStringFunc(string(raw), func(s string) string {
		var out string
		if s[1] == '\\' || json.Unmarshal([]byte(`"`+s+`"`), &out) != nil || out == "\ufffd" ||
			strings.ContainsAny(out, "\"\\\n") {
			return s
		}
		return out
	})
}

// unicodeEscape matches numeric escapes, in pairs if two represent one character.
var unicodeEscape = lazyregexp.New(
	`\\\\|(?:\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[0-9a-fA-F]{4}`,
)
