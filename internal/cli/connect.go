package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpproxy/internal/api"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/config"
	"mcpproxy/internal/connect"
	"mcpproxy/internal/daemon"
	"mcpproxy/internal/hook/install"
	"mcpproxy/internal/remote"
	"mcpproxy/internal/settings"
	"mcpproxy/internal/token"
)

// connection is one server list of an agent, as connect and disconnect report it.
type connection struct {
	Agent  string         `json:"agent"`
	Scope  settings.Scope `json:"scope"`
	Path   string         `json:"path"`
	Action connect.Action `json:"action"`
	Backup string         `json:"backup,omitempty"`
	// Token is the name of the token that was created for the agent or revoked.
	Token string `json:"token,omitempty"`
	Next  string `json:"next,omitempty"`
	// Direct are the servers that the agent reaches without this proxy.
	Direct []directServer `json:"direct,omitempty"`
}

// directServer is a server that an agent reaches without this proxy.
type directServer struct {
	Name string `json:"name"`
	Path string `json:"path"` // path of the file that names it
}

// connectFlags are the flags of connect and disconnect.
type connectFlags struct {
	scope        string
	http, dryRun bool
}

func (f *connectFlags) add(cmd *cobra.Command, scope, scopeUse string) {
	cmd.Flags().StringVar(&f.scope, "scope", scope, scopeUse)
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "print the change as a diff, and change nothing")
}

func (f *connectFlags) check() error {
	if f.scope != "" && !slices.Contains(settings.Scopes, settings.Scope(f.scope)) {
		return fmt.Errorf("invalid --scope %q: must be user, project or local", f.scope)
	}
	return nil
}

func connectCommand(g *globals) *cobra.Command {
	f := &connectFlags{}
	var stdio bool
	cmd := &cobra.Command{
		Use:       "connect AGENT",
		Short:     "Add this proxy to an agent's MCP servers",
		Args:      cobra.ExactArgs(1),
		ValidArgs: connect.Agents(),
		Long: `Adds this proxy to the file in which an agent names its MCP servers. Comments,
order and other servers stay as they are, a copy of the file is kept in mcpproxy's
data folder, and connecting twice changes nothing more. The agent is told to start
mcpproxy stdio, which finds the daemon by its socket: no key stands in the file.
With --http it gets the address and a token of its own, named after it, which works
until the agent is disconnected. The file is then made readable for its owner alone.
It lists the servers that the agent still reaches directly: nothing watches these.

AGENT is one of ` + strings.Join(connect.Agents(), ", ") + `.`,
		Example: `  mcpproxy connect claude-code
  mcpproxy connect codex --dry-run
  mcpproxy connect cursor --scope project
  mcpproxy connect vscode --http      by the address of the listener and a token, instead of a program`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if stdio && f.http {
				return errors.New("choose one of --stdio and --http")
			}
			return runConnect(cmd, g, args[0], f)
		},
	}
	f.add(cmd, "user", "user (every session), project (this folder, for everybody) or local (this folder, for you)")
	cmd.Flags().BoolVar(&stdio, "stdio", false, "have the agent start mcpproxy stdio, which is the default")
	cmd.Flags().BoolVar(&f.http, "http", false, "give the agent the address of the listener, and a token of its own")
	return cmd
}

func runConnect(cmd *cobra.Command, g *globals, agent string, f *connectFlags) error {
	env, c, err := connectEnv(g)
	if err != nil {
		return err
	}
	place, err := connect.At(env, agent, settings.Scope(f.scope))
	if err != nil {
		return err
	}
	way, err := wayFor(cmd.Context(), g, c, f)
	if err != nil {
		return err
	}
	plan, err := place.Connect(way)
	if err != nil {
		return err
	}
	made := connection{
		Agent:  agent,
		Scope:  place.Scope,
		Path:   place.Path,
		Action: plan.Action,
		Next:   place.Next(),
	}
	if made.Direct, err = directServers(env, agent, remote.ListenOf(c)); err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "%v; the agent's other servers are not known\n", err)
	}
	if f.dryRun {
		return showPlans(cmd, g, []connect.Plan{plan}, []connection{made})
	}
	open := f.http && readByOthers(place.Path)
	if f.http {
		made.Token, err = agent, connectByToken(cmd.Context(), g, place, way)
	} else {
		err = connectWithout(cmd.Context(), g, place, plan)
	}
	if err != nil {
		return err
	}
	if plan.Action != connect.Unchanged {
		made.Backup = place.Backup()
	}
	if err := printConnections(cmd, g, []connection{made}); err != nil || g.output != "table" {
		return err
	}
	if open {
		fmt.Fprintf(
			cmd.ErrOrStderr(),
			"Other users could read %s. Now only its owner can: it holds a token.\n",
			term.Plain(place.Path),
		)
	}
	printNext(cmd.ErrOrStderr(), g, made)
	return nil
}

