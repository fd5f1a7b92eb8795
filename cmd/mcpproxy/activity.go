package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/config"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/sqlite"
)

func activityCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{Use: "activity", Short: "Read the activity log", Args: noSuchVerb, RunE: help,
		Example: `  mcpproxy activity list --status blocked --risk-level high
  mcpproxy activity show 01J…
  mcpproxy activity export --format csv --start-time 2026-01-01T00:00:00Z > log.csv
  mcpproxy activity verify`}
	cmd.AddCommand(activityList(g), activityShow(g), activityWatch(g), activitySummary(g), activityExport(g), activityVerify(g))
	return cmd
}

// filterFlags adds every filter of the REST API as a flag of the same name.
func filterFlags(f *pflag.FlagSet, without ...string) func() url.Values {
	values := map[string]*string{}
	for _, name := range ledger.FilterNames {
		if !contains(without, name) {
			values[name] = f.String(strings.ReplaceAll(name, "_", "-"), "", filterHelp[name])
		}
	}
	return func() url.Values {
		v := url.Values{}
		for name, s := range values {
			if *s != "" {
				v.Set(name, *s)
			}
		}
		return v
	}
}

var filterHelp = map[string]string{
	"type": "record types, separated by commas", "server": "server name", "tool": "tool name", "session_id": "protocol or flow session",
	"status": "success, error, blocked or rejected", "flow_type": "such as internal->external", "risk_level": "this level and above",
	"start_time": "RFC 3339 time", "end_time": "RFC 3339 time", "request_id": "JSON-RPC id", "parent_id": "the call that made it",
	"sensitive_data": "true or false", "detection_type": "such as github_token", "severity": "this severity and above",
	"limit": "1 to 100 (default 50)", "offset": "records to skip", "cursor": "records older than the one with this id",
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

func activityList(g *globals) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List records, newest first", Args: cobra.NoArgs}
	filters := filterFlags(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := newClient(g)
		if err != nil {
			return err
		}
		var page api.Page
		if err := c.get(cmd.Context(), "/api/v1/activity", filters(), &page); err != nil {
			return err
		}
		if err := g.print(cmd.OutOrStdout(), page, recordTable(page.Records)); err != nil {
			return err
		}
		if g.output == "table" && page.Total > len(page.Records) {
			fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d records; the next with --cursor %s\n", len(page.Records), page.Total, page.Next)
		}
		return nil
	}
	return cmd
}

func recordTable(records []*mcpproxy.Record) *table {
	t := &table{header: []string{"ID", "TIME", "TYPE", "TOOL", "STATUS", "DECISION", "RISK", "FLOW"}}
	for _, r := range records {
		t.add(r.ID, r.Timestamp.Local().Format("01-02 15:04:05"), string(r.Type), cut(toolName(r), 40), string(r.Status),
			string(r.Decision), riskCell(r), string(r.FlowType))
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
	return &cobra.Command{
		Use: "show ID", Short: "Show one record, whole", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := fetchRecord(cmd.Context(), g, args[0])
			if err != nil {
				return err
			}
			if g.output == "table" {
				g.output = "yaml"
			}
			return g.print(cmd.OutOrStdout(), r, nil)
		},
	}
}

func fetchRecord(ctx context.Context, g *globals, id string) (*mcpproxy.Record, error) {
	c, err := newClient(g)
	if err != nil {
		return nil, err
	}
	var r mcpproxy.Record
	if err := c.get(ctx, "/api/v1/activity/"+url.PathEscape(id), nil, &r); err != nil {
		return nil, err
	}
	return &r, nil
}

func activityWatch(g *globals) *cobra.Command {
	return &cobra.Command{
		Use: "watch", Short: "Print events as they happen, until Ctrl-C", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := newClient(g)
			if err != nil {
				return err
			}
			resp, err := c.do(cmd.Context(), http.MethodGet, "/events", nil, nil)
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
			return err
		},
	}
}

