// Package cli is the command line of mcpproxy. Every verb is one file. It reads its flags, calls
// the running daemon or another package, and prints the answer.
//
// Standard output contains only results; everything else goes to standard error. Colours are used
// only on a terminal, and never if NO_COLOR is set.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/codemode/worker"
	"mcpproxy/internal/config"
	"mcpproxy/internal/exit"
	"mcpproxy/internal/nodump"
	"mcpproxy/internal/upstream"
)

// Main runs the command line of this process and returns its exit code.
func Main() int {
	if code, ok := worker.Main(os.Args[1:]); ok {
		return code
	}
	if code, launched := upstream.Launched(os.Args); launched {
		return code
	}
	if code, ok := evaluateHook(os.Args[1:]); ok {
		return code
	}
	if err := nodump.Set(); err != nil {
		fmt.Fprintln(os.Stderr, "mcpproxy: other programs of yours may read its memory:", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root, out := rootCommand(), &term.Results{File: os.Stdout}
	root.SetOut(out)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = out.Lost
	}
	if err == nil {
		return 0
	}
	if cause := context.Cause(ctx); cause != nil && (errors.Is(err, cause) || errors.Is(err, context.Canceled)) {
		err = term.ErrInterrupted
	}
	if err.Error() != "" {
		fmt.Fprintln(os.Stderr, "mcpproxy: "+err.Error())
	}
	return exitCode(err)
}

func exitCode(err error) int {
	if e, ok := errors.AsType[*exit.Error](err); ok {
		return e.Code
	}
	if _, ok := errors.AsType[*config.Error](err); ok {
		return exit.Config
	}
	if _, ok := errors.AsType[*atomicfile.AccessError](err); ok {
		return exit.Config
	}
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return exit.Port
	case errors.Is(err, os.ErrPermission):
		return exit.Permission
	}
	return exit.General
}

// noSuchVerb refuses unknown subcommands, because a misspelt check in a script must not look
// successful.
func noSuchVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	message := fmt.Sprintf("unknown command %q for %q", args[0], cmd.CommandPath())
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		message += "; did you mean " + near[0] + "?"
	}
	return errors.New(message)
}

// noArguments refuses arguments of a command that takes none.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("unexpected argument %q; %s accepts only flags; see %[2]s --help", args[0], cmd.CommandPath())
}

// plainCounts makes every command print its usage if the number of arguments is wrong.
func plainCounts(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		plainCounts(sub)
	}
	check := cmd.Args
	if check == nil {
		return
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		if err == nil || !counted(err) {
			return err
		}
		what := "there is one argument too many"
		if len(args) == 0 {
			what = "an argument is missing"
		}
		use := strings.TrimSuffix(cmd.UseLine(), " [flags]")
		return fmt.Errorf("%s: write `%s`; see %s --help", what, use, cmd.CommandPath())
	}
}

// counted reports whether an error is cobra's error about the number of arguments.
func counted(err error) bool {
	return strings.Contains(err.Error(), " arg(s), ") && strings.Contains(err.Error(), "received ")
}

func help(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// strictHelp makes cobra's own two commands refuse unknown arguments.
func strictHelp(root *cobra.Command) {
	root.SetVersionTemplate("mcpproxy {{.Version}}\n")
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			shown := c.Run
			c.Run, c.RunE = nil, func(cmd *cobra.Command, args []string) error {
				if _, rest, err := root.Find(args); err != nil || len(rest) > 0 {
					return fmt.Errorf("there is no command %q; mcpproxy --help lists them", strings.Join(args, " "))
				}
				shown(cmd, args)
				return nil
			}
		case "completion":
			c.Args, c.RunE = noSuchVerb, help
			c.Example = "  mcpproxy completion bash > ~/.local/share/bash-completion/completions/mcpproxy"
		}
	}
}

// globals are the flags that every verb has.
type globals struct {
	config string
	output string
}

// moreFormats marks a verb that has an additional format.
const moreFormats = "formats"

// checkOutput refuses an unknown format before the command runs.
func (g *globals) checkOutput(more ...string) error {
	known := slices.Concat(term.Formats, more)
	if slices.Contains(known, g.output) {
		return nil
	}
	return fmt.Errorf("invalid --output %q: must be one of %s", g.output, strings.Join(known, ", "))
}

// print writes v in the format that the user asked for, using t for a table.
func (g *globals) print(w io.Writer, v any, t *term.Table) error {
	if err := g.checkOutput(); err != nil {
		return err
	}
	return term.Print(w, g.output, v, t)
}

// configless are the commands that create the configuration file or need none.
var configless = []string{"serve", "start", "schema", "version", "help", "completion", "man"}

// checkConfig refuses a --config that names no existing file. Otherwise the command would use
// another daemon or create a file in an unexpected place.
func (g *globals) checkConfig(cmd *cobra.Command) error {
	for c := cmd; c.HasParent(); c = c.Parent() {
		if slices.Contains(configless, c.Name()) {
			return nil
		}
	}
	if _, err := os.Stat(g.config); !cmd.Flags().Changed("config") || !errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return exit.With(
		exit.Config,
		fmt.Errorf("--config: the file %s does not exist; `mcpproxy serve --config FILE` makes one", g.config))

}

func rootCommand() *cobra.Command {
	g := &globals{}
	root := &cobra.Command{
		Use:   "mcpproxy",
		Short: "A firewall for AI agents",
		Long: `mcpproxy stands between an AI agent and its MCP servers. It classifies every
call, follows data from call to call, and stops private data on its way out.`,
		Example: `  mcpproxy demo                 see a theft being stopped
  mcpproxy serve                start the proxy; then: mcpproxy connect AGENT
  mcpproxy activity list --status blocked
  mcpproxy explain ID           why a call was stopped, and how to allow it`,
		Version:       versionLine(),
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := g.checkConfig(cmd); err != nil {
				return err
			}
			if err := g.checkStanding(cmd); err != nil {
				return err
			}
			return g.checkOutput(strings.Fields(cmd.Annotations[moreFormats])...)
		},
	}
	output := os.Getenv("MCPPROXY_OUTPUT")
	if output == "" {
		output = "table"
	}
	root.PersistentFlags().StringVar(&g.config, "config", config.DefaultPath(), "configuration file")
	root.PersistentFlags().StringVarP(&g.output, "output", "o", output, "table, json or yaml")
	root.AddCommand(
		serveCommand(g),
		startCommand(g),
		stopCommand(g),
		restartCommand(g),
		serviceCommand(g),
		logsCommand(g),
		demoCommand(),
		demoServerCommand(),
		stdioCommand(g),
		connectCommand(g),
		disconnectCommand(g),
		importCommand(g),
		callCommand(g),
		statusCommand(g),
		tokenCommand(g),
		activityCommand(g),
		explainCommand(
			g,
		),
		upstreamCommand(g),
		toolsCommand(g),
		trustCommand(g),
		sessionsCommand(g),
		approvalsCommand(g),
		codeCommand(g),
		homeCommand(g),
		killCommand(g),
		scanCommand(g),
		hookCommand(g),
		doctorCommand(g),
		evalCommand(g),
		policyCommand(g),
		bundleCommand(g),
		enrollCommand(g),
		hubCommand(g),
		probeCommand(g),
		configCommand(g),
		versionCommand(g),
		manCommand(),
		openCommand(g),
		tlsCommand(g),
	)
	strictHelp(root)
	plainCounts(root)
	completions(root, g)
	return root
}
