// Package run scans many definitions at once: those of files, of the rows of a corpus, or of all servers. Each finding
// has the position of its definition.
//
// Guarantee: every definition is scanned together with the others of its group. A definition that cannot be read is a
// finding, and a failed check is named.
package run

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/scan/definition"
	"mcpproxy/internal/scan/source"
)

// Result is the result of a scan.
type Result struct {
	Findings    []Finding           `json:"findings"`
	RiskScore   int                 `json:"risk_score"` // of all together; for several groups, the highest
	Coverage    definition.Coverage `json:"coverage"`
	Definitions int                 `json:"definitions"`
}

// Finding is a finding about one definition, with its position.
type Finding struct {
	definition.Finding
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Pointer string `json:"pointer,omitempty"` // JSON pointer of the definition in the file

	subject *source.Subject
}

// Scan scans the subjects. The subjects of one group are adjacent and are compared with each other.
func Scan(subjects []source.Subject, s definition.Scanner) *Result {
	r := &Result{
		Findings:    []Finding{},
		Definitions: len(subjects),
		Coverage:    definition.Coverage{ChecksRun: len(s.Checks())},
	}
	for from := 0; from < len(subjects); {
		to := from + 1
		for to < len(subjects) && subjects[to].Group == subjects[from].Group {
			to++
		}
		r.scanGroup(subjects[from:to], s)
		from = to
	}
	r.Coverage.ChecksFailed = len(r.Coverage.FailedCheckIDs)
	return r
}

func (r *Result) scanGroup(group []source.Subject, s definition.Scanner) {
	var views, all []definition.ToolView
	var of []int // the index in group of each view
	found := make([]*definition.Finding, len(group))
	for i := range group {
		sub := &group[i]
		all = append(all, sub.Peers...)
		if sub.Beside {
			r.Definitions--
		}
		switch {
		case sub.Err == nil:
			all = append(all, sub.View)
			if !sub.Beside {
				views, of = append(views, sub.View), append(of, i)
			}
		case !sub.Beside:
			f := unreadable(sub)
			found[i] = &f
			r.RiskScore = max(r.RiskScore, unreadableRisk)
		}
	}
	registry := definition.NewRegistry(all)
	out := s.Scan(views, registry)
	r.RiskScore = max(r.RiskScore, out.RiskScore)
	r.cover(out.Coverage)
	next := 0 // findings are in the order of the views, at most one for each
	for n := range out.Findings {
		for ; next < len(views); next++ {
			if about(&out.Findings[n], views[next], registry, s) {
				found[of[next]] = &out.Findings[n]
				next++
				break
			}
		}
	}
	for i, f := range found {
		if f != nil {
			sub := &group[i]
			r.Findings = append(r.Findings, Finding{
				Finding: *f,
				File:    sub.File,
				Line:    sub.Line(""),
				Pointer: sub.Pointer,
				subject: sub,
			})
		}
	}
}

// about reports whether a finding is about a view. If two views have the same name, it scans the view alone to decide.
func about(
	f *definition.Finding,
	v definition.ToolView,
	registry *definition.RegistryView,
	s definition.Scanner,
) bool {
	if v.Server != f.Server || v.Name != f.Tool || cmp.Or(v.Kind, definition.KindTool) != f.Kind {
		return false
	}
	return len(registry.ToolsByName[v.Name]) < 2 || len(s.Scan([]definition.ToolView{v}, registry).Findings) > 0
}

// cover adds the coverage of a group.
func (r *Result) cover(c definition.Coverage) {
	r.Coverage.Unread = append(r.Coverage.Unread, c.Unread...)
	for _, id := range c.FailedCheckIDs {
		if !slices.Contains(r.Coverage.FailedCheckIDs, id) {
			r.Coverage.FailedCheckIDs = append(r.Coverage.FailedCheckIDs, id)
		}
	}
}

// Err returns an error if a finding has at least the severity least, or if a check failed.
func (r *Result) Err(least mcpproxy.Severity) error {
	bad := 0
	for _, f := range r.Findings {
		if f.Severity.Rank() >= least.Rank() {
			bad++
		}
	}
	switch {
	case bad == 1:
		return fmt.Errorf("one definition has a finding of severity %s or above", least)
	case bad > 1:
		return fmt.Errorf("%d definitions have findings of severity %s or above", bad, least)
	case r.Coverage.ChecksFailed > 0:
		return errors.New("not everything could be scanned: " + strings.Join(r.Coverage.FailedCheckIDs, ", ") + " failed")
	}
	return nil
}

// Dangerous returns the number of findings that each justify quarantine.
func (r *Result) Dangerous() (n int) {
	for _, f := range r.Findings {
		if f.Hard() {
			n++
		}
	}
	return n
}

// Object returns the name of what the finding is about, as one word.
func (f *Finding) Object() string {
	name := f.Tool
	if f.Kind == definition.KindPrompt {
		name += " (prompt)"
	}
	return f.Server + ":" + name
}

// Strongest returns the strongest signal.
func (f *Finding) Strongest() definition.Signal {
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
		return cmp.Or(
			hard(a)-hard(b),
			cmp.Compare(a.Severity.Rank(), b.Severity.Rank()),
			cmp.Compare(a.Confidence, b.Confidence),
		)
	})
}

// LineOf returns the line of the value at a pointer in the definition; 0 if there is no file.
func (f *Finding) LineOf(pointer string) int { return f.subject.Line(pointer) }

// Unreadable is the name of the signal about a definition that different clients may read differently.
const Unreadable = "definition.unreadable"

// unreadableRisk is the risk score of a definition that cannot be read.
const unreadableRisk = 60

// unreadable reports a definition that cannot be read.
func unreadable(s *source.Subject) definition.Finding {
	detail := definition.Signal{
		CheckID:    Unreadable,
		Tier:       scan.TierHard,
		ThreatType: "uncategorized",
		Confidence: 1,
		Severity:   mcpproxy.SeverityHigh,
		Evidence:   scan.Printable(s.Err.Error()),
		Detail:     "Clients may read the definition in different ways, so it cannot be judged.",
	}
	return definition.Finding{
		Server:      s.Server,
		Kind:        definition.KindTool,
		Tool:        cmp.Or(s.Name, "(no name)"),
		ThreatType:  detail.ThreatType,
		ThreatLevel: definition.Dangerous,
		Severity:    detail.Severity,
		Action:      definition.Quarantine,
		Confidence:  1,
		Signals:     []string{Unreadable},
		Details:     []definition.Signal{detail},
	}
}
