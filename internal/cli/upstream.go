package cli

import (
	"fmt"
	"net/url"

	"github.com/spf13/cobra"

	"mcpproxy/internal/api"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/upstream"
)

func upstreamCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "upstream",
		Short: "List, add, enable, disable and remove the MCP servers behind the proxy",
		Args:  noSuchVerb,
		RunE:  help,
		Example: `  mcpproxy upstream list
  mcpproxy upstream search weather
  mcpproxy upstream disable wiki
  mcpproxy upstream restart files`,
	}
	list := &cobra.Command{
		Use:   "list",
		Short: "List the servers with their class and their state",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var servers []api.Server
			if err := fetch(cmd, g, "/api/v1/servers", nil, &servers); err != nil {
				return err
			}
			t := &term.Table{Header: []string{"NAME", "STATE", "CLASS", "CONFIDENCE", "BY", "TOOLS", "HELD", "ERROR"}}
			for _, s := range servers {
				held := fmt.Sprint(s.Held)
				if s.Quarantine != nil {
					held = "all"
				}
				t.Add(
					s.Name,
					stateOf(s.Status),
					sideShown(s.Class),
					fmt.Sprintf("%.2f", s.Class.Confidence),
					string(s.Class.Method),
					fmt.Sprint(s.Tools),
					held,
					term.Cut(s.Error, 60),
				)
			}
			return g.print(cmd.OutOrStdout(), servers, t)
		},
	}
	logs := &cobra.Command{
		Use:   "logs NAME",
		Short: "Show what a server last wrote to its standard error",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var lines []upstream.LogLine
			if err := fetch(cmd, g, "/api/v1/servers/"+url.PathEscape(args[0])+"/logs", nil, &lines); err != nil {
				return err
			}
			t := &term.Table{Header: []string{"TIME", "LINE"}}
			for _, l := range lines {
				t.Add(l.Time.Local().Format("15:04:05.000"), l.Text)
			}
			return g.print(cmd.OutOrStdout(), lines, t)
		},
	}
	cmd.AddCommand(list, upstreamSearch(g), upstreamAdd(g), upstreamRemove(g),
		upstreamSwitch(g, true), upstreamSwitch(g, false), upstreamRestart(g),
		upstreamLogin(g), upstreamLogout(g), logs)
	return cmd
}

// stateOf describes a server's state in a few words. A missing login and the state of the circuit
// breaker take precedence over the state of the connection.
func stateOf(s upstream.Status) string {
	if s.Login != "" {
		return "needs login"
	}
	if s.Breaker == upstream.Open || s.Breaker == upstream.HalfOpen {
		return string(s.State) + ", breaker " + string(s.Breaker)
	}
	return string(s.State)
}
