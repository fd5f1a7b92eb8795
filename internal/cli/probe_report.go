package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/probe"
	"mcpproxy/internal/probe/export"
	"mcpproxy/internal/report"
)

// Additional formats of probe.
const (
	formatJUnit    = "junit"
	formatMarkdown = "markdown"
	formatXLSX     = "xlsx"
)

// write writes the report to standard output or to the file.
func (f *probeFlags) write(cmd *cobra.Command, g *globals, r *probe.Results) error {
	var out bytes.Buffer
	if err := writeProbe(&out, g, r, term.Colors(cmd.OutOrStdout())); err != nil {
		return err
	}
	if f.file == "" {
		_, err := cmd.OutOrStdout().Write(out.Bytes())
		return err
	}
	if err := os.WriteFile(f.file, out.Bytes(), 0o644); err != nil {
		return err
	}
	_, err := fmt.Fprintf(cmd.ErrOrStderr(), "The report is in %s.\n", f.file)
	return err
}

func writeProbe(w io.Writer, g *globals, r *probe.Results, p term.Palette) error {
	switch g.output {
	case formatJUnit:
		return report.WriteJUnit(w, "mcpproxy probe", export.Suites(r))
	case formatSARIF:
		return report.WriteSARIF(w, export.SARIF(r))
	case formatMarkdown:
		_, err := io.WriteString(w, export.Markdown(r))
		return err
	case formatXLSX:
		return report.WriteXLSX(w, export.Sheets(r))
	case "table":
		return printProbe(w, r, p)
	}
	return g.print(w, r, nil)
}

// inFlags replaces the names of REST options in a report with the flags of this command.
var inFlags = strings.NewReplacer(
	"allow_injection_test",
	"--allow-injection-test",
	"allow_destructive",
	"--allow-destructive",
	"allowed_tools",
	"--allow-tool",
	"blocked_tools",
	"--block-tool",
	"out_of_scope_tools",
	"--out-of-scope-tool",
	"latency_test_calls",
	"--latency-test-calls",
	"max_calls",
	"--max-calls",
	"call_timeout_ms",
	"--call-timeout",
	"require_schema_stability=",
	"--threshold require_schema_stability=",
	"deny_out_of_scope=",
	"--threshold deny_out_of_scope=",
	"max_p95_ms=",
	"--threshold max_p95_ms=",
)

// printProbe prints the report for people.
func printProbe(w io.Writer, r *probe.Results, p term.Palette) error {
	fmt.Fprintf(
		w,
		"%s  %s\n\n",
		p.Bold(term.Plain(r.Target)),
		p.Dim(term.Plain(strings.Join(compact(r.Server, r.Transport, r.ProtocolVersion), ", "))),
	)
	t := &term.Table{Header: []string{"TEST", "NAME", "RESULT", "LATENCY", "SENT"}}
	for _, one := range r.Tests {
		t.Add(one.ID, one.Name, string(one.Outcome), fmt.Sprintf("%.1f ms", one.LatencyMS), strconv.Itoa(one.Attempts))
	}
	if err := t.Write(w); err != nil {
		return err
	}
	for _, one := range r.Tests {
		switch one.Outcome {
		case probe.Failed:
			fmt.Fprintf(w, "\n%s\n", p.Red(one.ID+": "+term.Plain(inFlags.Replace(one.Reason))))
			for _, note := range one.Notes[:min(len(one.Notes), 5)] {
				fmt.Fprintf(w, "    %s\n", term.Plain(inFlags.Replace(note)))
			}
			if more := len(one.Notes) - 5; more > 0 {
				fmt.Fprintf(w, "    and %d more: -o json shows all\n", more)
			}
			fmt.Fprintf(w, "    How to fix it: %s\n", term.Plain(inFlags.Replace(one.Fix)))
		case probe.Skipped:
			fmt.Fprintf(w, "\n%s: not made: %s\n", one.ID, term.Plain(inFlags.Replace(one.SkipReason)))
		}
	}
	printPlanned(w, r)
	if s := r.Totals.Security; s != nil {
		fmt.Fprintf(w, "\nmcp_security: %d of %d passed%s", s.Passed, s.Total, skippedWords(s.Skipped))
		if s.P95LatencyMS != nil {
			fmt.Fprintf(w, ", P95 %d ms of %d", *s.P95LatencyMS, s.MaxP95MS)
		}
	}
	if s := r.Totals.Robustness; s != nil {
		fmt.Fprintf(w, "\nmcp_robustness: %d of %d passed%s", s.Passed, s.Total, skippedWords(s.Skipped))
	}
	fmt.Fprintln(w)
	if r.Partial {
		fmt.Fprintf(w, "%s\n", p.Yellow("PARTIAL: "+r.PartialReason))
	}
	return nil
}

// printPlanned prints the result of a dry run.
func printPlanned(w io.Writer, r *probe.Results) {
	if len(r.Planned) == 0 {
		return
	}
	fmt.Fprintln(w, "\nWould be sent:")
	for _, p := range r.Planned {
		fmt.Fprintf(w, "    %s  %d × %s %s\n", p.Test, p.Count, p.Method, term.Plain(p.Tool))
	}
	fmt.Fprintln(w, "\nTools:")
	for _, t := range r.Tools {
		what := "would be called"
		if !t.Called {
			what = "not called: " + t.Why
		}
		fmt.Fprintf(w, "    %s (%s): %s\n", term.Plain(t.Name), t.Operation, term.Plain(what))
	}
}

func skippedWords(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d not made", n)
}

func compact(words ...string) []string {
	var out []string
	for _, w := range words {
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}
