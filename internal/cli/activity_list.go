package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/remote"
)

// activityPath is the daemon's path for listing records.
const activityPath = "/api/v1/activity"

func activityList(g *globals) *cobra.Command {
	var since string
	var follow, ids bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List records, newest first; those of one session from its beginning",
		Args:  noArguments,
		Long: `Lists records of the activity log, newest first. With --since it lists all records of that
time, and otherwise the last 50. With --follow it lists the oldest first, and adds new ones until Ctrl-C.
Each record is shown with the agent and the folder of its session; --ids shows the session's id
too. A name in quotes is what an MCP client calls itself. --session-id takes an id, the
beginning of one, or the name of a live session's folder.`,
		Example: `  mcpproxy activity list --since 10m
  mcpproxy activity list --status blocked --since 7d
  mcpproxy activity list --server github --follow
  mcpproxy activity list --session-id my-project
  mcpproxy activity list --limit 500 -o json`,
	}
	filters := filterFlags(cmd.Flags())
	cmd.Flags().StringVar(&since, "since", "", "from when: how long ago (10m, 12h, 7d), or an RFC 3339 `time`")
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "list new records as they are written, until Ctrl-C")
	cmd.Flags().BoolVar(&ids, "ids", false, "show the ids of sessions")
	cmd.MarkFlagsMutuallyExclusive("since", "start-time")
	for _, name := range []string{"order", "cursor", "offset", "end-time"} {
		cmd.MarkFlagsMutuallyExclusive("follow", name)
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := newClient(g)
		if err != nil {
			return err
		}
		query, err := filters()
		if err != nil {
			return err
		}
		if err := setSession(cmd, g, query); err != nil {
			return err
		}
		want := ledger.DefaultLimit
		if since != "" {
			if err := setTime(query, "start_time", "--since", since); err != nil {
				return err
			}
			want = everything
		}
		if given := query.Get("limit"); given != "" {
			if want, err = strconv.Atoi(given); err != nil || want < 1 {
				return fmt.Errorf("--limit: %q is not a whole number above 0", given)
			}
		}
		if follow {
			return followActivity(cmd, g, c, query, ids)
		}
		page, err := fetchPages(cmd.Context(), c, query, want)
		if err != nil {
			return err
		}
		return printActivity(cmd, g, page, ids)
	}
	return cmd
}

// everything is larger than the number of records in any log.
const everything = 1 << 31

// fetchPages fetches up to want records, page by page.
func fetchPages(ctx context.Context, c *remote.Client, query url.Values, want int) (api.Page, error) {
	var all api.Page
	for {
		query.Set("limit", strconv.Itoa(min(want-len(all.Records), ledger.MaxLimit)))
		var page api.Page
		if err := c.Get(ctx, activityPath, query, &page); err != nil {
			return all, err
		}
		if all.Records == nil {
			all = page
			all.Records = append([]*mcpproxy.Record{}, page.Records...)
		} else {
			all.Records = append(all.Records, page.Records...)
			for id, command := range page.Ran {
				if all.Ran == nil {
					all.Ran = map[string]string{}
				}
				all.Ran[id] = command
			}
		}
		all.Next = page.Next
		if page.Next == "" || len(all.Records) >= want {
			all.Limit = max(all.Limit, len(all.Records))
			return all, nil
		}
		query.Set("cursor", page.Next)
		query.Del("offset") // applies to the first page only
	}
}

// printActivity prints records and how to see more.
func printActivity(cmd *cobra.Command, g *globals, page api.Page, ids bool) error {
	if err := g.print(cmd.OutOrStdout(), page, recordTable(cmd.OutOrStdout(), page, ids)); err != nil {
		return err
	}
	if g.output != "table" || page.Total <= len(page.Records) || page.Next == "" {
		return nil
	}
	atLeast := ""
	if page.More {
		atLeast = "at least "
	}
	fmt.Fprintf(
		cmd.ErrOrStderr(),
		"%d of %s%d records; the next with --cursor %s, or more with --limit or --since\n",
		len(page.Records),
		atLeast,
		page.Total,
		page.Next,
	)
	return nil
}

// followLook is how often --follow asks for new records.
const followLook = 300 * time.Millisecond

// followActivity prints the last records of a query, oldest first, and then new ones. A record gets
// its id when its call begins and is written when the call ends. A new record may therefore appear
// anywhere in the list.
func followActivity(cmd *cobra.Command, g *globals, c *remote.Client, query url.Values, ids bool) error {
	show := 10
	switch n, err := strconv.Atoi(query.Get("limit")); {
	case query.Get("limit") != "" && (err != nil || n < 1):
		return fmt.Errorf("--limit: %q is not a whole number above 0", query.Get("limit"))
	case err == nil:
		show = n
	case query.Get("start_time") != "":
		show = everything
	}
	query.Set("order", "desc")
	page, err := fetchPages(cmd.Context(), c, query, max(show, ledger.MaxLimit))
	if err != nil {
		return err
	}
	known := idsOf(page.Records)
	page.Records = page.Records[:min(show, len(page.Records))]
	printLines(cmd.OutOrStdout(), g, page, ids)
	for {
		select {
		case <-cmd.Context().Done():
			return nil // Ctrl-C
		case <-time.After(followLook):
		}
		if page, err = unknownRecords(cmd.Context(), c, query, &known); err != nil && cmd.Context().Err() == nil {
			return err
		}
		printLines(cmd.OutOrStdout(), g, page, ids)
	}
}