// printNext prints the next steps after connecting an agent.
func printNext(w io.Writer, g *globals, made connection) {
	fmt.Fprintln(w, "\n"+made.Next)
	if len(made.Direct) > 0 {
		fmt.Fprintf(w, "\n%s still reaches these servers directly, where nothing is checked:\n", made.Agent)
		for _, s := range made.Direct {
			fmt.Fprintf(w, "  %s  %s\n", term.Plain(s.Name), term.Plain(s.Path))
		}
		fmt.Fprintf(
			w,
			"To take them over: `mcpproxy import --from %s`; then remove them from those files.\n",
			made.Agent,
		)
	}
	if c, err := newClient(g); err == nil {
		if resp, err := c.Http.Get(c.Base + "/healthz"); err != nil {
			fmt.Fprintln(w, "mcpproxy is not running: start it with `mcpproxy serve`.")
		} else {
			resp.Body.Close()
		}
	}
	if slices.Contains(install.Agents(), made.Agent) && !hookWorks(g, made.Agent) {
		fmt.Fprintf(
			w,
			"To see what the agent does with its own tools, run `mcpproxy hook install --agent %s`.\n",
			made.Agent,
		)
	}
}

// hookWorks reports whether the hook of an agent is installed completely in one of the files that the agent reads.
func hookWorks(g *globals, agent string) bool {
	env, _, err := hookEnv(g)
	if err != nil {
		return false
	}
	places, err := hookPlaces(env, &hookFlags{agent: agent})
	if err != nil {
		return false
	}
	return slices.ContainsFunc(places, func(p install.Place) bool {
		s := p.Status()
		return s.Installed == "yes" && s.Reachable
	})
}

func disconnectCommand(g *globals) *cobra.Command {
	f := &connectFlags{}
	cmd := &cobra.Command{
		Use:       "disconnect AGENT",
		Short:     "Remove this proxy from an agent's MCP servers",
		Args:      cobra.ExactArgs(1),
		ValidArgs: connect.Agents(),
		Long: `Removes this proxy from the files in which an agent names its MCP servers, those of
the user and those of this folder. A file that nobody has changed since gets back
every byte it had before; of others only the entry of this proxy is removed. The token
that connect --http made for the agent is revoked.`,
		Example: `  mcpproxy disconnect claude-code
  mcpproxy disconnect cursor --scope project --dry-run`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return runDisconnect(cmd, g, args[0], f)
		},
	}
	f.add(cmd, "", "user, project or local; without it, all of them")
	return cmd
}

func runDisconnect(cmd *cobra.Command, g *globals, agent string, f *connectFlags) error {
	env, _, err := connectEnv(g)
	if env.Home == "" { // disconnecting must work with an unreadable configuration
		return err
	}
	places, err := connect.Places(env, agent)
	if err != nil {
		return err
	}
	if f.scope != "" {
		place, err := connect.At(env, agent, settings.Scope(f.scope))
		if err != nil {
			return err
		}
		places = []connect.Place{place}
	}
	var plans []connect.Plan
	var broken []error
	done := []connection{}
	for _, place := range places {
		held, err := place.Token() // read before it is removed
		var plan connect.Plan
		if err == nil {
			plan, err = place.Disconnect()
		}
		if err == nil && !f.dryRun {
			err = plan.Apply() // applied before the next plan, because two lists may be in one file
		}
		switch {
		case err != nil:
			broken = append(broken, err)
		case plan.Action == connect.Disconnected || f.scope != "":
			plans = append(plans, plan)
			gone := connection{
				Agent:  agent,
				Scope:  place.Scope,
				Path:   place.Path,
				Action: plan.Action,
			}
			if held != "" && plan.Action == connect.Disconnected && !f.dryRun {
				if gone.Token, err = revokeConnected(cmd.Context(), g, agent, held); err != nil {
					broken = append(broken, err)
				}
			}
			done = append(done, gone)
		}
	}
	if f.dryRun {
		err = showPlans(cmd, g, plans, done)
	} else {
		err = printConnections(cmd, g, done)
	}
	return errors.Join(append([]error{err}, broken...)...)
}

// showPlans prints the planned changes.
func showPlans(cmd *cobra.Command, g *globals, plans []connect.Plan, made []connection) error {
	if g.output != "table" {
		return g.print(cmd.OutOrStdout(), made, nil)
	}
	for _, plan := range plans {
		if err := term.PrintDiff(cmd.OutOrStdout(), plan.Diff()); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(cmd.ErrOrStderr(), "Nothing was changed.")
	return err
}

func printConnections(cmd *cobra.Command, g *globals, all []connection) error {
	if g.output == "table" && len(all) == 0 {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), "The agent was not connected.")
		return err
	}
	t := &term.Table{Header: []string{"AGENT", "SCOPE", "MCPPROXY", "FILE"}}
	for _, c := range all {
		t.Add(c.Agent, string(c.Scope), string(c.Action), c.Path)
	}
	return g.print(cmd.OutOrStdout(), all, t)
}

