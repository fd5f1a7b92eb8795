package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy/internal/api"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/config"
	"mcpproxy/internal/exit"
	"mcpproxy/internal/probe"
	"mcpproxy/internal/probe/targets"
	"mcpproxy/internal/remote"
	"mcpproxy/internal/suggest"
)

// probeFlags are the flags of probe.
type probeFlags struct {
	options      probe.Options
	thresholds   probe.Thresholds
	limits       []string // values of --threshold
	env, headers []string
	dir          string
	transport    string
	throughProxy bool
	timeout      time.Duration
	callTimeout  time.Duration
	file         string
	verbose      bool
}

func probeCommand(g *globals) *cobra.Command {
	f := &probeFlags{}
	cmd := &cobra.Command{
		Use:   "probe [URL | SERVER | -- COMMAND ARGS…]",
		Short: "Test an MCP server from the outside: security and robustness",
		Long: `Tests an MCP server as a black box: a URL, a server of the configuration by its name, or a program behind --.
The suite mcp_security (T1 to T5) asks whether injected instructions are refused, whether what is declared stays the same,
whether what is out of scope is denied, whether calls can be repeated, and how fast answers come. The suite mcp_robustness
(T6 to T10) sends hostile arguments and broken frames, reads what is declared and what errors tell, and checks origins and
sessions over HTTP. --test and --suite choose.

Only tools that read are called. --allow-tool names others, and limits the calls to those named; what looks destructive is
called with --allow-destructive alone. --dry-run shows what would be called.

The exit code is 7 when a test failed or a threshold was missed, 1 when the server cannot be reached or the run was stopped
(then the report is partial, and says so).`,
		Example: `  mcpproxy probe -- npx -y @modelcontextprotocol/server-everything
  mcpproxy probe http://localhost:3000/mcp --suite all --threshold max_p95_ms=1500
  mcpproxy probe github --through-proxy
  mcpproxy probe http://localhost:3000/mcp -o junit --file probe.xml`,
		Annotations: map[string]string{moreFormats: "junit sarif markdown xlsx"},
		RunE: func(cmd *cobra.Command, args []string) error {
			target, err := f.target(cmd, g, args)
			if err != nil {
				return err
			}
			if err := f.settle(cmd, g); err != nil {
				return err
			}
			return f.run(cmd, g, target)
		},
	}
	f.register(cmd)
	return cmd
}

func (f *probeFlags) register(cmd *cobra.Command) {
	flags, o := cmd.Flags(), &f.options
	flags.StringSliceVar(&o.Suites, "suite", nil, "suites to run: mcp_security (the default), mcp_robustness, all")
	flags.StringSliceVar(&o.Tests, "test", nil, "only these tests, such as T1,T3")
	flags.StringArrayVar(
		&f.limits,
		"threshold",
		nil,
		"NAME=VALUE of max_p95_ms, require_schema_stability or deny_out_of_scope; may be repeated",
	)
	flags.StringSliceVar(
		&o.AllowedTools,
		"allow-tool",
		nil,
		"the only tools that may be called; also allows one that writes",
	)
	flags.StringSliceVar(&o.BlockedTools, "block-tool", nil, "tools that are never called")
	flags.StringSliceVar(
		&o.OutOfScopeTools,
		"out-of-scope-tool",
		nil,
		"tools that must be refused: T3 calls them, without arguments, unless they look destructive",
	)
	flags.BoolVar(&o.AllowDestructive, "allow-destructive", false, "also call tools that write or look destructive")
	flags.BoolVar(&o.AllowInjectionTest, "allow-injection-test", false, "T1 accepts any answer")
	flags.IntVar(&o.LatencyTestCalls, "latency-test-calls", 10, "calls of T5")
	flags.IntVar(&o.MaxCalls, "max-calls", 600, "messages that are sent at most")
	flags.Uint64Var(&o.Seed, "seed", 1, "the number from which names and markers are generated")
	flags.BoolVar(&o.DryRun, "dry-run", false, "show what would be called, and call nothing")
	flags.DurationVar(&f.timeout, "timeout", 5*time.Minute, "how long the whole run may take")
	flags.DurationVar(
		&f.callTimeout,
		"call-timeout",
		0,
		"how long one answer may take, the first one and the lists included (default 10s, and 2m for the first answer of a program)",
	)
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "print to standard error what is sent, what comes back and how each test ends")
	flags.StringArrayVar(&f.headers, "header", nil, "'NAME: VALUE' for a URL; may be repeated")
	flags.StringArrayVar(
		&f.env,
		"env",
		nil,
		"NAME=VALUE for a program, or NAME for the value it has here; may be repeated",
	)
	flags.StringVar(&f.dir, "dir", "", "folder in which a program is started")
	flags.StringVar(&f.transport, "transport", "", "http or sse for a URL; detected when empty")
	flags.BoolVar(
		&f.throughProxy,
		"through-proxy",
		false,
		"reach a configured server through the running mcpproxy, as agents do",
	)
	flags.StringVar(&f.file, "file", "", "write the report to this file")
}

