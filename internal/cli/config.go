package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

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
run it. If the daemon is running, an override of a tool that its server does not have is an error; without the
daemon, it is a warning that this was not checked.`,
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
				unmatched := checkToolOverrides(cmd, c)
				for _, exposed := range c.Exposed {
					fmt.Fprintln(cmd.ErrOrStderr(), exposed)
				}
				if unmatched != nil {
					return exit.With(exit.Config, fmt.Errorf("%s: %w", file, unmatched))
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

// checkToolOverrides returns an error for overrides of tools that their servers do not have. It warns
// of the overrides that it cannot check, because the tools of their server are not known.
func checkToolOverrides(cmd *cobra.Command, c *config.Config) error {
	tools := runningTools(cmd.Context(), c)
	if unchecked := c.UncheckedOverrides(tools); len(unchecked) > 0 {
		fmt.Fprintf(
			cmd.ErrOrStderr(),
			"not checked, because the tools of the server are not known (mcpproxy is not running, or has not read them yet): %s\n",
			term.Plain(strings.Join(unchecked, ", ")),
		)
	}
	var err error
	for _, said := range c.UnmatchedOverrides(tools) {
		err = errors.Join(err, errors.New(term.Plain(said)))
	}
	return err
}

// runningTools returns the names of the tools that the running daemon has read, by server. If no
// daemon runs, it returns none.
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
