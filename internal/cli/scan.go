package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"mcpproxy"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/eval"
	"mcpproxy/internal/scan/definition"
	"mcpproxy/internal/scan/run"
	"mcpproxy/internal/scan/source"
)

// formatSARIF is an additional format of scan.
const formatSARIF = "sarif"

// noThreshold is a threshold that no finding reaches.
const noThreshold = "none"

func scanCommand(g *globals) *cobra.Command {
	var inputs []string
	var threshold, server string
	cmd := &cobra.Command{
		Use:   "scan [SERVER|FILE.json]",
		Short: "Look for attacks in what servers say about their tools",
		Long: `Reads the definitions of tools, prompts and servers' instructions, and says which of them try to steer the agent, hide
something, or imitate another server's tool. It calls no tool, and sends nothing anywhere.

Without an argument all servers of the running mcpproxy are scanned, with the name of one that server. A FILE.json holds the
answer to tools/list, a list of tools, or one tool. --input reads JSON Lines as mcpproxy eval tools does.

The exit code is 1 when a definition has a finding of the threshold or above, or could not be scanned.`,
		Example: "  mcpproxy scan\n  mcpproxy scan github\n  mcpproxy scan tools.json --threshold medium\n  mcpproxy scan tools.json -o sarif > tools.sarif",
		Args:    cobra.MaximumNArgs(1),
		Annotations: map[string]string{
			moreFormats: formatSARIF,
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if threshold != noThreshold && mcpproxy.Severity(threshold).Rank() < 0 {
				return fmt.Errorf("invalid --threshold %q: must be low, medium, high, critical or none", threshold)
			}
			subjects, err := subjectsOf(cmd, g, args, inputs, server)
			if err != nil {
				return err
			}
			done := term.Progress(cmd.ErrOrStderr(), "scanning")
			r := run.Scan(subjects, definition.Scanner{Secrets: detect.New(detect.Rules()).Secrets})
			done()
			var failure error
			if threshold != noThreshold {
				failure = r.Err(mcpproxy.Severity(threshold))
			}
			if err := g.printScan(cmd, r, failure != nil); err != nil {
				return err
			}
			return failure
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(
		&inputs,
		"input",
		nil,
		"a file of JSON Lines, a folder of *.jsonl files, or - for standard input; may be repeated",
	)
	flags.StringVar(
		&threshold,
		"threshold",
		string(mcpproxy.SeverityHigh),
		"exit with code 1 from this severity: low, medium, high, critical; none never does",
	)
	flags.StringVar(
		&server,
		"server",
		"",
		"name of the server whose tools a FILE.json holds; the file's name without this",
	)
	return cmd
}

// subjectsOf returns what to scan.
func subjectsOf(cmd *cobra.Command, g *globals, args, inputs []string, server string) ([]source.Subject, error) {
	switch {
	case len(args) > 0 && len(inputs) > 0:
		return nil, fmt.Errorf("%q and --input: scan one or the other", args[0])
	case len(inputs) > 0:
		rows, err := eval.Definitions(eval.Options{Inputs: inputs, Stdin: cmd.InOrStdin()})
		return rowSubjects(rows), err
	case len(args) == 0:
		return daemonSubjects(cmd, g, "")
	}
	if looksLikeFile(args[0]) {
		return source.Read(args[0], server)
	}
	return daemonSubjects(cmd, g, args[0])
}

// looksLikeFile reports whether an argument is the name of a file rather than of a server.
func looksLikeFile(word string) bool {
	if strings.HasSuffix(word, ".json") || strings.HasSuffix(word, ".jsonl") || strings.ContainsAny(word, `/\`) {
		return true
	}
	info, err := os.Stat(word)
	return err == nil && info.Mode().IsRegular()
}
