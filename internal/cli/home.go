package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy/internal/api"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/home"
)

func homeCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "home",
		Short: "Say what belongs to your own organisation",
		Args:  noSuchVerb,
		RunE:  help,
		Long: `Home is your own organisation: its domains, your addresses, the repositories that you
work on, your accounts and workspaces. What stays at home is seen by fewer people than
what leaves it. mcpproxy learns entries from git, from the URLs of internal servers and
from tools that say who you are; you add, confirm, reject and remove them.

An entry is a domain (acme.example), an address (me@acme.example), an owner or a
repository (github.com/acme, github.com/acme/app), account:NAME or workspace:ID.`,
		Example: `  mcpproxy home list
  mcpproxy home add acme.example github.com/acme workspace:T0123
  mcpproxy home confirm github.com/acme/app
  mcpproxy home reject forum.acme.example`,
	}
	cmd.AddCommand(
		homeList(g),
		homeDecide(g, api.HomeAdd, "Make something home"),
		homeDecide(g, api.HomeRemove, "Forget entries; what was learned may be learned again"),
		homeDecide(g, api.HomeConfirm, "Confirm that learned entries are home"),
		homeDecide(g, api.HomeReject, "Say that entries are not home, and are not to be learned again"),
	)
	return cmd
}

func homeList(g *globals) *cobra.Command {
	var open bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List what is home, and what could be",
		Args:  noArguments,
		Example: `  mcpproxy home list
  mcpproxy home list --open
  mcpproxy home list -o json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var all []api.HomeEntry
			if err := fetch(cmd, g, "/api/v1/home", nil, &all); err != nil {
				return err
			}
			shown := []api.HomeEntry{}
			for _, e := range all {
				if !open || e.Doubt != "" {
					shown = append(shown, e)
				}
			}
			w := cmd.OutOrStdout()
			if err := g.print(w, shown, homeTable(w, shown)); err != nil || g.output != "table" {
				return err
			}
			printDoubts(cmd.OutOrStdout(), shown)
			return nil
		},
	}
	cmd.Flags().BoolVar(&open, "open", false, "only what does not count until you confirm it")
	return cmd
}

// homeTable lists entries.
func homeTable(w io.Writer, all []api.HomeEntry) *term.Table {
	t := &term.Table{Header: []string{"ENTRY", "KIND", "HOME", "STATE", "SOURCE", "FROM", "SINCE"}}
	for _, e := range all {
		counts := "no"
		if e.Counts {
			counts = "yes"
		}
		since := ""
		if !e.FirstSeen.IsZero() {
			since = term.When(w, e.FirstSeen, time.DateOnly)
		}
		t.Add(
			term.Cut(e.Name, 60),
			string(e.Kind),
			counts,
			string(e.State),
			string(e.Source),
			term.Cut(cmp.Or(e.From, e.By), 50),
			since,
		)
	}
	return t
}

// printDoubts prints why entries are not used, and what to do.
func printDoubts(w io.Writer, all []api.HomeEntry) {
	for _, e := range all {
		if e.Doubt == "" {
			continue
		}
		name := term.Plain(e.Name)
		if strings.ContainsAny(name, " '\"$`\\") {
			name = fmt.Sprintf("%q", name)
		}
		fmt.Fprintf(w, "\n%s does not count: %s.\n", name, term.Plain(e.Doubt))
		fmt.Fprintf(w, "  mcpproxy home confirm %s    or: mcpproxy home reject %[1]s\n", name)
	}
}

func homeDecide(g *globals, action, short string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     action + " ENTRY…",
		Short:   short,
		Args:    cobra.MinimumNArgs(1),
		Example: "  mcpproxy home " + action + " acme.example github.com/acme",
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, arg := range args {
				if _, err := home.Parse(arg); err != nil { // before anything is decided
					return err
				}
			}
			c, err := newClient(g)
			if err != nil {
				return err
			}
			changes := []api.HomeChange{}
			for _, arg := range args {
				var change api.HomeChange
				body := api.HomeDecision{Action: action, Entry: arg}
				if err := c.Post(cmd.Context(), "/api/v1/home", body, &change); err != nil {
					return err
				}
				changes = append(changes, change)
			}
			t := &term.Table{Header: []string{"ENTRY", "KIND", "NOW"}}
			for _, change := range changes {
				t.Add(term.Plain(change.Entry.Name), string(change.Entry.Kind), string(change.Event))
			}
			return g.print(cmd.OutOrStdout(), changes, t)
		},
	}
	if action != api.HomeAdd {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return homeNames(cmd, g), cobra.ShellCompDirectiveNoFileComp
		}
	}
	return cmd
}

// homeNames returns the entries that the daemon knows; none if it is not running.
func homeNames(cmd *cobra.Command, g *globals) []string {
	var all []api.HomeEntry
	if err := fetch(cmd, g, "/api/v1/home", nil, &all); err != nil {
		return nil
	}
	var names []string
	for _, e := range all {
		if e.Source != home.Configured {
			names = append(names, e.Name+"\t"+string(e.Kind))
		}
	}
	return names
}
