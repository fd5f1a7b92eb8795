package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy/internal/api"
	"mcpproxy/internal/upstream"
)

func statusCommand(g *globals) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show the state of the proxy and its servers", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := newClient(g)
			if err != nil {
				return err
			}
			var st api.Overview
			if err := c.get(cmd.Context(), "/api/v1/status", nil, &st); err != nil {
				return err
			}
			t := &table{header: []string{"SERVER", "STATE", "PROTOCOL", "VERSION", "ERROR"}}
			for _, s := range st.Servers {
				t.add(s.Name, stateOf(s), string(s.Protocol), s.Version, cut(s.Error, 60))
			}
			if g.output == "table" {
				if st.Kill.On {
					tellKill(cmd.OutOrStdout(), st.Kill, g.config)
				}
				fmt.Fprintf(cmd.OutOrStdout(), "mcpproxy %s on %s, up %s. Security coverage: %s. %d tools, %d records, %d flow sessions.\n",
					st.Version, st.Listen, time.Duration(st.Uptime*float64(time.Second)).Round(time.Second), st.Coverage, st.Tools, st.Records, st.Sessions)
				if st.Trust.Held > 0 {
					fmt.Fprintf(cmd.OutOrStdout(), "%d definitions wait for approval or are blocked: %d new or dangerous, %d changed, %d blocked. `mcpproxy trust list` shows them.\n",
						st.Trust.Held, st.Trust.Quarantined, st.Trust.RugPull, st.Trust.Blocked)
				}
				if st.Waiting > 0 {
					fmt.Fprintf(cmd.OutOrStdout(), "%d calls wait for an answer. `mcpproxy approvals list` shows them.\n", st.Waiting)
				}
				if st.Sessions > 0 {
					fmt.Fprintf(cmd.OutOrStdout(), "Of these sessions %d have read private data, %d have met text of strangers, %d have sent something out; all three: %d.\n",
						st.Legs.Private, st.Legs.Untrusted, st.Legs.Sent, st.Legs.All)
				}
			}
			if err := g.print(cmd.OutOrStdout(), st, t); err != nil || g.output != "table" {
				return err
			}
			tellState(cmd.OutOrStdout(), &st)
			return nil
		},
	}
}

// tellState says what of the daemon is no server.
func tellState(w io.Writer, st *api.Overview) {
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
	fmt.Fprintf(w, "Log: %d records, %.1f MB of at most %d, kept for %d days.\n", st.Records, float64(st.Log.Bytes)/(1<<20), st.Log.MaxSizeMB, st.Log.RetentionDays)
	for _, a := range st.Agents {
		fmt.Fprintf(w, "Hooks of %s: %d sessions, last heard of at %s.\n", plain(a.Name), a.Sessions, a.Last.Local().Format(time.TimeOnly))
	}
	fmt.Fprintf(w, "Tokens: %d of agents, %d of auditors, %d expired.\n", st.Tokens.Agents, st.Tokens.Auditors, st.Tokens.Expired)
	fmt.Fprintf(w, "Configuration: %s, read at %s.\n", plain(st.ConfigFile), st.ConfigRead.Local().Format(time.DateTime))
	if st.ConfigError != "" {
		fmt.Fprintf(w, "The file was changed since and cannot be used: %s\n", plain(st.ConfigError))
	}
}
