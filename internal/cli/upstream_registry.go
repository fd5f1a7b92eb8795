package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/config"
	"mcpproxy/internal/registry"
)

const registryUsage = "address of the registry; registry.url of the configuration when empty"

// searchShown is the default number of servers that upstream search prints.
const searchShown = 20

// waysShown is how many packages and addresses of one server are printed.
const waysShown = 20

func upstreamSearch(g *globals) *cobra.Command {
	var address string
	var limit int
	cmd := &cobra.Command{
		Use:   "search TEXT",
		Short: "Look for servers in the registry of MCP servers",
		Args:  cobra.ExactArgs(1),
		Long: `Lists the servers that the registry finds by a text, each in its latest version. Anybody
can publish there, and nobody checks what a publisher says about a server.`,
		Example: `  mcpproxy upstream search weather
  mcpproxy upstream search weather --limit 50 -o json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 1 || limit > registry.Largest {
				return fmt.Errorf("invalid --limit %d: use a number from 1 to %d", limit, registry.Largest)
			}
			c, err := registryOf(g, address)
			if err != nil {
				return err
			}
			done := term.Progress(cmd.ErrOrStderr(), "asking the registry")
			found, err := c.Search(cmd.Context(), args[0], limit)
			done()
			if err != nil {
				return err
			}
			t := &term.Table{Header: []string{"NAME", "VERSION", "FROM", "DESCRIPTION"}}
			for _, e := range found.Servers {
				t.Add(e.Name, e.Version, term.Cut(strings.Join(e.Ways(), ", "), 100), term.Cut(e.Description, 80))
			}
			if err := g.print(cmd.OutOrStdout(), found, t); err != nil || g.output != "table" {
				return err
			}
			printFound(cmd.ErrOrStderr(), found)
			return nil
		},
	}
	cmd.Flags().StringVar(&address, "registry", "", registryUsage)
	cmd.Flags().IntVar(&limit, "limit", searchShown, "how many servers to show at most")
	return cmd
}

// printFound prints the facts that the table of servers does not contain.
func printFound(w io.Writer, found *registry.Found) {
	if found.Skipped > 0 {
		fmt.Fprintf(w, "%d entries were left out: their names or versions do not have a valid form.\n", found.Skipped)
	}
	switch {
	case len(found.Servers) == 0:
		fmt.Fprintln(w, "The registry finds no server for this text.")
	case found.More:
		fmt.Fprintln(w, "There are more; --limit shows them.")
	}
	if len(found.Servers) > 0 {
		fmt.Fprintln(w, "To see what one needs, and add it: mcpproxy upstream add NAME")
	}
}

// registryOf returns the registry of the flag, or of the configuration, or the official one.
func registryOf(g *globals, address string) (*registry.Client, error) {
	if address == "" {
		c, err := config.LoadClient(g.config)
		switch {
		case errors.Is(err, os.ErrNotExist):
			c = config.Default()
		case err != nil:
			return nil, err
		}
		if address, err = c.RegistryURL(); err != nil {
			return nil, err
		}
	}
	return registry.New(address)
}

// fromRegistry are the flags of upstream add for a server of the registry.
type fromRegistry struct {
	address, way, as string
	args             []string
	yes, dryRun      bool
}

func (f *fromRegistry) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.address, "registry", "", registryUsage)
	cmd.Flags().StringVar(&f.way, "package", "", "npm, pypi, oci or remote: which of a registry's packages to take")
	cmd.Flags().StringVar(&f.as, "as", "", "name in the configuration of a server from the registry")
	cmd.Flags().StringArrayVar(&f.args, "arg", nil, "argument of a server from the registry; may be repeated")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "add a server from the registry without a question")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "show a server from the registry, and change nothing")
}

// refuse returns an error if a flag is given that only applies to a server of the registry. Without
// this check, --dry-run for a manually entered server would change the configuration.
func (f *fromRegistry) refuse(cmd *cobra.Command) error {
	for _, name := range []string{"registry", "package", "as", "arg", "yes", "dry-run"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s is for a server from the registry, such as io.github.owner/name", name)
		}
	}
	return nil
}

// offered is a server of the registry with the settings to add.
type offered struct {
	Server  *registry.Entry `json:"server"`
	Plan    *registry.Plan  `json:"plan,omitempty"`
	Problem string          `json:"problem,omitempty"` // why it cannot be added
}

// resolve completes a server from its registry entry and prints the result. It reports false if the
// server is not to be added.
func (f *fromRegistry) resolve(cmd *cobra.Command, g *globals, named string, s *config.Server) (bool, error) {
	name, version, _ := strings.Cut(named, "@")
	c, err := registryOf(g, f.address)
	if err != nil {
		return false, err
	}
	done := term.Progress(cmd.ErrOrStderr(), "asking the registry")
	e, err := c.Get(cmd.Context(), name, version)
	done()
	if err != nil {
		return false, err
	}
	plan, whyNot := f.plan(e, s)
	if whyNot == nil {
		whyNot = nameIsFree(g.config, s.Name)
	}
	if f.dryRun && g.output != "table" {
		found := offered{Server: e, Plan: plan}
		if whyNot != nil {
			found.Problem = whyNot.Error()
		}
		return false, errors.Join(g.print(cmd.OutOrStdout(), found, nil), whyNot)
	}
	w := cmd.ErrOrStderr()
	if f.dryRun {
		w = cmd.OutOrStdout()
	}
	showEntry(w, e)
	if whyNot != nil {
		return false, whyNot
	}
	showPlan(w, plan, s)
	switch {
	case f.dryRun:
		return false, nil
	case f.yes:
		return true, nil
	case !term.OnTerminal():
		return false, errors.New("nothing was changed: to add the server without a question, add --yes")
	}
	return term.AskerOf(cmd).Yes(cmd.Context(), "Add it? ")
}

// plan derives a server from a registry entry and the flags. The error contains untrusted text in a
// printable form.
func (f *fromRegistry) plan(e *registry.Entry, s *config.Server) (*registry.Plan, error) {
	plan, err := e.Plan(registry.Choice{
		Way:     f.way,
		Env:     s.Env,
		Headers: s.Headers,
		Args:    f.args,
		IsPlain: func(value string) bool {
			return len(config.Server{Env: map[string]string{"SECRET": value}}.Plain()) > 0
		},
	})
	if err != nil {
		var lines []string
		for line := range strings.SplitSeq(err.Error(), "\n") {
			lines = append(lines, term.Plain(term.Cut(line, 500)))
		}
		return nil, errors.New(strings.Join(lines[:min(len(lines), 10)], "\n"))
	}
	s.Name = cmp.Or(f.as, plan.Name)
	s.Command = plan.Command
	s.Args = plan.Args
	s.URL = plan.URL
	s.Env = plan.Env
	s.Headers = plan.Headers
	if plan.Way == registry.RemoteWay {
		s.Protocol = plan.Transport
	}
	if at := s.Plain(); len(at) > 0 {
		return nil, fmt.Errorf(
			"a secret would stand in plain text in the configuration, in %s: refer to it, as in ${keyring:NAME} or ${env:NAME}",
			term.Plain(strings.Join(at, ", ")),
		)
	}
	return plan, nil
}

// nameIsFree returns an error if the configuration has a server of that name.
func nameIsFree(file, name string) error {
	c, err := config.LoadClient(file)
	if err != nil {
		return nil // adding the server reports the invalid file
	}
	if slices.ContainsFunc(c.Servers, func(s config.Server) bool { return s.Name == name }) {
		return fmt.Errorf("the configuration has a server %q already: choose another name with --as NAME", name)
	}
	return nil
}

// inform prints a line of the registry entry.
func inform(w io.Writer, label, text string) {
	if text != "" {
		fmt.Fprintf(w, "  %-11s %s\n", label, term.Plain(term.Cut(text, 1000)))
	}
}

// showEntry prints a registry entry, which is untrusted text.
func showEntry(w io.Writer, e *registry.Entry) {
	fmt.Fprintf(w, "%s %s\n", term.Plain(e.Name), term.Plain(e.Version))
	inform(w, "says", term.Cut(e.Description, 200))
	if e.Status != "active" {
		inform(w, "status", e.Status)
	}
	ways := e.Ways()
	for _, way := range ways[:min(len(ways), waysShown)] {
		inform(w, "comes as", way)
	}
	for _, p := range e.Packages[:min(len(e.Packages), waysShown)] {
		if p.SHA256 != "" {
			inform(w, "sha256", p.SHA256+" of "+p.Pinned()+", by its publisher")
		}
	}
}

// showPlan prints the settings to add.
func showPlan(w io.Writer, plan *registry.Plan, s *config.Server) {
	inform(w, "name here", s.Name)
	inform(w, "package", plan.Package)
	if plan.SHA256 != "" {
		inform(w, "not checked", "the sha256: "+plan.Command+" fetches the package without comparing it with a hash")
	}
	inform(w, "transport", plan.Transport)
	inform(w, "address", plan.URL)
	if plan.Command != "" {
		inform(w, "runs", strings.Join(append([]string{plan.Command}, plan.Args...), " "))
	}
	for _, in := range plan.Inputs {
		words := []string{"optional"}
		if in.Required {
			words[0] = "required"
		}
		if in.Secret {
			words = append(words, "secret")
		}
		inform(w, "takes", fmt.Sprintf("%s (%s) %s", in.Name, strings.Join(words, ", "), term.Cut(in.Description, 100)))
	}
	shown := config.Config{Servers: config.Servers{{Env: maps.Clone(s.Env), Headers: maps.Clone(s.Headers)}}}
	shown.Mask()
	values := shown.Servers[0].Env
	if plan.Way == registry.RemoteWay {
		values = shown.Servers[0].Headers
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		inform(w, "is given", name+" = "+values[name])
	}
}
