// Package export converts the results of a scan to SARIF. It has a help text for every check.
package export

import (
	"net/url"
	"path/filepath"
	"slices"

	"mcpproxy"
	"mcpproxy/internal/report"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/scan/definition"
	"mcpproxy/internal/scan/run"
	"mcpproxy/internal/scan/source"
	"mcpproxy/internal/version"
)

// scores map severities to the scores of code-hosting sites, 0 to 10.
var scores = map[mcpproxy.Severity]float64{
	mcpproxy.SeverityLow:      3,
	mcpproxy.SeverityMedium:   5.5,
	mcpproxy.SeverityHigh:     8,
	mcpproxy.SeverityCritical: 9.5,
}

// SARIF returns the results for code-hosting sites. Every signal is a finding with its own position.
func SARIF(r *run.Result) report.Run {
	out := report.Run{Program: "mcpproxy", Version: version.String(), Properties: map[string]any{
		"risk_score":    r.RiskScore,
		"definitions":   r.Definitions,
		"checks_run":    r.Coverage.ChecksRun,
		"checks_failed": r.Coverage.ChecksFailed,
	}}
	for _, c := range checks {
		out.Rules = append(out.Rules, report.Rule{
			ID:      c.id,
			Name:    c.name,
			Summary: c.summary,
			Help:    c.help,
			Level:   level(c.tier, mcpproxy.SeverityHigh),
			Score:   scores[c.severity],
			Tags:    []string{"security", "mcp"},
		})
	}
	for _, id := range r.Coverage.FailedCheckIDs {
		out.Failed = append(out.Failed, "The check "+id+" failed. What it looks for may have been missed.")
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		for _, s := range f.Details {
			out.Rules = known(out.Rules, s.CheckID)
			out.Findings = append(out.Findings, finding(f, s))
		}
	}
	return out
}

// known adds a rule for a check without a help text.
func known(rules []report.Rule, id string) []report.Rule {
	if slices.ContainsFunc(rules, func(r report.Rule) bool { return r.ID == id }) {
		return rules
	}
	return append(rules, report.Rule{
		ID:      id,
		Name:    id,
		Summary: "The check " + id + ".",
		Help:    "Read the evidence.",
		Level:   report.LevelWarning,
		Score:   scores[mcpproxy.SeverityMedium],
	})
}

// finding converts one signal of a finding.
func finding(f *run.Finding, s definition.Signal) report.Finding {
	pointer := source.Pointer(s.Path)
	kind := "function"
	if f.Kind != definition.KindTool {
		kind = "resource"
	}
	severity := s.Severity
	if severity == "" {
		severity = f.Severity
	}
	object := scan.Printable(f.Object())
	message := object + ": " + s.Detail
	if s.Evidence != "" {
		message += " Read: " + s.Evidence
	}
	out := report.Finding{
		Rule:     s.CheckID,
		Level:    level(s.Tier, severity),
		Message:  message,
		File:     fileURI(f.File),
		Line:     f.LineOf(pointer),
		Pointer:  scan.Printable(f.Pointer + pointer),
		Object:   object,
		Kind:     kind,
		Score:    scores[severity],
		Evidence: s.Evidence,
		Identity: []string{s.CheckID, f.Server, f.Tool, pointer, s.Evidence},
	}
	if out.File == "" {
		out.File = "mcp://" + url.PathEscape(f.Server) + "/" + string(f.Kind) + "/" + url.PathEscape(f.Tool)
	}
	return out
}

// level returns the SARIF level of a signal.
func level(tier scan.Tier, severity mcpproxy.Severity) report.Level {
	switch {
	case tier == scan.TierHard:
		return report.LevelError
	case severity == mcpproxy.SeverityLow:
		return report.LevelNote
	}
	return report.LevelWarning
}

// fileURI returns the name of a file as a URI. It is relative for a file below the working directory, as code-hosting
// sites require.
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