// unknownRecords fetches the records of a query, newest first, that are not in known, and adds them
// to known. If a whole page is unknown, it fetches the next page.
func unknownRecords(
	ctx context.Context,
	c *remote.Client,
	query url.Values,
	known *map[string]bool,
) (api.Page, error) {
	fetched := map[string]bool{}
	unknown := api.Page{Ran: map[string]string{}}
	query.Del("cursor")
	for {
		page, err := fetchPages(ctx, c, query, ledger.MaxLimit)
		if err != nil {
			return api.Page{}, err
		}
		met := false
		for _, r := range page.Records {
			fetched[r.ID] = true
			if (*known)[r.ID] {
				met = true
				continue
			}
			unknown.Records = append(unknown.Records, r)
		}
		maps.Copy(unknown.Ran, page.Ran)
		if met || page.Next == "" {
			*known = fetched
			return unknown, nil
		}
		query.Set("cursor", page.Next)
	}
}

// idsOf returns the ids of records.
func idsOf(records []*mcpproxy.Record) map[string]bool {
	out := map[string]bool{}
	for _, r := range records {
		out[r.ID] = true
	}
	return out
}

// mostLine is the maximum length of a tool and its command in --follow.
const mostLine = 100

// printLines prints one record on each line, the last one of the page first. For programs it prints
// JSON lines in every format, because an endless list cannot be a table or a document.
func printLines(w io.Writer, g *globals, page api.Page, ids bool) {
	paint := term.Colors(w)
	names := nameSessions(listedRecords(page.Records))
	for _, r := range slices.Backward(page.Records) {
		if g.output != "table" {
			raw, err := json.Marshal(r)
			if err == nil {
				fmt.Fprintln(w, term.EscapedJSON(string(raw)))
			}
			continue
		}
		decision := string(r.Decision)
		if decision == "" {
			decision = string(r.Status)
		}
		pad := strings.Repeat(" ", max(0, 8-len(decision)))
		session := listedRecord(r)
		who, where := names.of(session)
		if ids {
			where += " " + session.id
		}
		line := fmt.Sprintf("%s  %s  %s%s %s  %s", r.ID, r.Timestamp.Local().Format("15:04:05"),
			paint.Decision(decision), pad, paint.Dim(term.Plain(strings.TrimSpace(who+" "+where))),
			term.Plain(term.Cut(ranCell(r, page.Ran), mostLine)))
		if r.Metadata.Reason != "" {
			line += "  " + paint.Dim(term.Plain(r.Metadata.Reason))
		}
		fmt.Fprintln(w, line)
	}
}

// networkHost returns the host and the port of a connection that a server tried to open, or "" for other records.
func networkHost(r *mcpproxy.Record) string {
	d := r.Metadata.Detail
	host, _ := d["host"].(string)
	port, _ := d["port"].(float64)
	if host == "" || r.Rule != mcpproxy.NetworkRule && d["network"] != "observed" {
		return ""
	}
	return net.JoinHostPort(host, strconv.Itoa(int(port)))
}

// ranCell returns a record's tool, and the command that it ran or the host that a server tried to reach.
func ranCell(r *mcpproxy.Record, ran map[string]string) string {
	tool := term.Cut(toolName(r), 40)
	if tool == "" {
		tool = string(r.Type)
	}
	if command := ran[r.ID]; command != "" {
		tool += ": " + command
	}
	if host := networkHost(r); host != "" {
		tool += " → " + host
	}
	return tool
}

// setTime sets a parameter to a time that is given as RFC 3339 or relative to now.
func setTime(query url.Values, name, flag, given string) error {
	at, err := moment(given, time.Now())
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	query.Set(name, at.UTC().Format(time.RFC3339Nano))
	return nil
}

// moment parses a time: RFC 3339, or how long ago (10m, 12h, 7d, 2w).
func moment(given string, now time.Time) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, given); err == nil {
		return at, nil
	}
	units := map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour}
	for unit, length := range units {
		if number, ok := strings.CutSuffix(given, unit); ok {
			if n, err := strconv.ParseFloat(number, 64); err == nil && n >= 0 && n < 1e5 {
				return now.Add(-time.Duration(n * float64(length))), nil
			}
		}
	}
	if ago, err := time.ParseDuration(given); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	return time.Time{}, fmt.Errorf("%q is not a time: write how long ago (10m, 12h, 7d), or 2026-03-01T00:00:00Z", given)
}