// connectEnv returns the paths of this machine and the configuration. If the configuration cannot
// be read, it returns the default one with the error.
func connectEnv(g *globals) (settings.Env, *config.Config, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return settings.Env{}, nil, err
	}
	project, err := os.Getwd()
	if err != nil {
		return settings.Env{}, nil, err
	}
	c, err := remote.Config(g.config)
	if err != nil {
		c = config.Default()
	}
	return settings.Env{
		Home:    home,
		Project: project,
		Backups: daemon.ConnectBackups(c),
		Getenv:  os.Getenv,
	}, c, err
}

// wayFor returns how the agent will reach the daemon.
func wayFor(ctx context.Context, g *globals, c *config.Config, f *connectFlags) (connect.Way, error) {
	if f.http {
		if scope := settings.Scope(f.scope); scope != settings.User {
			return connect.Way{}, fmt.Errorf("a file of scope %q must not hold a token: use --scope user, "+
				"or leave --http out; then the agent starts mcpproxy stdio, which needs no token", scope)
		}
		return wayByAddress(ctx, g, c)
	}
	program, err := ownProgram(settings.Scope(f.scope) == settings.Project)
	if err != nil {
		return connect.Way{}, err
	}
	words := []string{program}
	path, err := filepath.Abs(g.config)
	if err != nil {
		return connect.Way{}, err
	}
	if home, err := os.UserHomeDir(); err != nil || path != filepath.Join(home, ".mcpproxy", "mcp_config.json") {
		words = append(words, "--config", path)
	}
	return connect.Way{Command: append(words, "stdio")}, nil
}

// wayByAddress returns the listener's address, for a token that will be created later. It prefers
// the address of the running daemon, whose flags may override the file.
func wayByAddress(ctx context.Context, g *globals, c *config.Config) (connect.Way, error) {
	listen := remote.ListenOf(c)
	_, port, err := net.SplitHostPort(listen)
	switch {
	case err != nil || port == "0":
		return connect.Way{}, fmt.Errorf("the listener has no fixed port (listen is %q): leave --http out", listen)
	}
	client, err := newClient(g)
	if err != nil {
		return connect.Way{}, err
	}
	var st api.Overview
	if err := client.Get(ctx, "/api/v1/status", nil, &st); err == nil {
		if _, running, err := net.SplitHostPort(st.Listen); err == nil {
			port = running
		}
	}
	return connect.Way{URL: c.Scheme() + "://" + loopbackOf(c) + ":" + port + "/mcp", Token: token.Prefix + "…"}, nil
}

// loopbackOf returns the host at which agents on this machine reach the listener. With TLS it is
// the name, because the certificate may be valid for that name only.
func loopbackOf(c *config.Config) string {
	if host, _, err := net.SplitHostPort(c.Listen); err == nil && c.TLS.Cert != "" && net.ParseIP(host) == nil {
		return host
	}
	return "127.0.0.1"
}

// ownProgram returns the path of this program for an agent's settings, by the name under which it
// was found. That name survives an update, while the file behind a link may not. In a project's
// file, which others read too, it returns the name without the folder if that is sufficient.
func ownProgram(shared bool) (string, error) {
	found, err := exec.LookPath(os.Args[0])
	if err == nil {
		found, err = filepath.Abs(found)
	}
	if err != nil {
		if found, err = os.Executable(); err != nil {
			return "", fmt.Errorf("the path of mcpproxy cannot be determined: %w", err)
		}
	}
	if named, err := exec.LookPath(connect.Name); err == nil && shared && sameFile(named, found) {
		return connect.Name, nil
	}
	return found, nil
}

func sameFile(a, b string) bool {
	one, err1 := os.Stat(a)
	two, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(one, two)
}

// directServers returns the servers that an agent reaches without this proxy.
func directServers(env settings.Env, agent, listen string) ([]directServer, error) {
	places, err := connect.Places(env, agent)
	if err != nil {
		return nil, err
	}
	var all []directServer
	var broken error
	for _, place := range places {
		found, err := place.Servers()
		broken = errors.Join(broken, err)
		for _, s := range found {
			if !s.Disabled && !s.Leads(listen) && (s.Command != "" || s.URL != "") {
				all = append(all, directServer{s.Name, s.Path})
			}
		}
	}
	return all, broken
}
