package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// writeReference writes the reference of all commands as one page of Markdown, for the website of the documentation.
func writeReference(w io.Writer, root *cobra.Command) error {
	var b strings.Builder
	b.WriteString("# Reference: commands\n\nMade from the program itself. `mcpproxy COMMAND --help` says the same.\n\n")
	fmt.Fprintf(&b, "## %s\n\n%s", root.Name(), markdownText(root.Long, root.Short))
	markdownFlags(&b, root.LocalFlags())
	for _, verb := range documented(root) {
		referenceCommand(&b, verb, "##")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// referenceCommand writes a command and its subcommands.
func referenceCommand(b *strings.Builder, c *cobra.Command, heading string) {
	fmt.Fprintf(b, "%s %s\n\n%s.\n\n    %s\n\n", heading, c.CommandPath(), markdownWord(c.Short), c.UseLine())
	if c.Long != "" {
		b.WriteString(markdownText(c.Long, ""))
	}
	markdownFlags(b, c.LocalNonPersistentFlags())
	if c.Example != "" {
		fmt.Fprintf(b, "For example:\n\n%s\n\n", markdownCode(c.Example))
	}
	for _, sub := range documented(c) {
		referenceCommand(b, sub, "###")
	}
}

// markdownFlags writes a table of flags, if there are any.
func markdownFlags(b *strings.Builder, flags *pflag.FlagSet) {
	heading := "| flag | |\n|---|---|\n"
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || f.Name == "version" {
			return
		}
		name, usage := pflag.UnquoteUsage(f)
		line := "--" + f.Name
		if f.Shorthand != "" {
			line = "-" + f.Shorthand + ", " + line
		}
		if name != "" {
			line += " " + name
		}
		fmt.Fprintf(b, "%s| `%s` | %s |\n", heading, line, markdownWord(usage))
		heading = ""
	})
	if heading == "" {
		b.WriteByte('\n')
	}
}

// markdownText returns the long description of a command, or else the short one, as Markdown. Indented lines are kept
// as they are.
func markdownText(long, short string) string {
	if long == "" {
		long = short + "."
	}
	var b strings.Builder
	for part := range strings.SplitSeq(strings.Trim(long, "\n"), "\n\n") {
		if strings.HasPrefix(part, "  ") || strings.Contains(part, "\n  ") || strings.ContainsRune(part, '\t') {
			part = markdownCode(part)
		} else {
			part = markdownWord(part)
		}
		b.WriteString(part + "\n\n")
	}
	return b.String()
}

// markdownCode returns lines as a block of code.
func markdownCode(text string) string {
	return "    " + strings.ReplaceAll(strings.Trim(text, "\n"), "\n", "\n    ")
}

// markdownWord returns a text that is shown as it is: whatever Markdown gives a meaning is escaped.
func markdownWord(text string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(text), " ") {
		if strings.ContainsRune("\\`*_{}[]<>()#+-!|&~$=.:", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
