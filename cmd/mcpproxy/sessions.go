package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mcpproxy/internal/api"
)

func sessionsCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{Use: "sessions", Short: "Look at the sessions in which data is followed", Args: noSuchVerb, RunE: help}
	cmd.AddCommand(&cobra.Command{
		Use: "list", Short: "List the live sessions, the last used first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var sessions []api.Session
			if err := fetch(cmd, g, "/api/v1/sessions", nil, &sessions); err != nil {
				return err
			}
			t := &table{header: []string{"SESSION", "LAST", "ORIGINS", "FLOWS", "TOOLS"}}
			for _, s := range sessions {
				t.add(s.ID, s.Last.Local().Format("15:04:05"), fmt.Sprint(s.Origins), fmt.Sprint(s.Edges), cut(strings.Join(s.Tools, ", "), 60))
			}
			return g.print(cmd.OutOrStdout(), sessions, t)
		},
	})
	return cmd
}
