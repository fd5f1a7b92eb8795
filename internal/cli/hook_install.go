package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
	"mcpproxy/internal/hook/install"
	"mcpproxy/internal/remote"
)

// hookChange is one settings file, as install and uninstall report it.
type hookChange struct {
	Agent  string         `json:"agent"`
	Scope  install.Scope  `json:"scope"`
	Path   string         `json:"path"`
	Action install.Action `json:"action"`
	Backup string         `json:"backup,omitempty"`
	Hint   string         `json:"hint,omitempty"`
}

// hookFlags are the flags that select settings files.
type hookFlags struct {
	agent, scope string
	all, dryRun  bool
}

func (f *hookFlags) add(cmd *cobra.Command, scope, scopeUse string) {
	cmd.Flags().StringVar(&f.agent, "agent", "", "the agent: "+strings.Join(install.Agents(), ", "))
	cmd.Flags().StringVar(&f.scope, "scope", scope, scopeUse)
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "print the change as a diff, and change nothing")
}

func (f *hookFlags) check() error {
	if f.scope != "" && !slices.Contains(install.Scopes, install.Scope(f.scope)) {
		return fmt.Errorf("invalid --scope %q: must be user, project or local", f.scope)
	}
	return nil
}

func hookInstallCommand(g *globals) *cobra.Command {
	f := &hookFlags{}
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Install the hook in an agent's settings",
		Args:  noArguments,
		Long: `Adds mcpproxy's hook to an agent's settings. Comments, order and other hooks
stay as they are, a copy of the file is kept in mcpproxy's data folder, and
installing twice changes nothing more. No key and no port is written: the hook
finds mcpproxy by its socket.`,
		Example: `  mcpproxy hook install --agent claude-code --scope project
  mcpproxy hook install --agent codex --dry-run
  mcpproxy hook install --all`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if (f.agent == "") == !f.all {
				return errors.New(
					"name an agent with --agent, or choose all that are found with --all; there are " + strings.Join(
						install.Agents(),
						", ",
					),
				)
			}
			if err := f.check(); err != nil {
				return err
			}
			return runHookInstall(cmd, g, f)
		},
	}
	f.add(cmd, "user", "user (every session), project (this folder, for everybody) or local (this folder, for you)")
	cmd.Flags().BoolVar(&f.all, "all", false, "every agent that is found on this machine")
	return cmd
}

func runHookInstall(cmd *cobra.Command, g *globals, f *hookFlags) error {
	env, socket, err := hookEnv(g)
	if err != nil {
		return err
	}
	command, err := install.Find(os.Args[0])
	if err == nil {
		err = command.Check(cmd.Context())
	}
	command.Socket = socket
	if err != nil {
		return fmt.Errorf("the hook does not work, so it was not installed: %w", err)
	}
	names := []string{f.agent}
	if f.all {
		names = slices.DeleteFunc(install.Agents(), func(name string) bool { return !install.Present(env, name) })
		if len(names) == 0 {
			return errors.New("no agent was found on this machine; name one with --agent")
		}
	}
	var plans []install.Plan
	for _, name := range names {
		p, err := install.At(env, name, install.Scope(f.scope))
		if err != nil && f.all {
			fmt.Fprintln(cmd.ErrOrStderr(), err)
			continue
		}
		if err != nil {
			return err
		}
		plan, err := p.Install(command)
		if err != nil {
			return err // before any file is written
		}
		plans = append(plans, plan)
	}
	return finishHooks(cmd, g, plans, f.dryRun)
}

