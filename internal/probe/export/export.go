// Package export converts the results of a probe to other formats: test suites for JUnit, a run for
// SARIF, Markdown, and sheets of a workbook.
package export

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpproxy/internal/probe"
	"mcpproxy/internal/report"
	"mcpproxy/internal/version"
)

// Suites returns the results for JUnit.
func Suites(r *probe.Results) []report.Suite {
	var out []report.Suite
	for _, name := range []string{probe.SuiteSecurity, probe.SuiteRobustness} {
		s := report.Suite{
			Name: name,
			Time: r.Started.Format("2006-01-02T15:04:05"),
			Properties: [][2]string{{"target", r.Target}, {"server", r.Server},
				{"transport", r.Transport}, {"protocol_version", r.ProtocolVersion}},
		}
		for _, one := range r.Tests {
			if one.Suite != name {
				continue
			}
			c := report.Case{
				Class:   name,
				Name:    one.ID + " " + one.Name,
				Seconds: one.LatencyMS / 1000,
				Output:  strings.Join(one.Notes, "\n"),
			}
			switch one.Outcome {
			case probe.Failed:
				c.Failure = one.Reason
				c.Text = strings.Join(nonEmpty("How to fix it: "+one.Fix, codeLine(one)), "\n")
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

// SARIF returns the results for code-hosting sites: a failed test is a finding.
func SARIF(r *probe.Results) report.Run {
	run := report.Run{
		Program:    "mcpproxy probe",
		Version:    version.String(),
		Properties: map[string]any{"target": r.Target, "summary": r.Totals, "partial": r.Partial},
	}
	for _, t := range probe.Tests() {
		score := 5.0
		if t.Suite == probe.SuiteSecurity && t.ID != "T5" {
			score = 7
		}
		run.Rules = append(run.Rules, report.Rule{
			ID:      t.ID,
			Name:    strings.ReplaceAll(strings.ReplaceAll(t.Name, " ", ""), "/", ""),
			Summary: t.Summary,
			Help:    t.Help,
			Level:   report.LevelError,
			Score:   score,
			Tags:    []string{"security", t.Suite},
		})
	}
	for _, one := range r.Tests {
		if one.Outcome == probe.Failed {
			run.Findings = append(run.Findings, report.Finding{
				Rule:     one.ID,
				Level:    report.LevelError,
				Message:  one.Reason,
				File:     "mcp://" + targetPath(r.Target),
				Object:   r.Target,
				Kind:     "module",
				Score:    5,
				Evidence: one.ErrorMessage,
			})
		}
	}
	if r.Partial {
		run.Failed = append(run.Failed, "the report is partial: "+r.PartialReason)
	}
	return run
}

// targetPath returns a target's name as part of a URI.
func targetPath(target string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-._/:", r) {
			return r
		}
		return '-'
	}, strings.TrimPrefix(strings.TrimPrefix(target, "http://"), "https://"))
}

// Markdown returns the report as a page.
func Markdown(r *probe.Results) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Probe of %s\n\n", report.MarkdownText(r.Target))
	fmt.Fprintf(
		&b,
		"%s\n\n",
		report.MarkdownText(
			strings.Join(
				nonEmpty(r.Server, r.Transport, "MCP "+r.ProtocolVersion, r.Started.Format(time.RFC3339)),
				", ",
			),
		),
	)
	if r.Partial {
		fmt.Fprintf(&b, "**Partial:** %s\n\n", report.MarkdownText(r.PartialReason))
	}
	var suites, rows [][]string
	if s := r.Totals.Security; s != nil {
		suites = append(
			suites,
			[]string{probe.SuiteSecurity, strconv.Itoa(s.Total), strconv.Itoa(s.Passed), strconv.Itoa(s.Skipped)},
		)
	}
	if s := r.Totals.Robustness; s != nil {
		suites = append(
			suites,
			[]string{probe.SuiteRobustness, strconv.Itoa(s.Total), strconv.Itoa(s.Passed), strconv.Itoa(s.Skipped)},
		)
	}
	b.WriteString(report.MarkdownTable([]string{"suite", "tests", "passed", "not made"}, suites) + "\n")
	for _, one := range r.Tests {
		rows = append(
			rows,
			[]string{
				one.ID,
				one.Name,
				string(one.Outcome),
				fmt.Sprintf("%.1f ms", one.LatencyMS),
				cmp.Or(one.Reason, one.SkipReason),
			},
		)
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
		fmt.Fprintf(&b, "\n**How to fix it:** %s\n", report.MarkdownText(one.Fix))
	}
	return b.String()
}

// Sheets returns the summary, with the columns of the suite's document, and the single results.
func Sheets(r *probe.Results) []report.Sheet {
	header := []any{"target", "server", "started", "transport", "protocol_version", "partial"}
	row := []any{r.Target, r.Server, r.Started.Format(time.RFC3339), r.Transport, r.ProtocolVersion, r.Partial}
	if s := r.Totals.Security; s != nil {
		header = append(
			header,
			"mcp_security_tests",
			"mcp_security_passed",
			"mcp_p95_latency_ms",
			"mcp_slo_met",
			"mcp_schema_stable",
			"mcp_scope_denied",
		)
		row = append(
			row,
			s.SecurityTests,
			s.SecurityPassed,
			cellInt(s.P95LatencyMS),
			cellBool(s.SLOMet),
			cellBool(s.SchemaStable),
			cellBool(s.OutOfScopeDenied),
		)
	}
	if s := r.Totals.Robustness; s != nil {
		header = append(header, "mcp_robustness_tests", "mcp_robustness_passed")
		row = append(row, s.Total, s.Passed)
	}
	details := [][]any{
		{
			"id",
			"name",
			"suite",
			"outcome",
			"latency_ms",
			"attempts",
			"tools",
			"error_code",
			"error_message",
			"failure_reason",
			"fix",
			"skip_reason",
			"notes",
			"details",
		},
	}
	for _, one := range r.Tests {
		details = append(
			details,
			[]any{
				one.ID,
				one.Name,
				one.Suite,
				string(one.Outcome),
				one.LatencyMS,
				one.Attempts,
				strings.Join(one.Tools, ", "),
				one.ErrorCode,
				one.ErrorMessage,
				one.Reason,
				one.Fix,
				one.SkipReason,
				strings.Join(one.Notes, "\n"),
				inJSON(one.Details),
			},
		)
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

// inJSON returns v as JSON on one line, for a cell; "" for nothing.
func inJSON(v any) string {
	if v == nil {
		return ""
	}
	raw, err := json.Marshal(v)
	if err != nil || string(raw) == "null" {
		return ""
	}
	return string(raw)
}

// nonEmpty returns the words that are not empty.
func nonEmpty(words ...string) []string {
	return slices.DeleteFunc(words, func(w string) bool { return w == "" })
}
