//go:build linux

package day_test

import (
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mcpproxy/internal/eventually"
)

// report is the outcome of a session.
type report struct {
	session *session
	id      string
	found   map[finding]string // and its text
	rules   map[finding]string
	numbers map[string]int // ids of the steps' calls, in hooks and in MCP
}

func newReport(s *session, id string) *report {
	return &report{
		session: s,
		id:      id,
		found:   map[finding]string{},
		rules:   map[finding]string{},
		numbers: map[string]int{},
	}
}

// count returns how many findings are of a kind.
func (r *report) count(kind string) int {
	n := 0
	for f := range r.found {
		if f.kind == kind {
			n++
		}
	}
	return n
}

// play makes an agent work through a session. The user approves every question.
func play(t *testing.T, m *machine, s *session, id string) *report {
	t.Helper()
	r := newReport(s, id)
	for path, content := range s.files {
		m.write(path, content)
	}
	a := newAgent(t, m, id, s.project)
	for i := range s.steps {
		step := &s.steps[i]
		switch {
		case step.tool == "":
			a.says(step.head)
		case step.upstream():
			r.callsServer(a, step)
		default:
			r.usesOwnTool(a, step)
		}
	}
	a.event("SessionEnd", object{"reason": "prompt_input_exit"})
	r.readLog(t, m)
	return r
}

// usesOwnTool reports a call of the agent's own tool to the hook. The call is not really made.
func (r *report) usesOwnTool(a *agent, s *step) {
	a.t.Helper()
	in, err := s.input(a.folder)
	if err != nil {
		a.t.Fatal(err)
	}
	said := a.before(s.tool, in)
	r.numbers[a.id()] = s.number
	if !r.passes(s, said) {
		return
	}
	if s.failed {
		a.failed(s.tool, in, s.text())
		return
	}
	a.after(s.tool, in, s.response(in))
}

// callsServer calls a tool of a server behind mcpproxy.
func (r *report) callsServer(a *agent, s *step) {
	a.t.Helper()
	args, err := s.input(a.folder)
	if err != nil {
		a.t.Fatal(err)
	}
	proxyTool := a.proxyTool(s.tool)
	in := object{"name": s.tool, "args": args}
	name := "mcp__mcpproxy__" + proxyTool
	said := a.before(name, in)
	r.numbers[a.id()] = s.number
	if !r.passes(s, said) {
		return
	}
	answer := a.call(proxyTool, in)
	r.numbers[strconv.Itoa(a.asked)] = s.number
	text := answer.text()
	switch {
	case strings.Contains(text, "withheld"):
		r.found[finding{s.number, "withheld"}] = text
	case answer.IsError && strings.Contains(text, "mcpproxy"):
		r.found[finding{s.number, "denied"}] = text
	case answer.IsError != s.failed:
		a.t.Errorf("%s, step %d: %s %s is answered with %s", r.session.name, s.number, s.tool, s.head, text)
	}
	for _, part := range s.answer {
		if !strings.Contains(text, part) && !answer.IsError {
			a.t.Errorf("%s, step %d: %s is answered with %.600s, want %q", r.session.name, s.number, s.tool, text, part)
		}
	}
	if answer.IsError {
		a.failed(name, in, text)
		return
	}
	a.after(name, in, answer.Content)
}

// passes records the hook's answer, and reports whether the call is made: the user approves every question.
func (r *report) passes(s *step, d decision) bool {
	switch d.verdict {
	case "ask":
		r.found[finding{s.number, "asked"}] = d.reason
	case "deny":
		r.found[finding{s.number, "denied"}] = d.reason
	}
	return d.verdict != "deny"
}

// record holds the fields of a record that this test needs.
type record struct {
	ID, Decision, Rule string
	RequestID          string `json:"request_id"`
	Metadata           struct {
		Reason string
		Detail struct{ Event string }
	}
}

// readLog adds the warnings and the cleaned results, which are not reported to the agent. It also adds the rules of
// the other findings.
func (r *report) readLog(t *testing.T, m *machine) {
	t.Helper()
	for _, one := range r.records(t, m) {
		step, known := r.numbers[one.RequestID]
		if !known {
			continue
		}
		kind := kinds[one.Decision]
		f := finding{step, kind}
		_, noted := r.found[f]
		switch {
		case kind == "":
		case noted:
			r.rules[f] = one.Rule
		case kind == "warned" || kind == "withheld" || r.session.claude:
			r.found[f], r.rules[f] = one.Metadata.Reason, one.Rule
		}
	}
}

// kinds maps recorded decisions to kinds of findings.
var kinds = map[string]string{
	"ask":    "asked",
	"deny":   "denied",
	"warn":   "warned",
	"redact": "withheld",
}

// records returns all records of the session.
func (r *report) records(t *testing.T, m *machine) []record {
	t.Helper()
	var all []record
	query := "order=asc&session_id=" + url.QueryEscape("hook:"+r.id)
	eventually.SucceedsWithin(t, patience, "the log has the end of the session", func() error {
		for {
			more := query
			if len(all) > 0 {
				more += "&cursor=" + all[len(all)-1].ID
			}
			var page []record
			if err := m.api.Records(more, &page); err != nil {
				return err
			}
			all = append(all, page...)
			if len(page) == 0 {
				break
			}
		}
		if !slices.ContainsFunc(all, r.last) {
			return fmt.Errorf("there are %d records", len(all))
		}
		return nil
	})
	return all
}

// last reports whether a record is about the last event of the session that is certain to be recorded. When Claude
// Code ends, it does not wait for its hooks.
func (r *report) last(one record) bool {
	if r.session.claude {
		return r.numbers[one.RequestID] == r.session.calls()
	}
	return one.Metadata.Detail.Event == "SessionEnd"
}

// check compares the findings with the expectations in the file.
func (r *report) check(t *testing.T) {
	t.Helper()
	all := map[finding]string{}
	for f, said := range r.found {
		all[f] = said + " [" + r.rules[f] + "]"
	}
	for f, reason := range r.session.expected {
		if _, found := all[f]; !found {
			all[f] = "not found: take this line out of the file: " + reason
		} else {
			delete(all, f)
		}
	}
	for _, f := range slices.SortedFunc(maps.Keys(all), finding.compare) {
		t.Errorf("%s.txtar: %s: step %d: %s\n\t%s", filepath.Join("testdata/sessions", r.session.name), f.kind, f.step,
			r.session.call(f.step), all[f])
	}
}

func (f finding) compare(other finding) int {
	if f.step != other.step {
		return f.step - other.step
	}
	return strings.Compare(f.kind, other.kind)
}

// call shows the call of a step in one line.
func (s *session) call(number int) string {
	for _, step := range s.steps {
		if step.number == number && step.tool != "" {
			head := step.tool + " " + strings.ReplaceAll(step.head, "\n", " ")
			return head[:min(len(head), 160)]
		}
	}
	return fmt.Sprint("step ", number)
}