func hookUninstallCommand(g *globals) *cobra.Command {
	f := &hookFlags{}
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove the hook from agents' settings",
		Args:  noArguments,
		Long: `Removes mcpproxy's hook from the settings of all agents, those of the user and
those of this folder. A file that nobody has changed since gets back every byte
it had before; of others only the hook's entries are removed.`,
		Example: `  mcpproxy hook uninstall
  mcpproxy hook uninstall --agent claude-code --scope project
  mcpproxy hook uninstall --dry-run`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			env, _, err := hookEnv(g)
			if err != nil {
				return err
			}
			places, err := hookPlaces(env, f)
			if err != nil {
				return err
			}
			var plans []install.Plan
			var broken []error
			for _, p := range places {
				plan, err := p.Uninstall()
				if err != nil {
					broken = append(broken, err)
				} else if plan.Action == install.Removed || f.agent != "" && f.scope != "" {
					plans = append(plans, plan)
				}
			}
			return errors.Join(append([]error{finishHooks(cmd, g, plans, f.dryRun)}, broken...)...)
		},
	}
	f.add(cmd, "", "user, project or local; without it, all of them")
	return cmd
}

// hookPlaces returns the places that the flags select, each file once.
func hookPlaces(env install.Env, f *hookFlags) ([]install.Place, error) {
	names, scopes := install.Agents(), install.Scopes
	if f.agent != "" {
		names = []string{f.agent}
	}
	if f.scope != "" {
		scopes = []install.Scope{install.Scope(f.scope)}
	}
	var places []install.Place
	var last error
	for _, name := range names {
		for _, scope := range scopes {
			p, err := install.At(env, name, scope)
			if err != nil {
				last = err
				continue
			}
			if !slices.ContainsFunc(places, func(q install.Place) bool { return q.Path == p.Path }) {
				places = append(places, p)
			}
		}
	}
	if len(places) == 0 {
		return nil, last
	}
	return places, nil
}

// finishHooks prints the plans, or applies and reports them.
func finishHooks(cmd *cobra.Command, g *globals, plans []install.Plan, dryRun bool) error {
	changes := []hookChange{}
	t := &term.Table{Header: []string{"AGENT", "SCOPE", "HOOK", "FILE"}}
	for _, plan := range plans {
		c := hookChange{
			Agent:  plan.Place.Agent,
			Scope:  plan.Place.Scope,
			Path:   plan.Place.Path,
			Action: plan.Action,
			Hint:   plan.Hint,
		}
		if dryRun && g.output == "table" {
			if err := term.PrintDiff(cmd.OutOrStdout(), plan.Diff()); err != nil {
				return err
			}
		}
		if !dryRun {
			if err := plan.Apply(); err != nil {
				return err
			}
			if plan.Action == install.Installed || plan.Action == install.Updated {
				c.Backup = plan.Place.Backup()
			}
		}
		changes = append(changes, c)
		t.Add(c.Agent, string(c.Scope), string(c.Action), c.Path)
	}
	switch {
	case g.output != "table":
		return g.print(cmd.OutOrStdout(), changes, t)
	case dryRun:
		fmt.Fprintln(cmd.ErrOrStderr(), "Nothing was changed.")
		return nil
	case len(changes) == 0:
		fmt.Fprintln(cmd.OutOrStdout(), "No hook was installed.")
		return nil
	}
	if err := g.print(cmd.OutOrStdout(), changes, t); err != nil {
		return err
	}
	for _, c := range changes {
		if c.Hint != "" {
			fmt.Fprintln(cmd.ErrOrStderr(), c.Hint)
		}
	}
	return nil
}

// hookEnv returns the paths of this machine and the configured socket. The socket is "" if hooks
// find it by default.
func hookEnv(g *globals) (env install.Env, socket string, err error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return env, "", err
	}
	project, err := os.Getwd()
	if err != nil {
		return env, "", err
	}
	c, err := remote.Config(g.config)
	if err != nil { // the configuration is optional for installing hooks
		c = config.Default()
	}
	if usual := config.Default().DataDir + "/mcpproxy.sock"; c.SocketPath() != usual {
		socket = c.SocketPath()
	}
	return install.Env{
		Home:    home,
		Project: project,
		Backups: daemon.HookBackups(c),
		Getenv:  os.Getenv,
	}, socket, nil
}
