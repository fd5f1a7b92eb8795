package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy/internal/agent"
	"mcpproxy/internal/api"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/config"
	"mcpproxy/internal/connect"
	"mcpproxy/internal/connect/adopt"
	"mcpproxy/internal/remote"
	"mcpproxy/internal/settings"
)

// importFlags are the flags of import.
type importFlags struct {
	from                string
	servers             []string
	all, rename, dryRun bool
	isolation           string
}

func importCommand(g *globals) *cobra.Command {
	f := &importFlags{}
	cmd := &cobra.Command{
		Use:   "import [FILE]",
		Short: "Take over the MCP servers that agents are configured with",
		Args:  cobra.MaximumNArgs(1),
		Long: `Looks for the MCP servers of all agents, those of the user and those of this folder,
or those that a file names, and shows them. The new ones are put into the
configuration file in one step, after a question on a terminal or with --all; the
rest of that file stays as it is. The agents' own files are not changed: take the
servers out of them, or the agents will still reach them directly.

A server that only files of this folder name (.mcp.json and the like) is taken when
--server names it: it came with the folder, and anybody may have written it.

If the configuration has a server of the same name with other settings, the command
says so and skips the new one; with --rename it imports it under another name. What
imported servers declare waits for your approval, as with any server. The command
lists secrets in plain text: write ${env:NAME}, ${file:PATH} or ${keyring:NAME} in
their place.`,
		Example: `  mcpproxy import --dry-run
  mcpproxy import --from claude-desktop
  mcpproxy import --from codex --server github --server files
  mcpproxy import team.mcp.json --all --rename`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && f.from != "" {
				return errors.New("name a file or an agent, not both")
			}
			return runImport(cmd, g, strings.Join(args, ""), f)
		},
	}
	cmd.Flags().StringVar(&f.from, "from", "", "one agent only: "+strings.Join(connect.Agents(), ", "))
	cmd.Flags().StringArrayVar(&f.servers, "server", nil, "take this one only, without a question; may be repeated")
	cmd.Flags().BoolVar(&f.all, "all", false, "take all that are new, without a question")
	cmd.Flags().BoolVar(&f.rename, "rename", false, "take those whose name another server has under another name")
	cmd.Flags().StringVar(&f.isolation, "isolation", config.StandardProfile, isolationUsage)
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "show what would be taken over, and change nothing")
	return cmd
}

func runImport(cmd *cobra.Command, g *globals, file string, f *importFlags) error {
	env, c, err := connectEnv(g)
	if err != nil {
		return err
	}
	all, broken, err := candidates(cmd, g, file, f, env, c)
	if broken != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), broken)
	}
	if err != nil {
		return err
	}
	if len(all) == 0 && g.output == "table" {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), "No MCP server was found.")
		return err
	}
	chosen := adopt.Chosen(all)
	take, err := decideImport(cmd, g, f, all, len(chosen))
	if err != nil || !take {
		return err
	}
	if _, err := config.EnsureFile(g.config); err != nil {
		return err
	}
	if err := config.AddServers(g.config, chosen); err != nil {
		return err
	}
	if err := awaitServers(cmd.Context(), g, chosen); err != nil {
		return err
	}
	if g.output != "table" {
		return g.print(cmd.OutOrStdout(), adopt.Masked(all), nil)
	}
	printImported(cmd.ErrOrStderr(), g, c, all, chosen)
	return nil
}

// takenPatience is how long awaitServers waits.
const takenPatience = 5 * time.Second

