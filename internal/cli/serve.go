package cli

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
	"mcpproxy/internal/daemon/intake"
	"mcpproxy/internal/exit"
	"mcpproxy/internal/service"
)

func serveCommand(g *globals) *cobra.Command {
	var listen, level string
	var insecure, find bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Start the proxy",
		Args:  noArguments,
		Long: `Starts the proxy and stays until Ctrl-C. Without a configuration file it writes a
commented one first. Changes of the file take effect at once; if a changed file is not
valid, the proxy reports it and keeps the configuration that it has. SIGHUP reads the
file again, SIGUSR1 turns the kill switch on.`,
		Example: `  mcpproxy serve
  mcpproxy serve --listen 127.0.0.1:9090
  MCPPROXY_CONFIG=./mcp_config.json mcpproxy serve`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if find {
				if err := findPrograms(); err != nil {
					return err
				}
			}
			if listen != "" {
				if err := config.CheckListen(listen); err != nil {
					return exit.With(exit.Config, err)
				}
			}
			flags := func(c *config.Config) {
				if listen != "" {
					c.Listen = listen
				}
				c.InsecureListen = insecure
			}
			var ask func(context.Context, *intake.Intake)
			if term.OnTerminal() {
				ask = func(ctx context.Context, servers *intake.Intake) {
					askAboutNewcomers(ctx, cmd.ErrOrStderr(), cmd.InOrStdin(), servers)
				}
			}
			run := func(ctx context.Context, w io.Writer) error {
				if err := daemon.LogTo(w, level); err != nil {
					return err
				}
				return daemon.Run(ctx, w, g.config, flags, ask)
			}
			return service.Host(cmd.Context(), func() string { return logFile(g) }, cmd.ErrOrStderr(), run)
		},
	}
	cmd.Flags().
		StringVar(&listen, "listen", os.Getenv("MCPPROXY_LISTEN"), "address to listen on, instead of the configured one")
	cmd.Flags().BoolVar(&insecure, "insecure-listen", false, "let other machines use the MCP endpoints without a key")
	cmd.Flags().StringVar(&level, "log-level", "info", "debug, info, warn or error")
	cmd.Flags().
		BoolVar(&find, "find-programs", false, "look for programs of servers in the usual folders of your home too, after PATH")
	return cmd
}

// findPrograms adds the usual folders for programs of servers to PATH.
func findPrograms() error {
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	return os.Setenv("PATH", service.HomePath(os.Getenv("PATH"), home))
}
