package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy/internal/api"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/upstream"
)

func statusCommand(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show the state of the proxy and its servers",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := newClient(g)
			if err != nil {
				return err
			}
			var st api.Overview
			if err := c.Get(cmd.Context(), "/api/v1/status", nil, &st); err != nil {
				return err
			}
			t := &term.Table{Header: []string{"SERVER", "STATE", "PROTOCOL", "VERSION", "ERROR"}}
			for _, s := range st.Servers {
				t.Add(s.Name, stateOf(s), string(s.Protocol), s.Version, term.Cut(s.Error, 60))
			}
			if g.output == "table" {
				printAlarms(cmd.OutOrStdout(), g.config, &st)
				printOverview(cmd.OutOrStdout(), &st)
			}
			if err := g.print(cmd.OutOrStdout(), st, t); err != nil || g.output != "table" {
				return err
			}
			printState(cmd.OutOrStdout(), &st)
			return nil
		},
	}
}

// printAlarms prints conditions that stop calls or let them pass unseen.
func printAlarms(w io.Writer, file string, st *api.Overview) {
	if st.Kill.On {
		printKill(w, st.Kill, file)
	}
	if st.Unseen != nil {
		fmt.Fprintf(w, "%s: %s.\n", term.Colors(w).Red("CALLS PASSED UNSEEN"), st.Unseen)
	}
	if away := st.Outage; away != nil {
		fmt.Fprintf(w, "%s: %s.\n", term.Colors(w).Red("THE DAEMON DID NOT RUN"), away)
	}
	if f := st.State; f != nil {
		fmt.Fprintf(w, "THE STATE STORE DOES NOT WORK: %s\n", f.Error)
	}
	if f := st.Log.Failure; f != nil {
		printLogFailure(w, f)
	}
	if failing := st.Ship.Failing(); failing != "" {
		fmt.Fprintf(w, "%s %s.\n", term.Colors(w).Red("THE ACTIVITY LOG DOES NOT REACH THE HUB"), term.Plain(failing))
	}
	if failing := st.ShipBucket.Failing(); failing != "" {
		fmt.Fprintf(w, "%s %s.\n", term.Colors(w).Red("THE ACTIVITY LOG DOES NOT REACH THE BUCKET"), term.Plain(failing))
	}
}

// printOverview prints the counts of the running daemon, the requests that wait for a person, and
// the state of the flow sessions.
func printOverview(w io.Writer, st *api.Overview) {
	fmt.Fprintf(
		w,
		"mcpproxy %s on %s, up %s. Security coverage: %s. %d tools, %d records, %d flow sessions.\n",
		st.Version,
		st.Listen,
		time.Duration(st.Uptime*float64(time.Second)).Round(time.Second),
		st.Coverage,
		st.Tools,
		st.Records,
		st.Sessions,
	)
	if st.Trust.Held > 0 {
		fmt.Fprintf(
			w,
			"Definitions that wait for approval or are blocked: %d (%d new or dangerous, %d changed, %d blocked). `mcpproxy trust list` shows them.\n",
			st.Trust.Held,
			st.Trust.Quarantined,
			st.Trust.RugPull,
			st.Trust.Blocked,
		)
	}
	if st.Trust.Programs > 0 {
		fmt.Fprintf(w, "The code of %d servers has changed, or cannot be read any more. `mcpproxy trust list` shows which.\n",
			st.Trust.Programs)
	}
	if st.Waiting > 0 {
		fmt.Fprintf(w, "%d calls wait for an answer. `mcpproxy approvals list` shows them.\n", st.Waiting)
	}
	printSessions(w, st)
}

