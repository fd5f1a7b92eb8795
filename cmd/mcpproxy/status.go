package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy/internal/api"
)

func statusCommand(g *globals) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show the state of the proxy and its servers", Args: cobra.NoArgs,
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
				t.add(s.Name, string(s.State), string(s.Protocol), s.Version, cut(s.Error, 60))
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
			return g.print(cmd.OutOrStdout(), st, t)
		},
	}
}
