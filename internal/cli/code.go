package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"mcpproxy/internal/api"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/codemode"
	"mcpproxy/internal/exit"
)

func codeCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "code",
		Short: "Run scripts that call tools",
		Args:  noSuchVerb,
		RunE:  help,
		Long: `Runs a script in the sandbox of the running daemon, as agents do with the tool
execute. Code mode must be on: code_execution.enabled.`,
		Example: `  mcpproxy code run report.ts
  mcpproxy code run - < report.ts
  mcpproxy code run weekly      a stored script: <data_dir>/scripts/weekly.ts`,
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "run FILE|NAME",
		Short: "Run a script, and print what it returns",
		Args:  cobra.ExactArgs(1),
		Long: `Runs a script in the running daemon: the text of a file, or a stored script by its name.
Prints the returned value to standard output as JSON, and the script's console output to
standard error. Exits 1 when the script fails or is stopped.`,
		RunE: func(cmd *cobra.Command, args []string) error { return runCode(cmd, g, args[0]) },
	})
	return cmd
}

func runCode(cmd *cobra.Command, g *globals, file string) error {
	script, err := scriptFor(cmd, file)
	if err != nil {
		return err
	}
	client, err := newClient(g)
	if err != nil {
		return err
	}
	var ran api.Ran
	if err := client.Post(cmd.Context(), "/api/v1/code/run", script, &ran); err != nil {
		return err
	}
	if ran.Outcome == nil {
		return errors.New(term.Plain(ran.Reason))
	}
	var out codemode.Outcome
	if err := json.Unmarshal(ran.Outcome, &out); err != nil {
		return err
	}
	if g.output != "table" {
		if err := g.print(cmd.OutOrStdout(), ran, nil); err != nil || out.Error == nil {
			return err
		}
		return exit.With(exit.General, errSilent)
	}
	if out.Console != "" {
		fmt.Fprint(cmd.ErrOrStderr(), plainLines(out.Console))
	}
	if e := out.Error; e != nil {
		message := string(e.Code) + ": " + term.Plain(e.Message)
		if e.SuggestedFix != "" {
			message += "; " + term.Plain(e.SuggestedFix)
		}
		return errors.New(message)
	}
	if out.Value != nil {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), term.Plain(string(out.Value)))
		return err
	}
	if out.Hint != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), out.Hint)
	}
	return nil
}

// scriptFor returns the script to run: the text of a file, or a stored script if the file does not
// exist and the argument is a valid name.
func scriptFor(cmd *cobra.Command, file string) (map[string]string, error) {
	source, err := readScript(cmd, file)
	if errors.Is(err, os.ErrNotExist) && codemode.IsName(file) {
		return map[string]string{"script": file}, nil
	}
	return map[string]string{"code": string(source)}, err
}

// readScript reads a file, or standard input for "-".
func readScript(cmd *cobra.Command, file string) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(io.LimitReader(cmd.InOrStdin(), 16<<20))
	}
	return os.ReadFile(file)
}

// plainLines makes each line of a text safe to print.
func plainLines(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(term.Plain(strings.TrimRight(line, "\n")) + "\n")
	}
	return b.String()
}
