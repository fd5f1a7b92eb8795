package cli

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/approval"
	"mcpproxy/internal/cli/term"
)

func approvalsCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "approvals",
		Short: "Answer questions about calls",
		Args:  noSuchVerb,
		RunE:  help,
		Long: `Lists the calls about which a person is asked, and answers for them. An approval
lets exactly one call through: with the same arguments, in the same session, under the
same configuration. With --for session or --for always it holds for every call that does
the same, to the same destination, with the same kinds of data; for always, the approval
is kept as a rule, which you can list and revoke. Answer in a terminal of your own:
where an agent has hooks, mcpproxy refuses its commands that answer questions, and its
calls that touch mcpproxy's files or API.`,
		Example: `  mcpproxy approvals list
  mcpproxy approvals approve 01JD3ZK4V2M5Q8XW7R6T0B9YHE
  mcpproxy approvals approve 01JD3ZK4V2M5Q8XW7R6T0B9YHE --for session
  mcpproxy approvals rules`,
	}
	cmd.AddCommand(
		approvalsList(g),
		approvalsApprove(g),
		approvalsDeny(g),
		approvalsRules(g),
		approvalsRevoke(g),
	)
	return cmd
}

func approvalsList(g *globals) *cobra.Command {
	var ids bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List what waits for an answer, the oldest first",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var all []approval.Request
			if err := fetch(cmd, g, "/api/v1/approvals", nil, &all); err != nil {
				return err
			}
			if err := g.print(cmd.OutOrStdout(), all, requestTable(all, ids)); err != nil || g.output != "table" {
				return err
			}
			printRequests(cmd.OutOrStdout(), all)
			return nil
		},
	}
	cmd.Flags().BoolVar(&ids, "ids", false, "show the ids of sessions")
	return cmd
}

// requestTable lists requests. If ids is set, it has a column for session ids.
func requestTable(all []approval.Request, ids bool) *term.Table {
	t := &term.Table{
		Header: []string{"ID", "EXPIRES", "AGENT", "FOLDER", "CALL", "RISK", "RULE", "ASKED"},
		Whole:  []int{0},
	}
	if ids {
		t.Header = append(t.Header, "SESSION")
		t.Whole = append(t.Whole, len(t.Header)-1)
	}
	listed := make([]listedSession, len(all))
	for i, r := range all {
		listed[i] = listedSession{
			id:        cmp.Or(r.FlowSession, r.Session),
			agent:     agentOf(r.Agent),
			otherwise: r.Principal,
		}
	}
	names := nameSessions(listed)
	for i, r := range all {
		who, where := names.of(listed[i])
		call := term.Cut(strings.TrimPrefix(r.Server+":"+r.ToolName, ":"), 40)
		if r.Ran != "" {
			call += ": " + r.Ran
		}
		row := []string{
			r.ID,
			"in " + time.Until(r.Expires).Round(time.Second).String(),
			who,
			where,
			term.Cut(call, mostLine),
			string(r.RiskLevel),
			r.Rule,
			whoIsAsked(r),
		}
		if ids {
			row = append(row, listed[i].id)
		}
		t.Add(row...)
	}
	return t
}

// whoIsAsked says where the question can be answered.
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

// printRequests prints in full the requests that can be answered here.
func printRequests(w io.Writer, all []approval.Request) {
	for _, r := range all {
		if r.Approved || r.Channel == approval.AgentPrompt {
			continue
		}
		fmt.Fprintf(w, "\n%s\n", term.Colors(w).Bold(r.ID))
		for line := range strings.Lines(r.Text) {
			fmt.Fprintf(w, "  %s\n", term.Plain(strings.TrimSuffix(line, "\n")))
		}
	}
}

// passes says what an approval allows.
var passes = map[mcpproxy.Remembered]string{
	mcpproxy.RememberedOnce:    "The call may pass, once.",
	mcpproxy.RememberedSession: "The call may pass, and every call within the same boundary, in this session.",
	mcpproxy.RememberedAlways: "The call may pass, and every call within the same boundary, always. " +
		"`mcpproxy approvals rules` lists what is approved for always.",
}

func approvalsApprove(g *globals) *cobra.Command {
	span := string(mcpproxy.RememberedOnce)
	cmd := &cobra.Command{
		Use:   "approve ID",
		Short: "Let the call of a request through: once, for its session, or always",
		Args:  cobra.ExactArgs(1),
		Example: `  mcpproxy approvals approve 01JD3ZK4V2M5Q8XW7R6T0B9YHE
  mcpproxy approvals approve 01JD3ZK4V2M5Q8XW7R6T0B9YHE --for always`,
		RunE: func(cmd *cobra.Command, args []string) error {
			said, known := passes[mcpproxy.Remembered(span)]
			if !known {
				return fmt.Errorf("invalid --for %q: must be once, session or always", span)
			}
			return decideRequest(cmd, g, args[0], "approve", api.Span{For: mcpproxy.Remembered(span)}, said)
		},
	}
	cmd.Flags().StringVar(&span, "for", span, "for how long: once, session or always")
	_ = cmd.RegisterFlagCompletionFunc("for", cobra.FixedCompletions(
		[]string{"once", "session", "always"}, cobra.ShellCompDirectiveNoFileComp)) // fails only for unknown flags
	return cmd
}

func approvalsDeny(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "deny ID",
		Short: "Refuse the call of a request, or withdraw an unused approval",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return decideRequest(cmd, g, args[0], "deny", struct{}{}, "The call is refused.")
		},
	}
}

// decideRequest answers a request and prints the outcome.
func decideRequest(cmd *cobra.Command, g *globals, id, verb string, body any, done string) error {
	c, err := newClient(g)
	if err != nil {
		return err
	}
	var out api.Decided
	if err := c.Post(cmd.Context(), "/api/v1/approvals/"+url.PathEscape(id)+"/"+verb, body, &out); err != nil {
		return err
	}
	if g.output != "table" {
		return g.print(cmd.OutOrStdout(), out, nil)
	}
	fmt.Fprintln(cmd.OutOrStdout(), done)
	return nil
}