func watch(w io.Writer, body io.Reader, format string) error {
	paint := colours(w)
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<20)
	event := ""
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			event = name
			continue
		}
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		if format != "table" {
			fmt.Fprintf(w, `{"event":%q,"data":%s}`+"\n", event, data)
			continue
		}
		var r mcpproxy.Record
		if json.Unmarshal([]byte(data), &r) != nil || r.ID == "" {
			fmt.Fprintf(w, "%s %s\n", event, plain(cut(data, 200)))
			continue
		}
		fmt.Fprintf(w, "%s  %-32s %-8s %-40s %s\n", r.Timestamp.Local().Format("15:04:05.000"), event,
			paint.decision(string(r.Decision)), plain(cut(toolName(&r), 40)), plain(r.Metadata.Reason))
	}
	return lines.Err()
}

func activitySummary(g *globals) *cobra.Command {
	cmd := &cobra.Command{Use: "summary", Short: "Count records by status and risk", Args: cobra.NoArgs}
	filters := filterFlags(cmd.Flags(), "limit", "offset", "cursor")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := newClient(g)
		if err != nil {
			return err
		}
		var sum api.Counts
		if err := c.get(cmd.Context(), "/api/v1/activity/summary", filters(), &sum); err != nil {
			return err
		}
		t := &table{header: []string{"WHAT", "RECORDS"}}
		t.add("all", fmt.Sprint(sum.Total))
		for _, s := range mcpproxy.Statuses {
			t.add(string(s), fmt.Sprint(sum.Status[s]))
		}
		for _, l := range mcpproxy.RiskLevels[1:] {
			t.add("risk "+string(l)+" and above", fmt.Sprint(sum.Risk[l]))
		}
		return g.print(cmd.OutOrStdout(), sum, t)
	}
	return cmd
}

func activityExport(g *globals) *cobra.Command {
	cmd := &cobra.Command{Use: "export", Short: "Write records to standard output, oldest first", Args: cobra.NoArgs}
	filters := filterFlags(cmd.Flags(), "limit", "offset", "cursor")
	format := cmd.Flags().String("format", "json", "json, jsonl or csv")
	flows := cmd.Flags().Bool("include-flows", false, "include the data flows of each call")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := newClient(g)
		if err != nil {
			return err
		}
		q := filters()
		q.Set("format", *format)
		if *flows {
			q.Set("include_flows", "true")
		}
		resp, err := c.do(cmd.Context(), http.MethodGet, "/api/v1/activity/export", q, nil)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			var body struct{ Error string }
			_ = json.NewDecoder(resp.Body).Decode(&body)
			return errors.New(body.Error)
		}
		if _, err := io.Copy(cmd.OutOrStdout(), resp.Body); err != nil {
			return fmt.Errorf("the export ended early: %w", err)
		}
		return nil
	}
	return cmd
}

func activityVerify(g *globals) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use: "verify", Short: "Check that no record was changed, removed or inserted", Args: cobra.NoArgs,
		Long: `Walks the hash chain of the activity log and holds every record against it. Exits 1
and names the first bad record when something does not agree. Works on the file
itself; the daemon may run or not.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file == "" {
				c, err := config.Load(g.config)
				if errors.Is(err, os.ErrNotExist) {
					c, err = config.Default(), nil
				}
				if err != nil {
					return err
				}
				file = c.LogPath()
			}
			return verify(cmd.Context(), cmd.OutOrStdout(), g, file)
		},
	}
	cmd.Flags().StringVar(&file, "file", "", "log to verify (default: that of the configuration)")
	return cmd
}

func verify(ctx context.Context, w io.Writer, g *globals, file string) error {
	if _, err := os.Stat(file); err != nil {
		return fmt.Errorf("there is no activity log: %w", err)
	}
	store, err := sqlite.Open(ctx, file)
	if err != nil {
		return err
	}
	defer store.Close()
	rep, err := store.Verify(ctx)
	if err != nil {
		return err
	}
	t := &table{header: []string{"RECORDS", "CHAIN", "HEAD"}}
	t.add(fmt.Sprint(rep.Records), map[bool]string{true: "holds", false: "BROKEN"}[rep.OK], rep.Head)
	if err := g.print(w, rep, t); err != nil {
		return err
	}
	if !rep.OK {
		return &exitError{exitGeneral, fmt.Errorf("record %s: %s", rep.BadID, rep.Problem)}
	}
	return nil
}
