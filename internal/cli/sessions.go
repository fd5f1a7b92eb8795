package cli

import (
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/cli/term"
)

func sessionsCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "Look at the sessions in which data is followed",
		Args:  noSuchVerb,
		RunE:  help,
		Example: `  mcpproxy sessions list
  mcpproxy sessions show mcp:local:/mcp
  mcpproxy activity list --type flow_summary     sessions that have ended`,
	}
	cmd.AddCommand(sessionsList(g), sessionsShow(g))
	return cmd
}

func sessionsList(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the live sessions, the last used first",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var sessions []api.Session
			if err := fetch(cmd, g, "/api/v1/sessions", nil, &sessions); err != nil {
				return err
			}
			t := &term.Table{
				Header: []string{"SESSION", "AGENT", "LAST", "LAST CALL", "ORIGINS", "FLOWS", "LEGS", "TOOLS"},
				Whole:  []int{0},
			}
			for i, s := range sessions {
				var last lastCall
				if g.output == "table" && i < maxLastCalls {
					last = lastCallOf(cmd, g, s.ID)
				}
				t.Add(
					s.ID,
					last.agent,
					term.When(cmd.OutOrStdout(), s.Last, "15:04:05"),
					last.call,
					fmt.Sprint(s.Origins),
					fmt.Sprint(s.Edges),
					legNames(s.Legs),
					term.Cut(strings.Join(s.Tools, ", "), 60),
				)
			}
			return g.print(cmd.OutOrStdout(), sessions, t)
		},
	}
}

// maxLastCalls is of how many sessions the last call is looked up.
const maxLastCalls = 25

// lastCall tells people which session is which.
type lastCall struct {
	agent string // the agent whose hook told of it, or the principal
	call  string // the tool, and the command that it ran
}

// lastCallOf looks up the last call of a session; the zero value if the log has none.
func lastCallOf(cmd *cobra.Command, g *globals, session string) lastCall {
	var page api.Page
	query := url.Values{
		"session_id": {session},
		"order":      {"desc"},
		"type":       {string(mcpproxy.RecordToolCall) + "," + string(mcpproxy.RecordHookEvaluation)},
		"limit":      {"1"},
	}
	if err := fetch(cmd, g, activityPath, query, &page); err != nil || len(page.Records) == 0 {
		return lastCall{}
	}
	r := page.Records[0]
	last := lastCall{agent: r.Principal, call: term.Cut(ranCell(r, page.Ran), 50)}
	if agent, ok := r.Metadata.Detail["agent"].(string); ok {
		last.agent = agent
	}
	return last
}

func sessionsShow(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "show SESSION",
		Short: "Show what a live session has read, met and sent",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var s api.SessionFlow
			if err := fetch(cmd, g, "/api/v1/sessions/"+url.PathEscape(args[0])+"/flow", nil, &s); err != nil {
				return err
			}
			if g.output != "table" {
				return g.print(cmd.OutOrStdout(), s, nil)
			}
			return drawSession(cmd.OutOrStdout(), s)
		},
	}
}

// drawSession shows a session to a person.
func drawSession(w io.Writer, s api.SessionFlow) error {
	sum := s.Summary
	fmt.Fprintf(
		w,
		"%s\n%s to %s. Results followed: %d. Flows found: %d. Memory: %d KB.\n",
		term.Colors(w).Bold(term.Plain(s.ID)),
		sum.Started.Local().
			Format("2006-01-02 15:04:05"),
		sum.Last.Local().Format("15:04:05"),
		sum.Origins,
		sum.Edges,
		sum.Bytes>>10,
	)
	if sum.Evicted > 0 || sum.EvictedBytes > 0 {
		fmt.Fprintf(w, "Forgotten, to stay within the bounds: %d results, %d KB.\n", sum.Evicted, sum.EvictedBytes>>10)
	}
	if sum.Loss.Matters() {
		fmt.Fprintf(
			w,
			"What it had read before %s is not known any more (activity %s): calls to external destinations are treated as if they carried it.\n",
			sum.Loss.Time.Local().Format(time.DateTime),
			term.Plain(sum.Loss.Record),
		)
	}
	for _, l := range sum.Linked {
		fmt.Fprintf(w, "Linked: %s\n", term.Plain(l))
	}
	for _, section := range []struct {
		rows *term.Table
		none string
	}{
		{legTable(sum.Legs), "It has neither read private data nor met text of strangers nor sent anything."},
		{moveTable(s), "No data of a result was seen in a later call."},
		{destinationTable(s.Destinations), ""},
	} {
		switch {
		case len(section.rows.Rows) > 0:
			fmt.Fprintln(w)
			if err := section.rows.Write(w); err != nil {
				return err
			}
		case section.none != "":
			fmt.Fprintf(w, "\n%s\n", section.none)
		}
	}
	return nil
}

// eachLeg calls f for every leg that has begun, with its name in listings.
func eachLeg(l mcpproxy.Legs, f func(name string, leg *mcpproxy.Leg)) {
	names := []string{"private", "secrets", "strangers", "instruction", "sent"}
	for i, leg := range []*mcpproxy.Leg{l.Private, l.Sensitive, l.Untrusted, l.Injected, l.Sent} {
		if leg != nil {
			f(names[i], leg)
		}
	}
}

func legNames(l mcpproxy.Legs) string {
	var names []string
	eachLeg(l, func(name string, _ *mcpproxy.Leg) { names = append(names, name) })
	return strings.Join(names, ", ")
}

func legTable(l mcpproxy.Legs) *term.Table {
	t := &term.Table{Header: []string{"LEG", "SINCE", "BEGAN WITH", "CALL"}}
	eachLeg(l, func(name string, leg *mcpproxy.Leg) {
		t.Add(name, leg.Time.Local().Format("15:04:05"), leg.Name, leg.CallID)
	})
	return t
}

func moveTable(s api.SessionFlow) *term.Table {
	t := &term.Table{Header: []string{"CALL", "FLOW", "RISK", "RECOGNISED", "AT", "EVIDENCE", "DESTINATION"}}
	for _, m := range s.Moves {
		t.Add(
			m.CallID,
			m.From.Name()+" → "+m.Tool,
			string(m.Risk),
			recognised(m.Edge),
			term.Cut(m.Path, 30),
			term.Cut(m.Evidence, 30),
			string(m.Destination),
		)
	}
	return t
}

func destinationTable(all []mcpproxy.Destination) *term.Table {
	t := &term.Table{Header: []string{"DESTINATION", "KIND", "CHOSEN BY", "MET IN"}}
	for _, d := range all {
		met := ""
		if d.From != nil {
			met = d.From.Name() + " " + d.From.CallID
		}
		t.Add(term.Cut(d.Value, 60), d.Kind, string(d.Source), met)
	}
	return t
}

// recognised says how an edge's data was found again.
func recognised(e mcpproxy.Edge) string {
	s := fmt.Sprintf("%s, %d bytes", e.Match, e.Bytes)
	if e.Bits > 0 {
		s = fmt.Sprintf("%s, %.0f bits", e.Match, e.Bits)
	}
	if e.Decoded != "" {
		s += ", in " + e.Decoded
	}
	if e.Confidence > 0 {
		s += fmt.Sprintf(", confidence %.2f", e.Confidence)
	}
	return s
}
