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
	"mcpproxy/internal/cli/term"
)

func sessionsCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "Look at the sessions in which data is followed",
		Args:  noSuchVerb,
		RunE:  help,
		Example: `  mcpproxy sessions list
  mcpproxy sessions list --ids
  mcpproxy sessions show my-project
  mcpproxy sessions show mcp:local:/mcp
  mcpproxy activity list --type flow_summary     sessions that have ended`,
	}
	cmd.AddCommand(sessionsList(g), sessionsShow(g))
	return cmd
}

func sessionsList(g *globals) *cobra.Command {
	var ids bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the live sessions, the last used first",
		Args:  noArguments,
		Long: `Lists the live sessions, the last used first, each with its agent and the folder in which the
agent works. A name in quotes is what an MCP client calls itself. Where agent and folder are not enough
to tell a session apart, # and the beginning of its id follow; --ids shows whole ids.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var sessions []api.Session
			if err := fetch(cmd, g, "/api/v1/sessions", nil, &sessions); err != nil {
				return err
			}
			if g.output != "table" {
				return g.print(cmd.OutOrStdout(), sessions, nil)
			}
			return sessionTable(cmd, g, sessions, ids).Write(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&ids, "ids", false, "show the ids of sessions")
	return cmd
}

// sessionTable lists sessions. If ids is set, it has a column for their ids.
func sessionTable(cmd *cobra.Command, g *globals, sessions []api.Session, ids bool) *term.Table {
	t := &term.Table{
		Header: []string{"AGENT", "FOLDER", "LAST", "LAST CALL", "ORIGINS", "FLOWS", "LEGS", "TOOLS"},
		Spare:  []int{7, 4, 5},
	}
	if ids {
		t.Header = append(t.Header, "SESSION")
		t.Whole = append(t.Whole, len(t.Header)-1)
	}
	listed := make([]listedSession, len(sessions))
	calls := make([]string, len(sessions))
	for i, s := range sessions {
		listed[i].id = s.ID
		if i < maxLastCalls {
			listed[i], calls[i] = lastCallOf(cmd, g, s.ID)
		}
		if known := agentOf(s.Agent); known.Known() {
			listed[i].agent = known
		}
	}
	names := nameSessions(listed)
	for i, s := range sessions {
		who, where := names.of(listed[i])
		row := []string{
			who,
			where,
			term.When(cmd.OutOrStdout(), s.Last, "15:04:05"),
			calls[i],
			fmt.Sprint(s.Origins),
			fmt.Sprint(s.Edges),
			legNames(s.Legs),
			term.Cut(strings.Join(s.Tools, ", "), 60),
		}
		if ids {
			row = append(row, s.ID)
		}
		t.Add(row...)
	}
	return t
}

// maxLastCalls is the number of sessions whose last call is looked up.
const maxLastCalls = 25

// lastCallOf returns the last call of a session: the caller, and the tool with the command that it
// ran. The call is "" if the log contains none.
func lastCallOf(cmd *cobra.Command, g *globals, session string) (who listedSession, call string) {
	var page api.Page
	query := url.Values{
		"session_id": {session},
		"order":      {"desc"},
		"type":       {string(mcpproxy.RecordToolCall) + "," + string(mcpproxy.RecordHookEvaluation)},
		"limit":      {"1"},
	}
	if err := fetch(cmd, g, activityPath, query, &page); err != nil || len(page.Records) == 0 {
		return listedSession{id: session}, ""
	}
	r := page.Records[0]
	who = listedRecord(r)
	who.id = session
	return who, term.Cut(ranCell(r, page.Ran), mostLine)
}

func sessionsShow(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "show SESSION",
		Short: "Show what a live session has read, met and sent",
		Args:  cobra.ExactArgs(1),
		Long: `Shows what a live session has read, met and sent. SESSION is its id, the beginning of its id, or the
name of the folder in which its agent works.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := liveSession(cmd, g, args[0])
			if err != nil {
				return err
			}
			var s api.SessionFlow
			if err := fetch(cmd, g, "/api/v1/sessions/"+url.PathEscape(id)+"/flow", nil, &s); err != nil {
				return err
			}
			if g.output != "table" {
				return g.print(cmd.OutOrStdout(), s, nil)
			}
			return drawSession(cmd.OutOrStdout(), s)
		},
	}
}

// drawSession prints a session for people.
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
	if who := (listedSession{agent: agentOf(sum.Agent)}); who.agent.Known() {
		fmt.Fprintf(w, "%s\n", term.Plain(strings.TrimSpace(who.agentName()+" in "+cmp.Or(who.agent.Folder, "an unknown folder"))))
	}
	if sum.Evicted > 0 || sum.EvictedBytes > 0 {
		fmt.Fprintf(w, "Forgotten, to stay within the bounds: %d results, %d KB.\n", sum.Evicted, sum.EvictedBytes>>10)
	}
	if sum.Loss.Matters() {
		fmt.Fprintf(
			w,
			"The record of what it had read before %s was lost (activity %s): calls to external destinations are treated as if they carried it.\n",
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
		{legTable(w, sum.Legs), "It has read neither private data nor text that outsiders wrote, and it has sent nothing."},
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

// eachLeg calls f for every leg that has begun, with its name.
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

func legTable(w io.Writer, l mcpproxy.Legs) *term.Table {
	t := &term.Table{Header: []string{"LEG", "SINCE", "BEGAN WITH", "CALL"}}
	eachLeg(l, func(name string, leg *mcpproxy.Leg) {
		t.Add(name, term.When(w, leg.Time, "15:04:05"), leg.Name, leg.CallID)
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

// recognised says how an edge's data was recognized.
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
