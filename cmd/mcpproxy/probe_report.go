package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy/internal/probe"
	"mcpproxy/internal/report"
)

// The formats that probe has beside the others.
const (
	formatJUnit    = "junit"
	formatMarkdown = "markdown"
	formatXLSX     = "xlsx"
)

// write writes the report to standard output or to the file.
func (f *probeFlags) write(cmd *cobra.Command, g *globals, r *probe.Results) error {
	var out bytes.Buffer
	if err := writeProbe(&out, g, r, colours(cmd.OutOrStdout())); err != nil {
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

func writeProbe(w io.Writer, g *globals, r *probe.Results, p palette) error {
	switch g.output {
	case formatJUnit:
		return report.WriteJUnit(w, "mcpproxy probe", probeSuites(r))
	case formatSARIF:
		return report.WriteSARIF(w, probeSARIF(r))
	case formatMarkdown:
		_, err := io.WriteString(w, probeMarkdown(r))
		return err
	case formatXLSX:
		return report.WriteXLSX(w, probeSheets(r))
	case "table":
		return printProbe(w, r, p)
	}
	return g.print(w, r, nil)
}

// inFlags puts the flags of this command where a report names the options of the REST API.
var inFlags = strings.NewReplacer("allow_controlled_answer", "--allow-controlled-answer", "allow_injection_test", "--allow-injection-test",
	"allow_destructive", "--allow-destructive", "allowed_tools", "--allow-tool", "blocked_tools", "--block-tool",
	"out_of_scope_tools", "--out-of-scope-tool", "latency_test_calls", "--latency-test-calls", "max_calls", "--max-calls",
	"call_timeout_ms", "--call-timeout", "require_schema_stability=", "--threshold require_schema_stability=",
	"deny_out_of_scope=", "--threshold deny_out_of_scope=", "max_p95_ms=", "--threshold max_p95_ms=")

// printProbe writes the report for people.
func printProbe(w io.Writer, r *probe.Results, p palette) error {
	fmt.Fprintf(w, "%s  %s\n\n", p.bold(plain(r.Target)), p.dim(plain(strings.Join(compact(r.Server, r.Transport, r.ProtocolVersion), ", "))))
	t := &table{header: []string{"TEST", "NAME", "RESULT", "LATENCY", "SENT"}}
	for _, one := range r.Tests {
		t.add(one.ID, one.Name, string(one.Outcome), fmt.Sprintf("%.1f ms", one.LatencyMS), strconv.Itoa(one.Attempts))
	}
	if err := t.write(w); err != nil {
		return err
	}
	for _, one := range r.Tests {
		switch one.Outcome {
		case probe.Failed:
			fmt.Fprintf(w, "\n%s\n", p.red(one.ID+": "+plain(inFlags.Replace(one.Reason))))
			for _, note := range one.Notes[:min(len(one.Notes), 5)] {
				fmt.Fprintf(w, "    %s\n", plain(inFlags.Replace(note)))
			}
			if more := len(one.Notes) - 5; more > 0 {
				fmt.Fprintf(w, "    and %d more: -o json shows all\n", more)
			}
			fmt.Fprintf(w, "    To mend it: %s\n", plain(inFlags.Replace(one.Fix)))
		case probe.Skipped:
			fmt.Fprintf(w, "\n%s: not made: %s\n", one.ID, plain(inFlags.Replace(one.SkipReason)))
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
		fmt.Fprintf(w, "%s\n", p.yellow("PARTIAL: "+r.PartialReason))
	}
	return nil
}

// printPlanned shows what a dry run found.
func printPlanned(w io.Writer, r *probe.Results) {
	if len(r.Planned) == 0 {
		return
	}
	fmt.Fprintln(w, "\nWould be sent:")
	for _, p := range r.Planned {
		fmt.Fprintf(w, "    %s  %d × %s %s\n", p.Test, p.Count, p.Method, plain(p.Tool))
	}
	fmt.Fprintln(w, "\nTools:")
	for _, t := range r.Tools {
		what := "would be called"
		if !t.Called {
			what = "not called: " + t.Why
		}
		fmt.Fprintf(w, "    %s (%s): %s\n", plain(t.Name), t.Operation, plain(what))
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

// probeSuites are the results for JUnit.
func probeSuites(r *probe.Results) []report.Suite {
	var out []report.Suite
	for _, name := range []string{probe.SuiteSecurity, probe.SuiteRobustness} {
		s := report.Suite{Name: name, Time: r.Started.Format("2006-01-02T15:04:05"), Properties: [][2]string{{"target", r.Target}, {"server", r.Server},
			{"transport", r.Transport}, {"protocol_version", r.ProtocolVersion}}}
		for _, one := range r.Tests {
			if one.Suite != name {
				continue
			}
			c := report.Case{Class: name, Name: one.ID + " " + one.Name, Seconds: one.LatencyMS / 1000, Output: strings.Join(one.Notes, "\n")}
			switch one.Outcome {
			case probe.Failed:
				c.Failure = one.Reason
				c.Text = strings.Join(compact("To mend it: "+one.Fix, codeLine(one)), "\n")
			case probe.Skipped:
				c.Skipped = one.SkipReason
			}
			s.Cases = append(s.Cases, c)
		}
		if len(s.Cases) > 0 {
			out = append(out, s)
		}
	}
	if r.Partial && len(out) > 0 {
		out[len(out)-1].Error = "the report is partial: " + r.PartialReason
	}
	return out
}

func codeLine(one probe.Result) string {
	if one.ErrorCode == "" {
		return ""
	}
	return fmt.Sprintf("The server answered (%s): %s", one.ErrorCode, one.ErrorMessage)
}

// probeSARIF are the results for code-hosting sites: a failed test is a finding.
func probeSARIF(r *probe.Results) report.Run {
	run := report.Run{Program: "mcpproxy probe", Version: buildVersion(), Properties: map[string]any{"target": r.Target, "summary": r.Totals, "partial": r.Partial}}
	for _, t := range probe.Tests() {
		score := 5.0
		if t.Suite == probe.SuiteSecurity && t.ID != "T5" {
			score = 7
		}
		run.Rules = append(run.Rules, report.Rule{ID: t.ID, Name: strings.ReplaceAll(strings.ReplaceAll(t.Name, " ", ""), "/", ""), Summary: t.Summary, Help: t.Help,
			Level: report.LevelError, Score: score, Tags: []string{"security", t.Suite}})
	}
	for _, one := range r.Tests {
		if one.Outcome == probe.Failed {
			run.Findings = append(run.Findings, report.Finding{Rule: one.ID, Level: report.LevelError, Message: one.Reason, File: "mcp://" + targetPath(r.Target),
				Object: r.Target, Kind: "module", Score: 5, Evidence: one.ErrorMessage})
		}
	}
	if r.Partial {
		run.Failed = append(run.Failed, "the report is partial: "+r.PartialReason)
	}
	return run
}

// targetPath is a target's name as part of a URI.
func targetPath(target string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-._/:", r) {
			return r
		}
		return '-'
	}, strings.TrimPrefix(strings.TrimPrefix(target, "http://"), "https://"))
}

// probeMarkdown is the report as a page.
func probeMarkdown(r *probe.Results) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Probe of %s\n\n", report.MarkdownText(r.Target))
	fmt.Fprintf(&b, "%s\n\n", report.MarkdownText(strings.Join(compact(r.Server, r.Transport, "MCP "+r.ProtocolVersion, r.Started.Format(time.RFC3339)), ", ")))
	if r.Partial {
		fmt.Fprintf(&b, "**Partial:** %s\n\n", report.MarkdownText(r.PartialReason))
	}
	var suites, rows [][]string
	if s := r.Totals.Security; s != nil {
		suites = append(suites, []string{probe.SuiteSecurity, strconv.Itoa(s.Total), strconv.Itoa(s.Passed), strconv.Itoa(s.Skipped)})
	}
	if s := r.Totals.Robustness; s != nil {
		suites = append(suites, []string{probe.SuiteRobustness, strconv.Itoa(s.Total), strconv.Itoa(s.Passed), strconv.Itoa(s.Skipped)})
	}
	b.WriteString(report.MarkdownTable([]string{"suite", "tests", "passed", "not made"}, suites) + "\n")
	for _, one := range r.Tests {
		rows = append(rows, []string{one.ID, one.Name, string(one.Outcome), fmt.Sprintf("%.1f ms", one.LatencyMS), cmp.Or(one.Reason, one.SkipReason)})
	}
	b.WriteString(report.MarkdownTable([]string{"test", "name", "result", "latency", "why"}, rows))
	for _, one := range r.Tests {
		if one.Outcome != probe.Failed {
			continue
		}
		fmt.Fprintf(&b, "\n## %s %s\n\n%s\n", one.ID, report.MarkdownText(one.Name), report.MarkdownText(one.Reason))
		for _, n := range one.Notes {
			fmt.Fprintf(&b, "\n- %s", report.MarkdownText(n))
		}
		if len(one.Notes) > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "\n**To mend it:** %s\n", report.MarkdownText(one.Fix))
	}
	return b.String()
}