// settle parses and validates the flags before anything is sent.
func (f *probeFlags) settle(cmd *cobra.Command, g *globals) error {
	if _, err := probe.Choose(f.options.Tests, f.options.Suites); err != nil {
		return err
	}
	for name, n := range map[string]int{
		"--latency-test-calls": f.options.LatencyTestCalls,
		"--max-calls":          f.options.MaxCalls,
		"--timeout":            int(f.timeout / time.Millisecond),
	} {
		if n < 1 {
			return fmt.Errorf("%s must be greater than zero", name)
		}
	}
	f.options.CallTimeoutMS = int(f.callTimeout / time.Millisecond)
	if cmd.Flags().Changed("call-timeout") && f.options.CallTimeoutMS < 1 {
		return errors.New("--call-timeout must be greater than zero")
	}
	if g.output == formatXLSX && f.file == "" && term.IsTerminal(os.Stdout) {
		return errors.New("-o xlsx needs a file: add --file NAME.xlsx")
	}
	for _, limit := range f.limits {
		if err := setThreshold(&f.thresholds, limit); err != nil {
			return err
		}
	}
	return nil
}

// thresholdNames lists the names of the thresholds.
var thresholdNames = []string{"max_p95_ms", "require_schema_stability", "deny_out_of_scope"}

// setThreshold parses NAME=VALUE.
func setThreshold(t *probe.Thresholds, limit string) error {
	name, value, _ := strings.Cut(limit, "=")
	var err error
	var yes bool
	switch name {
	case "max_p95_ms":
		if t.MaxP95MS, err = strconv.Atoi(value); err != nil || t.MaxP95MS < 1 {
			return fmt.Errorf("--threshold %s: %q is not a number of milliseconds; write %[1]s=500", name, value)
		}
		return nil
	case "require_schema_stability":
		yes, err = strconv.ParseBool(value)
		t.RequireSchemaStability = &yes
	case "deny_out_of_scope":
		yes, err = strconv.ParseBool(value)
		t.DenyOutOfScope = &yes
	default:
		hint := "there are " + strings.Join(thresholdNames, ", ")
		if near := suggest.Nearest(name, thresholdNames); near != "" {
			hint = "did you mean " + near + "?"
		}
		return fmt.Errorf("invalid --threshold %q: %s", name, hint)
	}
	if err != nil {
		return fmt.Errorf("--threshold %s: %q is neither true nor false", name, value)
	}
	return nil
}

