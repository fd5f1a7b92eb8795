package main

import (
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy/internal/api"
	"mcpproxy/internal/approval"
)

func approvalsCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{Use: "approvals", Short: "Answer questions about calls", Args: noSuchVerb, RunE: help,
		Long: `Lists the calls about which a person is asked, and answers for them. An approval
lets exactly one call through, once: with the same arguments, in the same session,
under the same configuration. Answer in a terminal of your own: where an agent has
hooks, its commands that answer, and its calls that reach for the files or the API
of mcpproxy, are refused.`,
		Example: `  mcpproxy approvals list
  mcpproxy approvals approve 01JD3ZK4V2M5Q8XW7R6T0B9YHE`}
	cmd.AddCommand(approvalsList(g),
		approvalsDecide(g, "approve", "Let the call of a request through, once", "The call may pass, once."),
		approvalsDecide(g, "deny", "Refuse the call of a request, or take an unused approval back", "The call is refused."))
	return cmd
}

func approvalsList(g *globals) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List what waits for an answer, the oldest first", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var all []approval.Request
			if err := fetch(cmd, g, "/api/v1/approvals", nil, &all); err != nil {
				return err
			}
			t := &table{header: []string{"ID", "EXPIRES", "CALL", "RISK", "RULE", "ASKED"}}
			for _, r := range all {
				call := strings.TrimPrefix(r.Server+":"+r.ToolName, ":")
				t.add(r.ID, "in "+time.Until(r.Expires).Round(time.Second).String(), cut(call, 40), string(r.RiskLevel), r.Rule, whoIsAsked(r))
			}
			if err := g.print(cmd.OutOrStdout(), all, t); err != nil || g.output != "table" {
				return err
			}
			tellRequests(cmd.OutOrStdout(), all)
			return nil
		},
	}
}

// whoIsAsked says where a question stands.
func whoIsAsked(r approval.Request) string {
	switch {
	case r.Approved:
		return "approved, not used yet"
	case r.Channel == approval.Elicitation:
		return "the client's user"
	case r.Channel == approval.AgentPrompt:
		return "in the agent's window"
	}
	return "you"
}

// tellRequests shows what can be answered here, whole.
func tellRequests(w io.Writer, all []approval.Request) {
	for _, r := range all {
		if r.Approved || r.Channel == approval.AgentPrompt {
			continue
		}
		fmt.Fprintf(w, "\n%s\n", colours(w).bold(r.ID))
		for line := range strings.Lines(r.Text) {
			fmt.Fprintf(w, "  %s\n", plain(strings.TrimSuffix(line, "\n")))
		}
	}
}

func approvalsDecide(g *globals, verb, short, done string) *cobra.Command {
	return &cobra.Command{
		Use: verb + " ID", Short: short, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := newClient(g)
			if err != nil {
				return err
			}
			var out api.Decided
			if err := c.post(cmd.Context(), "/api/v1/approvals/"+url.PathEscape(args[0])+"/"+verb, struct{}{}, &out); err != nil {
				return err
			}
			if g.output != "table" {
				return g.print(cmd.OutOrStdout(), out, nil)
			}
			fmt.Fprintln(cmd.OutOrStdout(), done)
			return nil
		},
	}
}
