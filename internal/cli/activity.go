package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/ledger"
)

func activityCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "activity",
		Short: "Read the activity log",
		Args:  noSuchVerb,
		RunE:  help,
		Example: `  mcpproxy activity list --since 10m
  mcpproxy activity list --status blocked --risk-level high --follow
  mcpproxy activity show 01J…
  mcpproxy activity export --format csv --start-time 2026-01-01T00:00:00Z --file log.csv
  mcpproxy activity verify`,
	}
	cmd.AddCommand(
		activityList(g),
		activityShow(g),
		activityWatch(g),
		activitySummary(g),
		activityExport(g),
		activityVerify(g),
	)
	return cmd
}

// filterFlags adds every filter of the REST API as a flag of the same name. Times may be relative,
// such as 2h for two hours ago.
func filterFlags(f *pflag.FlagSet, without ...string) func() (url.Values, error) {
	values := map[string]*string{}
	for _, name := range ledger.FilterNames {
		if !contains(without, name) {
			values[name] = f.String(strings.ReplaceAll(name, "_", "-"), "", filterHelp[name])
		}
	}
	return func() (url.Values, error) {
		v := url.Values{}
		for name, s := range values {
			switch {
			case *s == "":
			case name == "start_time" || name == "end_time":
				if err := setTime(v, name, "--"+strings.ReplaceAll(name, "_", "-"), *s); err != nil {
					return nil, err
				}
			default:
				v.Set(name, *s)
			}
		}
		return v, nil
	}
}

var filterHelp = map[string]string{
	"type":           "record types, separated by commas",
	"server":         "server name",
	"tool":           "tool name",
	"session_id":     "a session: its id, the beginning of its id, or its folder's name",
	"status":         "success, error, blocked or rejected",
	"flow_type":      "such as internal->external",
	"risk_level":     "this level and above",
	"start_time":     "RFC 3339 `time`, or how long ago (12h, 7d)",
	"end_time":       "RFC 3339 `time`, or how long ago (12h, 7d)",
	"request_id":     "JSON-RPC `id`",
	"parent_id":      "`id` of the call that made it",
	"sensitive_data": "true or false",
	"detection_type": "such as github_token",
	"severity":       "this severity and above",
	"decision":       "allow, warn, redact, ask or deny",
	"rule":           "the rule that decided",
	"principal":      "who called",
	"order":          "asc is oldest first, desc is newest first (default: desc, asc with --session-id)",
	"limit":          "`number` of records (default 50, or all with --since)",
	"offset":         "`number` of records to skip",
	"cursor":         "records that come after the one with this `id`",
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

// recordTable lists records. If ids is set, it has a column for session ids.
func recordTable(w io.Writer, page api.Page, ids bool) *term.Table {
	t := &term.Table{
		Header: []string{"ID", "TIME", "AGENT", "FOLDER", "TYPE", "TOOL", "STATUS", "DECISION", "RISK", "FLOW"},
		Whole:  []int{0},
		Spare:  []int{4, 9},
	}
	if ids {
		t.Header = append(t.Header, "SESSION")
		t.Whole = append(t.Whole, len(t.Header)-1)
	}
	names := nameSessions(listedRecords(page.Records))
	for _, r := range page.Records {
		session := listedRecord(r)
		who, where := names.of(session)
		tool := ranCell(r, page.Ran)
		if tool == string(r.Type) {
			tool = ""
		}
		row := []string{
			r.ID,
			term.When(w, r.Timestamp, "01-02 15:04:05"),
			who,
			where,
			string(r.Type),
			tool,
			string(r.Status),
			string(r.Decision),
			riskCell(r),
			string(r.FlowType),
		}
		if ids {
			row = append(row, session.id)
		}
		t.Add(row...)
	}
	return t
}

func toolName(r *mcpproxy.Record) string {
	if r.ServerName == "" || r.ToolName == "" {
		return r.ServerName + r.ToolName
	}
	return r.ServerName + ":" + r.ToolName
}

func riskCell(r *mcpproxy.Record) string {
	if r.RiskLevel == "" {
		return ""
	}
	return fmt.Sprintf("%s (%d)", r.RiskLevel, r.RiskScore)
}

func activityShow(g *globals) *cobra.Command {
	personal := false
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show one record in full",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := fetchRecord(cmd.Context(), g, args[0], personal)
			if err != nil {
				return err
			}
			if g.output == "table" {
				g.output = "yaml"
			}
			return g.print(cmd.OutOrStdout(), r, nil)
		},
	}
	cmd.Flags().BoolVar(&personal, "personal", false, "show personal data, which is masked otherwise")
	return cmd
}

// fetchRecord returns a record of the log, with the personal data in it if personal is set.
func fetchRecord(ctx context.Context, g *globals, id string, personal bool) (*mcpproxy.Record, error) {
	c, err := newClient(g)
	if err != nil {
		return nil, err
	}
	var query url.Values
	if personal {
		query = url.Values{"personal": {"show"}}
	}
	var r mcpproxy.Record
	if err := c.Get(ctx, "/api/v1/activity/"+url.PathEscape(id), query, &r); err != nil {
		return nil, err
	}
	return &r, nil
}

func activityWatch(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "watch",
		Short: "Print events as they happen, until Ctrl-C",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := newClient(g)
			if err != nil {
				return err
			}
			resp, err := c.Do(cmd.Context(), http.MethodGet, "/events", nil, nil)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				return fmt.Errorf("the daemon refused the event stream (HTTP status %s)", resp.Status)
			}
			err = watch(cmd.OutOrStdout(), resp.Body, g.output)
			if cmd.Context().Err() != nil {
				return nil // Ctrl-C
			}
			return cmp.Or(
				err,
				errors.New("the daemon closed the event stream: it is stopping, or this program reads too slowly"),
			)
		},
	}
}

func watch(w io.Writer, body io.Reader, format string) error {
	paint := term.Colors(w)
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<20)
	event := ""
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			event = name
			continue
		}
		if event == "dropped" {
			return nil // the reader of the export reports it
		}
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		if format != "table" {
			fmt.Fprintf(w, `{"event":%q,"data":%s}`+"\n", event, term.EscapedJSON(data))
			continue
		}
		var r mcpproxy.Record
		if json.Unmarshal([]byte(data), &r) != nil || r.ID == "" {
			fmt.Fprintf(w, "%s %s\n", event, term.Plain(term.Cut(data, 200)))
			continue
		}
		fmt.Fprintf(w, "%s  %-32s %-8s %-40s %s\n", r.Timestamp.Local().Format("15:04:05.000"), event,
			paint.Decision(string(r.Decision)), term.Plain(term.Cut(toolName(&r), 40)), term.Plain(r.Metadata.Reason))
	}
	return lines.Err()
}