// printSessions prints how many flow sessions have lost the record of what they had read, and how many have each leg
// of the lethal trifecta.
func printSessions(w io.Writer, st *api.Overview) {
	if st.Lost > 0 {
		fmt.Fprintf(
			w,
			"The record of what %d flow sessions had read was lost: their calls to external destinations are asked about until they time out. "+
				"`mcpproxy activity list --type gap` says why.\n",
			st.Lost,
		)
	}
	if st.Sessions > 0 {
		fmt.Fprintf(
			w,
			"Of the flow sessions, %d have read private data, %d have read text that outsiders wrote, and %d have sent something out. %d have done all three.\n",
			st.Legs.Private,
			st.Legs.Untrusted,
			st.Legs.Sent,
			st.Legs.All,
		)
	}
}

// printNames prints overrides without a matching tool, and tool names that several servers use.
func printNames(w io.Writer, st *api.Overview) {
	for _, said := range st.Unmatched {
		fmt.Fprintf(w, "%s: %s.\n", term.Colors(w).Yellow("An override matches nothing"), term.Plain(said))
	}
	if len(st.Shared) > 0 {
		fmt.Fprintf(
			w,
			"Tools of one name on several servers: %s. Agents see the server's name before each tool's name.\n",
			term.Plain(api.TellShared(st.Shared)),
		)
	}
}

// printLogFailure prints that the activity log cannot be written.
func printLogFailure(w io.Writer, f *api.LogFailure) {
	fmt.Fprintf(w, "%s %s since %s (%s lost): %s.\n", term.Colors(w).Red("THE ACTIVITY LOG CANNOT BE WRITTEN"),
		term.Plain(f.Error), f.Since.Local().Format(time.DateTime), term.Plural(int(f.Lost), "record"), f.Consequence())
}

// printState prints the number of servers in each state, the number of open sessions, and the size
// of the log.
func printState(w io.Writer, st *api.Overview) {
	var servers []string
	for _, state := range []upstream.State{upstream.Ready, upstream.Connecting, upstream.Failed, upstream.Disabled} {
		if n := st.ByState[state]; n > 0 {
			servers = append(servers, fmt.Sprintf("%d %s", n, state))
		}
	}
	if len(servers) > 0 {
		fmt.Fprintf(w, "Servers: %s. ", strings.Join(servers, ", "))
	}
	fmt.Fprintf(w, "%d MCP sessions are open.\n", st.Clients)
	most := ""
	if st.Log.MaxSizeMB > 0 {
		most = fmt.Sprintf(" of at most %d", st.Log.MaxSizeMB)
	}
	fmt.Fprintf(w, "Log: %d records, %.1f MB%s, kept for %d days.\n",
		st.Records, float64(st.Log.Bytes)/(1<<20), most, st.Log.RetentionDays)
	if st.Log.AgeHeld != "" {
		fmt.Fprintf(w, "No records are removed by age: %s.\n", st.Log.AgeHeld)
	}
	if sent := st.Ship; sent != nil && sent.Hub != "" {
		fmt.Fprintf(w, "Hub: %s has the records up to number %d; %d wait.\n", term.Plain(sent.Hub), sent.Sent, sent.Unsent)
	}
	if sent := st.ShipBucket; sent != nil && sent.Hub != "" {
		fmt.Fprintf(w, "Bucket: %s has the records up to number %d; %d wait.\n", term.Plain(sent.Hub), sent.Sent, sent.Unsent)
	}
	for _, a := range st.Agents {
		fmt.Fprintf(
			w,
			"Hooks of %s: %s, last event %s.\n",
			term.Plain(a.Name),
			term.Plural(a.Sessions, "session"),
			term.At(w, a.Last, time.TimeOnly),
		)
	}
	fmt.Fprintf(
		w,
		"Tokens: %d of agents, %d of auditors, %d expired.\n",
		st.Tokens.Agents,
		st.Tokens.Auditors,
		st.Tokens.Expired,
	)
	fmt.Fprintf(
		w,
		"Configuration: %s, read %s.\n",
		term.Plain(st.ConfigFile),
		term.At(w, st.ConfigRead, time.DateTime),
	)
	printNames(w, st)
	if st.ConfigError != "" {
		fmt.Fprintf(w, "The file was changed since and cannot be used: %s\n", term.Plain(st.ConfigError))
	}
}
