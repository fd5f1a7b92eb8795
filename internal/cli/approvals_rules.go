package cli

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/exit"
	"mcpproxy/internal/explain"
)

func approvalsRules(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:     "rules",
		Short:   "List what you have approved for always, the oldest first",
		Args:    noArguments,
		Example: "  mcpproxy approvals rules\n  mcpproxy approvals rules -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			var all []api.ApprovalRule
			if err := fetch(cmd, g, "/api/v1/approvals/rules", nil, &all); err != nil {
				return err
			}
			t := &term.Table{Header: []string{"ID", "SINCE", "FOR", "CALL", "EFFECT", "GOES TO", "CARRIES", "ASKED BY"}}
			for _, r := range all {
				b := r.Boundary
				t.Add(
					r.ID,
					term.When(cmd.OutOrStdout(), r.Since, "2006-01-02 15:04"),
					term.Plain(b.Principal),
					term.Cut(mcpproxy.ToolName(b.Server, b.Tool), 40),
					string(b.Effect),
					term.Cut(strings.Join(b.Destinations, ", "), 50),
					term.Cut(carries(b), 50),
					strings.Join(b.Rules, ", "),
				)
			}
			if err := g.print(cmd.OutOrStdout(), all, t); err != nil || g.output != "table" {
				return err
			}
			printRules(cmd.OutOrStdout(), all)
			return nil
		},
	}
}

// carries describes the data in the calls of a boundary, or says that the boundary is one call.
func carries(b mcpproxy.Boundary) string {
	switch {
	case b.Call != "" && b.Run != "":
		return "only: " + b.Run
	case b.Call != "":
		return "only the same arguments"
	}
	return strings.Join(b.Data, ", ")
}

// printRules prints what each rule allows.
func printRules(w io.Writer, all []api.ApprovalRule) {
	for _, r := range all {
		fmt.Fprintf(w, "\n%s: %s.\n", term.Colors(w).Bold(r.ID), term.Plain(r.Within))
		if shown := r.Boundary.Shown(); shown != "" {
			fmt.Fprintf(w, "  Asked about: %s\n", term.Plain(shown))
		}
		fmt.Fprintf(w, "  To be asked again: mcpproxy approvals revoke %s\n", r.ID)
	}
}

func approvalsRevoke(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:     "revoke ID",
		Short:   "Revoke an approval for always, so that you are asked again",
		Args:    cobra.ExactArgs(1),
		Example: "  mcpproxy approvals revoke 01JD3ZK4V2M5Q8XW7R6T0B9YHE",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := newClient(g)
			if err != nil {
				return err
			}
			var out api.ApprovalRule
			path := "/api/v1/approvals/rules/" + url.PathEscape(args[0]) + "/revoke"
			if err := c.Post(cmd.Context(), path, struct{}{}, &out); err != nil {
				return err
			}
			if g.output != "table" {
				return g.print(cmd.OutOrStdout(), out, nil)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "Revoked. You will be asked again about this: %s.\n", term.Plain(out.Within))
			return nil
		},
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			var all []api.ApprovalRule
			if err := fetch(cmd, g, "/api/v1/approvals/rules", nil, &all); err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var ids []string
			for _, r := range all {
				ids = append(ids, r.ID+"\t"+mcpproxy.ToolName(r.Boundary.Server, r.Boundary.Tool))
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// apply permanently approves the boundary of a record, after the user has confirmed it.
func apply(cmd *cobra.Command, g *globals, e explain.Explanation, yes bool) error {
	w := cmd.OutOrStdout()
	if e.Apply == "" {
		why := "this call needed no approval, so there is nothing to approve"
		if b := e.Record.Metadata.Boundary; b != nil {
			why = b.Once
		}
		return exit.With(exit.General, fmt.Errorf(
			"there is nothing about %s that an approval for always could change: %s", e.ID, why))
	}
	if !yes {
		if !term.OnTerminal() {
			return errors.New("there is no terminal to ask on: add --yes to approve it for always")
		}
		question := fmt.Sprintf("\nFrom now on, %s. Approve this for always? ", term.Plain(e.Within))
		said, err := term.AskerOf(cmd).Yes(cmd.Context(), question)
		if err != nil {
			return err
		}
		if !said {
			return exit.With(exit.General, errors.New("nothing was approved"))
		}
	}
	c, err := newClient(g)
	if err != nil {
		return err
	}
	var out api.ApprovalRule
	body := map[string]string{"activity_id": e.ID}
	if err := c.Post(cmd.Context(), "/api/v1/approvals/rules", body, &out); err != nil {
		return err
	}
	if g.output != "table" {
		return g.print(w, out, nil)
	}
	fmt.Fprintf(w, "Approved for always, as rule %s: %s.\nTo take it back: mcpproxy approvals revoke %[1]s\n",
		out.ID, term.Plain(out.Within))
	return nil
}
