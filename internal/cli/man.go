package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcpproxy/internal/version"
)

// manCommand returns the command that writes the manual pages and the shell completions of all commands. `make
// release` adds them to the packages.
func manCommand() *cobra.Command {
	var markdown bool
	cmd := &cobra.Command{
		Use:     "man DIR",
		Short:   "Write the manual pages, and completions for bash, fish and zsh",
		Example: "  mcpproxy man /usr/local/share\n  mcpproxy man --markdown",
		Long: `Writes man/man1/*.1 and the completions below DIR, which is a folder like /usr/share. With --markdown, prints the
reference of all commands instead.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if markdown {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if markdown {
				return writeReference(cmd.OutOrStdout(), cmd.Root())
			}
			return writeManual(cmd.Root(), args[0])
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print the reference of all commands as Markdown")
	return cmd
}

// writeManual writes every page and completion below dir, in the folders where systems look for
// them.
func writeManual(root *cobra.Command, dir string) error {
	files := map[string]func(*os.File) error{
		"bash-completion/completions/mcpproxy":         func(f *os.File) error { return root.GenBashCompletionV2(f, true) },
		"fish/vendor_completions.d/mcpproxy.fish":      func(f *os.File) error { return root.GenFishCompletion(f, true) },
		"zsh/vendor-completions/_mcpproxy":             func(f *os.File) error { return root.GenZshCompletion(f) },
		"powershell-completion/mcpproxy.ps1":           func(f *os.File) error { return root.GenPowerShellCompletionWithDesc(f) },
		filepath.Join("man", "man1", root.Name()+".1"): manualPage(root),
	}
	for _, verb := range documented(root) {
		files[filepath.Join("man", "man1", root.Name()+"-"+verb.Name()+".1")] = manualPage(verb)
	}
	for name, write := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("writing the manual: %w", err)
		}
		f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
		if err != nil {
			return fmt.Errorf("writing the manual: %w", err)
		}
		if err := write(f); err != nil {
			f.Close()
			return fmt.Errorf("writing %s: %w", path, err)
		}
		if err := f.Close(); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
	}
	return nil
}

// documented returns the visible subcommands of a command, sorted by name.
func documented(c *cobra.Command) []*cobra.Command {
	out := slices.DeleteFunc(slices.Clone(c.Commands()), func(c *cobra.Command) bool { return c.Hidden })
	slices.SortFunc(out, func(a, b *cobra.Command) int { return strings.Compare(a.Name(), b.Name()) })
	return out
}

// manualPage writes the page of a command in the man(7) format. The page of the program lists its
// verbs. The page of a verb contains its subcommands.
func manualPage(c *cobra.Command) func(*os.File) error {
	return func(f *os.File) error {
		var b strings.Builder
		title := strings.ReplaceAll(c.CommandPath(), " ", "-")
		fmt.Fprintf(&b, ".TH %s 1 \"\" \"mcpproxy %s\" \"User Commands\"\n.nh\n.ad l\n",
			roffWord(strings.ToUpper(title)), roff(version.String()))
		fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(title), roff(c.Short))
		fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(c.UseLine()))
		fmt.Fprintf(&b, ".SH DESCRIPTION\n%s", paragraphs(c.Long, c.Short))
		manualFlags(&b, ".SH OPTIONS", c.NonInheritedFlags())
		manualFlags(&b, ".SH GLOBAL OPTIONS", c.InheritedFlags())
		below := documented(c)
		if len(below) > 0 {
			fmt.Fprintf(&b, ".SH COMMANDS\n")
		}
		for _, sub := range below {
			if !c.HasParent() {
				fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(title+"-"+sub.Name()+"(1)"), roff(sub.Short))
				continue
			}
			manualCommand(&b, sub)
		}
		manualExample(&b, c)
		if c.HasParent() {
			fmt.Fprintf(&b, ".SH SEE ALSO\n.B mcpproxy(1)\n")
		}
		_, err := f.WriteString(b.String())
		return err
	}
}

// manualCommand writes a subcommand and its own subcommands.
func manualCommand(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, ".SS %s\n%s", roffWord(c.UseLine()), paragraphs(c.Long, c.Short))
	manualFlags(b, "", c.LocalNonPersistentFlags())
	for _, sub := range documented(c) {
		manualCommand(b, sub)
	}
}

func manualFlags(b *strings.Builder, heading string, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || f.Name == "version" {
			return
		}
		if heading != "" {
			fmt.Fprintln(b, heading)
			heading = ""
		}
		name, usage := pflag.UnquoteUsage(f)
		line := "--" + f.Name
		if f.Shorthand != "" {
			line = "-" + f.Shorthand + ", " + line
		}
		if name != "" {
			line += " " + name
		}
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(line), roff(usage))
	})
}

func manualExample(b *strings.Builder, c *cobra.Command) {
	if c.Example != "" {
		fmt.Fprintf(b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(strings.Trim(c.Example, "\n")))
	}
}

// paragraphs returns the long description of a command, or else the short one. Indented lines are
// kept as they are.
func paragraphs(long, short string) string {
	if long == "" {
		long = short + "."
	}
	var b strings.Builder
	for i, part := range strings.Split(strings.Trim(long, "\n"), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		if strings.HasPrefix(part, "  ") || strings.Contains(part, "\n  ") || strings.ContainsRune(part, '\t') {
			part = ".nf\n" + roff(part) + "\n.fi"
		} else {
			part = roff(part)
		}
		b.WriteString(part + "\n")
	}
	return b.String()
}

// roff escapes a text for troff: a backslash, a hyphen, and a dot or quote at the start of a line
// are special (groff(7)).
func roff(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

// roffWord returns a text as one argument of a macro.
func roffWord(text string) string { return `"` + strings.ReplaceAll(roff(text), `"`, `\(dq`) + `"` }
