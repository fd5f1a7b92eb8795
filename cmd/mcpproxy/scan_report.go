package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpproxy"
	"mcpproxy/internal/report"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/scan/definition"
)

// printScan writes what a scan found in the format asked for.
func (g *globals) printScan(cmd *cobra.Command, r scanned, threshold string) error {
	w := cmd.OutOrStdout()
	switch g.output {
	case formatSARIF:
		return report.WriteSARIF(w, r.sarif())
	case "table":
		return r.table(w, threshold)
	}
	return g.print(w, r, nil)
}

// table draws the findings and a line that sums them up.
func (r *scanned) table(w io.Writer, threshold string) error {
	p := colours(w)
	if len(r.Findings) > 0 {
		t := &table{header: []string{"TOOL", "THREAT LEVEL", "SEVERITY", "CONFIDENCE", "CHECKS", "EVIDENCE"}}
		for _, f := range r.Findings {
			t.add(cut(f.object(), 60), f.ThreatLevel, string(f.Severity), fmt.Sprintf("%.2f", f.Confidence), strings.Join(f.Signals, ", "), cut(f.strongest().Evidence, 80))
		}
		if err := t.paint(w, func(row int) func(string) string {
			if r.Findings[row].Hard() {
				return p.red
			}
			return p.yellow
		}); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	hard := 0
	for _, f := range r.Findings {
		if f.Hard() {
			hard++
		}
	}
	summary := fmt.Sprintf("%s scanned: %d dangerous, %d to review. Risk %d of 100. %s", plural(r.Definitions, "definition"), hard, len(r.Findings)-hard, r.RiskScore,
		plural(r.Coverage.ChecksRun-r.Coverage.ChecksFailed, "check"))
	if r.Coverage.ChecksFailed > 0 {
		summary += fmt.Sprintf(" of %d; failed: %s", r.Coverage.ChecksRun, strings.Join(r.Coverage.FailedCheckIDs, ", "))
	}
	paint := p.green
	switch {
	case r.verdict(threshold) != nil:
		paint = p.red
	case len(r.Findings) > 0 || r.Coverage.ChecksFailed > 0:
		paint = p.yellow
	}
	_, err := fmt.Fprintln(w, paint(summary+"."))
	return err
}

// plural is a number of things.
func plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// paint writes the table with each row in the colour that of gives it.
func (t *table) paint(w io.Writer, of func(row int) func(string) string) error {
	var drawn bytes.Buffer
	if err := t.write(&drawn); err != nil {
		return err
	}
	row := -1 // the header
	for line := range strings.Lines(drawn.String()) {
		if row >= 0 {
			line = of(row)(strings.TrimSuffix(line, "\n")) + "\n"
		}
		if _, err := io.WriteString(w, line); err != nil {
			return err
		}
		row++
	}
	return nil
}

// object is what a finding is about, as one word.
func (f *located) object() string {
	name := f.Tool
	if f.Kind == definition.KindPrompt {
		name += " (prompt)"
	}
	return f.Server + ":" + name
}

// strongest is the signal that says most.
func (f *located) strongest() definition.Signal {
	if len(f.Details) == 0 {
		return definition.Signal{}
	}
	return slices.MaxFunc(f.Details, func(a, b definition.Signal) int {
		hard := func(s definition.Signal) int {
			if s.Tier == scan.TierHard {
				return 1
			}
			return 0
		}
		return cmp.Or(hard(a)-hard(b), cmp.Compare(slices.Index(severities, a.Severity), slices.Index(severities, b.Severity)), cmp.Compare(a.Confidence, b.Confidence))
	})
}

// scores are the severities as code-hosting sites count them, 0 to 10.
var scores = map[mcpproxy.Severity]float64{mcpproxy.SeverityLow: 3, mcpproxy.SeverityMedium: 5.5, mcpproxy.SeverityHigh: 8, mcpproxy.SeverityCritical: 9.5}

// sarif is the scan as a run. Every signal is a finding of its own, at its own
// place.
func (r *scanned) sarif() report.Run {
	run := report.Run{Program: "mcpproxy", Version: buildVersion(), Properties: map[string]any{"risk_score": r.RiskScore, "definitions": r.Definitions,
		"checks_run": r.Coverage.ChecksRun, "checks_failed": r.Coverage.ChecksFailed}}
	for _, c := range checkHelp {
		run.Rules = append(run.Rules, report.Rule{ID: c.id, Name: c.name, Summary: c.summary, Help: c.help, Level: levelOf(c.tier, mcpproxy.SeverityHigh), Score: scores[c.severity],
			Tags: []string{"security", "mcp"}})
	}
	for _, id := range r.Coverage.FailedCheckIDs {
		run.Failed = append(run.Failed, "The check "+id+" failed. What it looks for may have been missed.")
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		for _, s := range f.Details {
			run.Rules = known(run.Rules, s.CheckID)
			run.Findings = append(run.Findings, f.result(s))
		}
	}
	return run
}

// known adds a rule for a check that has no help of its own.
func known(rules []report.Rule, id string) []report.Rule {
	if slices.ContainsFunc(rules, func(r report.Rule) bool { return r.ID == id }) {
		return rules
	}
	return append(rules, report.Rule{ID: id, Name: id, Summary: "The check " + id + ".", Help: "Read the evidence.", Level: report.LevelWarning, Score: scores[mcpproxy.SeverityMedium]})
}

func (f *located) result(s definition.Signal) report.Finding {
	pointer := pointerOf(s.Path)
	kind := "function"
	if f.Kind != definition.KindTool {
		kind = "resource"
	}
	severity := s.Severity
	if severity == "" {
		severity = f.Severity
	}
	object := plain(f.object())
	message := object + ": " + s.Detail
	if s.Evidence != "" {
		message += " Read: " + s.Evidence
	}
	out := report.Finding{Rule: s.CheckID, Level: levelOf(s.Tier, severity), Message: message, File: fileURI(f.File), Line: f.from.line(pointer),
		Pointer: plain(f.Pointer + pointer), Object: object, Kind: kind, Score: scores[severity], Evidence: s.Evidence,
		Identity: []string{s.CheckID, f.Server, f.Tool, pointer, s.Evidence}}
	if out.File == "" {
		out.File = "mcp://" + url.PathEscape(f.Server) + "/" + string(f.Kind) + "/" + url.PathEscape(f.Tool)
	}
	return out
}

// levelOf is how SARIF shows a signal.
func levelOf(tier scan.Tier, severity mcpproxy.Severity) report.Level {
	switch {
	case tier == scan.TierHard:
		return report.LevelError
	case severity == mcpproxy.SeverityLow:
		return report.LevelNote
	}
	return report.LevelWarning
}

// fileURI is the name of a file as a URI: relative for one below the working
// directory, as code-hosting sites want it.
func fileURI(name string) string {
	if name == "" {
		return ""
	}
	path := filepath.ToSlash(filepath.Clean(name))
	u := url.URL{Path: path}
	if filepath.IsAbs(name) {
		u.Scheme = "file"
	}
	return u.String()
}