// awaitServers waits until a running daemon knows the servers that were put into its configuration, so that the next
// command finds them. Their definitions are read later. The error says that the daemon cannot use the file.
func awaitServers(ctx context.Context, g *globals, added []config.Server) error {
	c, err := newClient(g)
	if err != nil {
		return nil // the file is in its place, and the next command says what is wrong
	}
	begun := time.Now()
	for time.Since(begun) < takenPatience {
		var all []api.Server
		if err := c.Get(ctx, "/api/v1/servers", nil, &all); err != nil {
			return ctx.Err() // no daemon runs, or it is one that cannot be asked
		}
		missing := slices.IndexFunc(added, func(one config.Server) bool {
			return !slices.ContainsFunc(all, func(s api.Server) bool { return s.Name == one.Name })
		})
		if missing < 0 {
			return nil
		}
		if time.Since(begun) > refusedPatience {
			if err := notTaken(ctx, c, added[missing].Name); err != nil {
				return err
			}
		}
		select {
		case <-time.After(settleLook):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// candidates returns the servers that could be imported. Broken describes the files that could not be read. On a
// terminal, candidates shows progress.
func candidates(
	cmd *cobra.Command,
	g *globals,
	file string,
	f *importFlags,
	env settings.Env,
	c *config.Config,
) (all []adopt.Candidate, broken, err error) {
	defer term.Progress(cmd.ErrOrStderr(), "reading the agents' servers")()
	found, broken, err := adopt.Find(env, file, f.from)
	if err != nil {
		return nil, nil, err
	}
	present, err := adopt.Present(g.config)
	if err != nil {
		return nil, broken, err
	}
	all, err = adopt.Weigh(g.config, remote.ListenOf(c), found, present, adopt.Choice{
		Servers:   f.servers,
		Rename:    f.rename,
		Isolation: func(command string) (*config.Isolation, error) { return newIsolation(f.isolation, command) },
	})
	return all, broken, err
}

// decideImport prints the found servers and reports whether to import the new ones.
func decideImport(cmd *cobra.Command, g *globals, f *importFlags, all []adopt.Candidate, n int) (bool, error) {
	take := (f.all || len(f.servers) > 0) && !f.dryRun && n > 0
	if g.output != "table" {
		if take {
			return true, nil
		}
		return false, g.print(cmd.OutOrStdout(), adopt.Masked(all), nil)
	}
	t := &term.Table{Header: []string{"SERVER", "FROM", "WHAT", "STATE"}}
	for _, c := range adopt.Masked(all) {
		t.Add(c.Name, c.Sources(), term.Cut(c.What(), 60), c.Outcome())
	}
	if err := t.Write(cmd.OutOrStdout()); err != nil {
		return false, err
	}
	say := cmd.ErrOrStderr()
	switch {
	case f.dryRun || n == 0:
		fmt.Fprintln(say, "\nNothing was changed.")
		return false, nil
	case take:
		return true, nil
	case !term.OnTerminal():
		fmt.Fprintln(
			say,
			"\nNothing was changed. To take over all that are new, add --all; for some of them, --server NAME.",
		)
		return false, nil
	}
	return term.AskerOf(cmd).Yes(cmd.Context(), fmt.Sprintf("\nPut the new ones into %s? ", g.config))
}

// printImported prints the next steps after an import.
func printImported(w io.Writer, g *globals, c *config.Config, all []adopt.Candidate, chosen []config.Server) {
	servers := "1 server was"
	if len(chosen) != 1 {
		servers = fmt.Sprint(len(chosen), " servers were")
	}
	fmt.Fprintf(w, "\n%s put into %s.", servers, g.config)
	if c.Security.ToolQuarantine.Enabled && c.Security.ToolQuarantine.AutoQuarantineNewTools {
		fmt.Fprint(
			w,
			" What they declare waits for your approval:\n`mcpproxy trust list` shows it, and `mcpproxy trust baseline` takes what the scan found nothing dangerous in.",
		)
	}
	fmt.Fprintln(w)
	var files, agents []string
	plainText := false
	for _, x := range all {
		if x.State != adopt.StateNew {
			continue
		}
		for _, at := range x.Plain {
			if !plainText {
				fmt.Fprintln(w, "\nThat file now contains secrets in plain text:")
			}
			plainText = true
			fmt.Fprintf(w, "  %s: %s\n", term.Plain(x.Server.Name), term.Plain(at))
		}
		for _, from := range x.From {
			if !slices.Contains(files, from.Path) {
				files = append(files, from.Path)
			}
			if from.Agent != "" && !slices.Contains(agents, from.Agent) {
				agents = append(agents, from.Agent)
			}
		}
	}
	if plainText {
		fmt.Fprintln(
			w,
			"Write ${env:NAME} in their place and give mcpproxy the variable, or ${file:PATH} and put the secret into a\nfile that only you can read, or ${keyring:NAME} and put it into the system's keyring, for the service mcpproxy.",
		)
	}
	if len(agents) > 0 {
		fmt.Fprintf(
			w,
			"\nThe agents still reach these servers by themselves. Take them out of\n  %s\nand connect each agent to this proxy instead:\n",
			plainLine(files),
		)
		for _, name := range agents {
			if a, ok := agent.Named(name); ok && a.Servers.ByHand == "" {
				fmt.Fprintf(w, "  mcpproxy connect %s\n", name)
			}
		}
	}
}

// plainLine makes a text safe to print on one line of a list.
func plainLine(files []string) string {
	var out []string
	for _, f := range files {
		out = append(out, term.Plain(f))
	}
	return strings.Join(out, "\n  ")
}
