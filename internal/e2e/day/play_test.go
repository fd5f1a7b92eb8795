//go:build linux

package day_test

import (
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// report is what became of a session.
type report struct {
	session *session
	id      string
	found   map[finding]string // and what was said
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

// play has an agent work through a session. Whatever is asked, the user approves.
func play(t *testing.T, m *machine, s *session, id string) *report {
	t.Helper()
	r := &report{session: s, id: id, found: map[finding]string{}}
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
	r.readWarnings(t, m)
	return r
}

// usesOwnTool has the hook told of a call of one of the agent's own tools. The call is not made.
func (r *report) usesOwnTool(a *agent, s *step) {
	a.t.Helper()
	in, err := s.input(a.folder)
	if err != nil {
		a.t.Fatal(err)
	}
	if !r.passes(s, a.before(s.tool, in)) {
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
	door := a.door(s.tool)
	in := object{"name": s.tool, "args": args}
	name := "mcp__mcpproxy__" + door
	if !r.passes(s, a.before(name, in)) {
		return
	}
	answer := a.call(door, in)
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

// passes notes what the hook said, and reports whether the call is made: the user approves what is
// asked.
func (r *report) passes(s *step, d decision) bool {
	switch d.verdict {
	case "ask":
		r.found[finding{s.number, "asked"}] = d.reason
	case "deny":
		r.found[finding{s.number, "denied"}] = d.reason
	}
	return d.verdict != "deny"
}

// record is a record of the activity log, as far as this test looks at it.
type record struct {
	Type, Decision, Rule, Source string
	RequestID                    string `json:"request_id"`
	ToolName                     string `json:"tool_name"`
	Metadata                     struct{ Reason string }
}

// readWarnings notes the warnings, of which the agent hears nothing, and the rules of the others.
func (r *report) readWarnings(t *testing.T, m *machine) {
	t.Helper()
	var records []record
	if err := m.api.Records("order=asc&session_id="+url.QueryEscape(r.id), &records); err != nil {
		t.Fatal(err)
	}
	for _, one := range records {
		t.Logf("%+v", one)
	}
}

// check compares the findings with those that the file states.
func (r *report) check(t *testing.T) {
	t.Helper()
	all := maps.Clone(r.found)
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
