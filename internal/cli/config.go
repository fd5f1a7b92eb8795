package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/spf13/cobra"

	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
	"mcpproxy/internal/exit"
	"mcpproxy/internal/remote"
)

func configCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Look at the configuration and check it",
		Args:  noSuchVerb,
		RunE:  help,
	}
	cmd.AddCommand(
		&cobra.Command{
			Use:   "show",
			Short: "Print the configuration in force, defaults included, secrets masked",
			Args:  noArguments,
			RunE:  func(cmd *cobra.Command, _ []string) error { return showConfig(cmd, g) },
		},
		&cobra.Command{
			Use:   "validate [FILE]",
			Short: "Check a configuration file",
			Long: `Checks a configuration file. For a reference ${cmd:…}, it checks that the command can be run, and does not
run it. If the daemon is running, it also reports overrides that name a tool which the server does not have.`,
			Args: cobra.MaximumNArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error {
				file := g.config
				if len(args) == 1 {
					file = args[0]
				}
				c, err := config.Check(cmd.Context(), file)
				if err == nil {
					_, err = daemon.DetectorFor(file, c)
				}
				if err == nil {
					_, err = daemon.RulesOf(file, c)
				}
				if err != nil {
					return exit.With(exit.Config, err)
				}
				for _, key := range c.Idle() {
					fmt.Fprintf(cmd.ErrOrStderr(), "%s: has no effect in this version\n", key)
				}
				for _, said := range c.UnmatchedOverrides(runningTools(cmd.Context(), c)) {
					fmt.Fprintln(cmd.ErrOrStderr(), term.Plain(said))
				}
				for _, exposed := range c.Exposed {
					fmt.Fprintln(cmd.ErrOrStderr(), exposed)
				}
				if g.output != "table" {
					return g.print(cmd.OutOrStdout(), map[string]any{
						"file":    file,
						"ok":      true,
						"servers": len(c.Servers),
						"idle":    append([]string{}, c.Idle()...),
					}, nil)
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s holds: %d servers.\n", file, len(c.Servers))
				return err
			},
		},
		&cobra.Command{
			Use:   "schema",
			Short: "Print the JSON Schema of the configuration file",
			Args:  noArguments,
			RunE: func(cmd *cobra.Command, _ []string) error {
				s, err := config.Schema()
				if err == nil {
					_, err = fmt.Fprintln(cmd.OutOrStdout(), string(s))
				}
				return err
			},
		})
	return cmd
}

// showConfig prints the configuration with unresolved references and masks secrets.
func showConfig(cmd *cobra.Command, g *globals) error {
	raw, err := config.ReadFile(g.config)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("there is no configuration yet; `mcpproxy serve` writes one: %w", err)
	}
	if err != nil {
		return err
	}
	c, err := config.Parse(g.config, raw, nil)
	if err != nil {
		return err
	}
	c.Mask()
	if g.output == "yaml" {
		return g.print(cmd.OutOrStdout(), c, nil)
	}
	return term.WriteJSON(cmd.OutOrStdout(), c)
}

// runningTools returns the tool names of the servers that the running daemon has read, by server.
// Without a daemon it returns none.
func runningTools(ctx context.Context, c *config.Config) map[string][]string {
	client, err := remote.New(c)
	if err != nil {
		return nil
	}
	tools := map[string][]string{}
	for _, s := range c.Servers {
		var list []struct {
			Name string `json:"name"`
		}
		if client.Get(ctx, "/api/v1/servers/"+url.PathEscape(s.Name)+"/tools", nil, &list) != nil {
			continue
		}
		for _, t := range list {
			tools[s.Name] = append(tools[s.Name], t.Name)
		}
	}
	return tools
}
