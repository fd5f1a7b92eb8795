package cli

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"mcpproxy/internal/api"
	"mcpproxy/internal/cli/term"
)

func toolsCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "Look at the tools that agents can call",
		Args:  noSuchVerb,
		RunE:  help,
	}
	var server string
	list := &cobra.Command{
		Use:   "list",
		Short: "List the tools of all servers, or of one",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, query := "/api/v1/tools", url.Values{"limit": {"1000"}}
			if server != "" {
				path, query = "/api/v1/servers/"+url.PathEscape(server)+"/tools", nil
			}
			return printTools(cmd, g, path, query)
		},
	}
	list.Flags().StringVar(&server, "server", "", "one server only")
	search := &cobra.Command{
		Use:     "search WORDS…",
		Short:   "Rank the tools for a few words",
		Args:    cobra.MinimumNArgs(1),
		Example: "  mcpproxy tools search send a message",
		RunE: func(cmd *cobra.Command, args []string) error {
			return printTools(cmd, g, "/api/v1/tools", url.Values{"q": {strings.Join(args, " ")}, "limit": {"20"}})
		},
	}
	cmd.AddCommand(list, search)
	return cmd
}

func printTools(cmd *cobra.Command, g *globals, path string, query url.Values) error {
	var tools []api.Tool
	if err := fetch(cmd, g, path, query, &tools); err != nil {
		return err
	}
	t := &term.Table{Header: []string{"TOOL", "CLASS", "OPERATION", "DESCRIPTION"}}
	for _, x := range tools {
		t.Add(
			fmt.Sprintf("%s:%s", x.Server, x.Name),
			string(x.Class.Side),
			string(x.Operation),
			term.Cut(strings.Join(strings.Fields(x.Description), " "), 70),
		)
	}
	return g.print(cmd.OutOrStdout(), tools, t)
}