// target returns the target of the probe.
func (f *probeFlags) target(cmd *cobra.Command, g *globals, args []string) (probe.Target, error) {
	t := probe.Target{Dir: f.dir, Transport: f.transport}
	var err error
	if t.Headers, err = pairs("--header", f.headers, ":"); err != nil {
		return t, err
	}
	for i, e := range f.env {
		if !strings.Contains(e, "=") {
			f.env[i] = e + "=" + os.Getenv(e)
		}
	}
	if t.Env, err = pairs("--env", f.env, "="); err != nil {
		return t, err
	}
	dash := cmd.ArgsLenAtDash()
	switch {
	case dash == 0 && len(args) > 0:
		t.Command, t.Args = args[0], args[1:]
		if f.throughProxy {
			return t, errors.New("--through-proxy needs the name of a configured server")
		}
		return t, nil
	case len(args) == 0:
		return t, errors.New("name what to test: a URL, a configured server, or a program after --")
	case len(args) > 1:
		return t, fmt.Errorf(
			"one server at a time; a program and its arguments stand behind --: mcpproxy probe -- %s",
			strings.Join(args, " "),
		)
	case strings.Contains(args[0], "://"):
		t.URL = args[0]
		if f.throughProxy {
			return t, errors.New("--through-proxy needs the name of a configured server")
		}
		return t, t.Check()
	}
	return f.configured(cmd, g, args[0], t)
}

// configured returns a server of the configuration as the target, reached directly or through the
// running mcpproxy, with the additions of the command line.
func (f *probeFlags) configured(cmd *cobra.Command, g *globals, name string, t probe.Target) (probe.Target, error) {
	c, err := remote.Config(g.config)
	if err != nil {
		return t, err
	}
	server, ok := targets.Find(c, name)
	if !ok {
		return t, targets.Unknown(c, name)
	}
	if !f.throughProxy {
		if c, err = config.Load(cmd.Context(), g.config); err != nil { // the target needs resolved references
			return t, err
		}
		server, _ = targets.Find(c, name)
		found, err := targets.Direct(server)
		if err != nil {
			return t, err
		}
		maps.Copy(found.Headers, t.Headers)
		maps.Copy(found.Env, t.Env)
		return found, nil
	}
	var status api.Overview
	if server.IsEnabled() { // a disabled server gives an error without a daemon
		if err := fetch(cmd, g, "/api/v1/status", nil, &status); err != nil {
			return t, err
		}
	}
	key := ""
	if c.RequireMCPAuth {
		if key, err = c.Key(); err != nil {
			return t, err
		}
	}
	through, err := targets.Through(server, c.Scheme()+"://"+status.Listen, key)
	if err != nil {
		return t, err
	}
	for name, value := range t.Headers {
		if _, set := through.Headers[name]; !set {
			through.Headers[name] = value
		}
	}
	return through, nil
}

// run runs the tests and writes the report.
func (f *probeFlags) run(cmd *cobra.Command, g *globals, target probe.Target) error {
	ctx, cancel := context.WithTimeout(cmd.Context(), f.timeout)
	defer cancel()
	progress := newProgress(cmd, f.verbose)
	f.options.Progress = progress.hear
	if f.verbose {
		f.options.Transcript = progress.message
	}
	progress.begin(target)
	results, err := probe.New(target, f.options, f.thresholds).Run(ctx)
	progress.clear()
	if err != nil {
		return err
	}
	if err := f.write(cmd, g, results); err != nil {
		return err
	}
	return probeVerdict(results)
}

// probeVerdict returns the error for a failed run.
func probeVerdict(r *probe.Results) error {
	var failed []string
	for _, t := range r.Tests {
		if t.Outcome == probe.Failed {
			failed = append(failed, t.ID)
		}
	}
	switch {
	case len(failed) > 0 && r.Partial:
		return exit.With(
			exit.Probe,
			fmt.Errorf("%s failed, and the report is partial: %s", strings.Join(failed, ", "), r.PartialReason))

	case len(failed) > 0:
		return exit.With(exit.Probe, fmt.Errorf("%s failed", strings.Join(failed, ", ")))
	case r.Partial:
		return errors.New("the report is partial: " + r.PartialReason)
	case r.Passed == nil && !r.Options.DryRun:
		return errors.New("none of the tests could be made: nothing is known about the server")
	}
	return nil
}