// probeSheets are the summary, with the columns of the suite's document, and the
// results one by one.
func probeSheets(r *probe.Results) []report.Sheet {
	header := []any{"target", "started", "transport", "protocol_version", "partial"}
	row := []any{r.Target, r.Started.Format(time.RFC3339), r.Transport, r.ProtocolVersion, r.Partial}
	if s := r.Totals.Security; s != nil {
		header = append(header, "mcp_security_tests", "mcp_security_passed", "mcp_p95_latency_ms", "mcp_slo_met", "mcp_schema_stable", "mcp_scope_denied")
		row = append(row, s.SecurityTests, s.SecurityPassed, cellInt(s.P95LatencyMS), cellBool(s.SLOMet), cellBool(s.SchemaStable), cellBool(s.OutOfScopeDenied))
	}
	if s := r.Totals.Robustness; s != nil {
		header = append(header, "mcp_robustness_tests", "mcp_robustness_passed")
		row = append(row, s.Total, s.Passed)
	}
	details := [][]any{{"id", "name", "suite", "outcome", "latency_ms", "attempts", "tools", "error_code", "error_message", "failure_reason", "fix", "skip_reason", "notes", "details"}}
	for _, one := range r.Tests {
		details = append(details, []any{one.ID, one.Name, one.Suite, string(one.Outcome), one.LatencyMS, one.Attempts, strings.Join(one.Tools, ", "), one.ErrorCode,
			one.ErrorMessage, one.Reason, one.Fix, one.SkipReason, strings.Join(one.Notes, "\n"), asJSON(one.Details)})
	}
	return []report.Sheet{{Name: "summary", Rows: [][]any{header, row}}, {Name: "details", Rows: details}}
}

func cellInt(n *int) any {
	if n == nil {
		return nil
	}
	return *n
}

func cellBool(b *bool) any {
	if b == nil {
		return nil
	}
	return *b
}
