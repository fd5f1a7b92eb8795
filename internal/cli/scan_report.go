package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/report"
	"mcpproxy/internal/scan/export"
	"mcpproxy/internal/scan/run"
)

// printScan prints the findings in the requested format; failed says that the command fails because
// of them.
func (g *globals) printScan(cmd *cobra.Command, r *run.Result, failed bool) error {
	w := cmd.OutOrStdout()
	switch g.output {
	case formatSARIF:
		return report.WriteSARIF(w, export.SARIF(r))
	case "table":
		return scanTable(w, r, failed)
	}
	return g.print(w, r, nil)
}

// scanTable lists the findings and a summary line.
func scanTable(w io.Writer, r *run.Result, failed bool) error {
	p := term.Colors(w)
	if len(r.Findings) > 0 {
		t := &term.Table{Header: []string{"TOOL", "THREAT LEVEL", "SEVERITY", "CONFIDENCE", "CHECKS", "EVIDENCE"}}
		for _, f := range r.Findings {
			t.Add(
				term.Cut(f.Object(), 60),
				f.ThreatLevel,
				string(f.Severity),
				fmt.Sprintf("%.2f", f.Confidence),
				strings.Join(f.Signals, ", "),
				term.Cut(f.Strongest().Evidence, 80),
			)
		}
		if err := t.Paint(w, func(row int) func(string) string {
			if r.Findings[row].Hard() {
				return p.Red
			}
			return p.Yellow
		}); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	hard := r.Dangerous()
	summary := fmt.Sprintf(
		"%s scanned: %d dangerous, %d to review. Risk %d of 100. %s",
		term.Plural(r.Definitions, "definition"),
		hard,
		len(r.Findings)-hard,
		r.RiskScore,
		term.Plural(r.Coverage.ChecksRun-r.Coverage.ChecksFailed, "check"),
	)
	if r.Coverage.ChecksFailed > 0 {
		summary += fmt.Sprintf(
			" of %d; failed: %s",
			r.Coverage.ChecksRun,
			strings.Join(r.Coverage.FailedCheckIDs, ", "),
		)
	}
	paint := p.Green
	switch {
	case failed:
		paint = p.Red
	case len(r.Findings) > 0 || r.Coverage.ChecksFailed > 0:
		paint = p.Yellow
	}
	_, err := fmt.Fprintln(w, paint(summary+"."))
	return err
}
