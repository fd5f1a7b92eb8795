// Command mcpproxy is a firewall for AI agents: it stands between an agent and
// its MCP servers, follows data from call to call, and stops private data on its
// way out.
//
// Every verb of the command line is one file of this package, and daemon.go
// wires the rooms together. Standard output carries results only; what goes on
// is said on standard error. Colours appear on a terminal alone, and never when
// NO_COLOR is set.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"mcpproxy/internal/codemode/worker"
	"mcpproxy/internal/config"
	"mcpproxy/internal/probe/raw"
	"mcpproxy/internal/upstream"
)

// version is set by the linker.
var version = ""

// The exit codes.
const (
	exitGeneral    = 1
	exitPort       = 2
	exitLocked     = 3
	exitConfig     = 4
	exitPermission = 5
	exitEval       = 6
	exitProbe      = 7
)

// exitError is an error with an exit code of its own.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func main() { os.Exit(run()) }

// run is main with an exit code; the tests call it.
func run() int {
	if code, ok := worker.Main(os.Args[1:]); ok {
		return code
	}
	if code, ok := evaluateHook(os.Args[1:]); ok {
		return code
	}
	if code, launched := upstream.Launched(os.Args); launched {
		return code
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	upstream.Version, raw.Version = buildVersion(), buildVersion()
	root, out := rootCommand(), &results{file: os.Stdout}
	root.SetOut(out)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = out.lost
	}
	if err == nil {
		return 0
	}
	if cause := context.Cause(ctx); cause != nil && (errors.Is(err, cause) || errors.Is(err, context.Canceled)) {
		err = errInterrupted
	}
	if err.Error() != "" {
		fmt.Fprintln(os.Stderr, "mcpproxy: "+err.Error())
	}
	return exitCode(err)
}

// errInterrupted is all that is to be said when the user ended the program.
var errInterrupted = errors.New("interrupted")

func exitCode(err error) int {
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.code
	}
	if _, ok := errors.AsType[*config.Error](err); ok {
		return exitConfig
	}
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return exitPort
	case errors.Is(err, os.ErrPermission):
		return exitPermission
	}
	return exitGeneral
}

func buildVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "dev"
}

// noSuchVerb refuses words after a command that only has commands of its own: a
// misspelt check in a script must not look like a passed one.
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

// noArguments refuses words after a command that takes none.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%q is too much: %s takes flags alone; see %[2]s --help", args[0], cmd.CommandPath())
}

func help(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// strictHelp has the two commands that cobra makes refuse what does not exist.
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

// configless are the commands that make the configuration file, or need none.
var configless = []string{"serve", "schema", "version", "help", "completion"}

// checkConfig refuses a --config that names no file: the command would be about another
// daemon, or make a file where nobody looks for it.
func (g *globals) checkConfig(cmd *cobra.Command) error {
	for c := cmd; c.HasParent(); c = c.Parent() {
		if slices.Contains(configless, c.Name()) {
			return nil
		}
	}
	if _, err := os.Stat(g.config); !cmd.Flags().Changed("config") || !errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return &exitError{exitConfig, fmt.Errorf("--config: there is no file %s; `mcpproxy serve --config FILE` makes one", g.config)}
}

func rootCommand() *cobra.Command {
	g := &globals{}
	root := &cobra.Command{
		Use:   "mcpproxy",
		Short: "A firewall for AI agents",
		Long: `mcpproxy stands between an AI agent and its MCP servers. It classifies every
call, follows data from call to call, and stops private data on its way out.`,
		Example: `  mcpproxy demo                 see a theft being stopped
  mcpproxy serve                start the proxy; agents connect to http://127.0.0.1:8080/mcp
  mcpproxy activity list --status blocked
  mcpproxy explain ID           why a call was stopped, and how to allow it`,
		Version:      versionLine(),
		SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := g.checkConfig(cmd); err != nil {
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
	root.AddCommand(serveCommand(g), demoCommand(), demoServerCommand(), stdioCommand(g), connectCommand(g), disconnectCommand(g), importCommand(g), callCommand(g), statusCommand(g), tokenCommand(g), activityCommand(g),
		explainCommand(g), upstreamCommand(g), toolsCommand(g), trustCommand(g), sessionsCommand(g), approvalsCommand(g), codeCommand(g), killCommand(g), scanCommand(g), hookCommand(g), doctorCommand(g), evalCommand(g), policyCommand(g), probeCommand(g), configCommand(g), versionCommand(g), openCommand(g))
	strictHelp(root)
	return root
}
