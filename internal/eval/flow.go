package eval

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/gate"
)

// FlowSetup describes the gate with which flows are measured.
type FlowSetup struct {
	Settings gate.Settings // as configured; if cases say what is internal, they take precedence
	Limits   flow.Limits
	Hooks    bool     // hooks report the user's words and the calls of the agent's own tools
	Together bool     // all cases share one session with all their results
	By       By       // grouping of sessions, in addition to their labels
	Variants []string // changes of attacked sessions before they are played; from [Variants]
	Suites   []string // measures only these suites; empty for all suites and cases
}

// onlySessions reports whether only recorded sessions are measured, and no cases.
func (s FlowSetup) onlySessions() bool { return s.By != "" || len(s.Suites) > 0 }

// flowRow is a case or a recorded session, depending on its keys.
type flowRow struct {
	flowCase
	flowSession
}

func (r flowRow) kind() string { return cmp.Or(r.Kind, r.Label) }

func (r flowRow) check() error {
	switch {
	case r.Session != "" && r.Expect != "":
		return errors.New(`"expect" is for cases and "session" for recorded sessions: a row is one of them`)
	case r.Session != "":
		return r.flowSession.check()
	}
	return r.flowCase.check()
}

// Flow measures flow tracking: with cases, which say what was read and what is sent, and with recorded sessions,
// which are played again.
func Flow(o Options, s FlowSetup) (*Report, error) {
	var err error
	if o.Inputs, err = flowFiles(o.Inputs, s.onlySessions()); err != nil {
		return nil, err
	}
	rows, err := read[flowRow](o)
	if err != nil {
		return nil, err
	}
	if s.Settings.Detector != nil {
		if err := s.Settings.Detector.Warm(); err != nil {
			return nil, err
		}
	}
	var cases []row[flowCase]
	var sessions []row[flowSession]
	for _, r := range rows {
		if r.data.Session != "" {
			sessions = append(sessions, row[flowSession]{r.Place, r.data.flowSession})
		} else {
			cases = append(cases, row[flowCase]{r.Place, r.data.flowCase})
		}
	}
	report := newReport(s.By)
	took := report.cases(cases, s, o.Progress)
	more, err := report.sessions(sessions, s, o.Progress)
	if err != nil {
		return nil, err
	}
	report.finish(false)
	report.Metrics.MacroRecall = report.macro(func(c string) bool { return report.Sessions[c].Sessions == 0 })
	report.Metrics.MacroDetectable = report.macro(
		func(c string) bool { return report.Sessions[c].Sessions == 0 && !undetectable[c] },
	)
	report.Checks = times(append(took, more...))
	return report, nil
}

// flowFiles returns the inputs, with folders replaced by their files. It leaves out files with the steps of sessions
// and, if only sessions are wanted, cases.
func flowFiles(inputs []string, onlySessions bool) ([]string, error) {
	var out []string
	for _, input := range inputs {
		if info, err := os.Stat(input); err != nil || !info.IsDir() {
			out = append(out, input) // errors are reported when it is read
			continue
		}
		files, err := list(input)
		if err != nil {
			return nil, err
		}
		out = append(out, slices.DeleteFunc(files, func(name string) bool {
			name = strings.TrimSuffix(name, zstandard)
			return strings.HasSuffix(name, stepsSuffix) || onlySessions && !strings.HasSuffix(name, sessionsSuffix)
		})...)
	}
	return out, nil
}

// leaks reports whether a call sends data of an internal origin outside.
func leaks(v mcpproxy.Verdict) bool {
	return slices.ContainsFunc(v.Edges, func(e mcpproxy.Edge) bool { return e.Type == mcpproxy.InternalToExternal })
}

// matches returns the kinds of matches of a verdict's edges.
func matches(v mcpproxy.Verdict) []string {
	var out []string
	for _, e := range v.Edges {
		if e.Type == mcpproxy.InternalToExternal && !slices.Contains(out, e.Match) {
			out = append(out, e.Match)
		}
	}
	return out
}

// sideOf returns the side for a word in a case.
func sideOf(class string) (mcpproxy.Side, error) {
	switch side := mcpproxy.Side(class); side {
	case mcpproxy.Internal, mcpproxy.External, mcpproxy.Hybrid:
		return side, nil
	}
	return "", fmt.Errorf("%q must be one of internal, external, hybrid", class)
}
