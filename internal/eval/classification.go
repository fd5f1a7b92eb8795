package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"mcpproxy"
	"mcpproxy/internal/catalog"
	"mcpproxy/internal/gate"
)

// classificationRow is a name with the expected class.
type classificationRow struct {
	Subject  string         `json:"subject"` // server, tool or agent_tool
	Server   string         `json:"server"`  // for a tool
	Name     string         `json:"name"`
	Tool     jsontext.Value `json:"tool"`   // for a tool: its definition; optional
	Input    jsontext.Value `json:"input"`  // for an agent's tool: the arguments of the call
	Expect   []string       `json:"expect"` // all correct answers
	Category string         `json:"category"`
	Source   string         `json:"source"` // the origin of the row; may be empty
}

// The subjects of rows: the side of a server, the operation of a tool, and the side of an agent's own tool.
const (
	subjectServer = "server"
	subjectTool   = "tool"
	subjectAgent  = "agent_tool"
)

// unknownAnswer is the expected answer for a name that suggests no class. It is [mcpproxy.Unknown] for servers and
// [mcpproxy.UnknownOperation] for tools.
const unknownAnswer = "unknown"

func (r classificationRow) kind() string { return r.Subject }

func (r classificationRow) check() error {
	known := []string{
		string(mcpproxy.Internal),
		string(mcpproxy.External),
		string(mcpproxy.Hybrid),
		unknownAnswer,
	}
	switch r.Subject {
	case subjectServer, subjectAgent:
	case subjectTool:
		known = []string{
			string(mcpproxy.Read),
			string(mcpproxy.Write),
			string(mcpproxy.Destructive),
			unknownAnswer,
		}
	default:
		return errors.New(`"subject" must be server, tool or agent_tool`)
	}
	if r.Name == "" {
		return errors.New(`"name" is missing`)
	}
	if len(r.Expect) == 0 {
		return errors.New(`"expect" must name at least one answer`)
	}
	for _, e := range r.Expect {
		if !slices.Contains(known, e) {
			return fmt.Errorf(`"expect" of a %s holds %q and may hold only %q`, r.Subject, e, known)
		}
	}
	if present(r.Tool) {
		_, err := catalog.Parse(cmp.Or(r.Server, unnamed), []byte(r.Tool))
		return err
	}
	return nil
}

// suggestsClass reports whether the name suggests a class. If it does not, any other answer is a false alarm.
func (r classificationRow) suggestsClass() bool { return r.Expect[0] != unknownAnswer }

// Classification measures the classes of servers, tools and agents' own tools. A row whose name suggests a class is
// found if the answer is correct. Any other row is a false alarm if the answer is not expected. Without inputs it
// measures the embedded rows.
func Classification(o Options, s FlowSetup) (*Report, error) {
	rows, err := read[classificationRow](withOwn(o, "classification"))
	if err != nil {
		return nil, err
	}
	if s.Settings.Detector != nil {
		if err := s.Settings.Detector.Warm(); err != nil {
			return nil, err
		}
	}
	report := newReport(o.By)
	right := 0
	for i, a := range answers(rows, func(r *classificationRow) answer { return r.ask(s) }, o.Progress) {
		r := &rows[i]
		report.add(outcome{
			Place:      r.Place,
			categories: o.By.groups(r.Place, r.data.Source, []string{cmp.Or(r.data.Category, "(none)")}),
			kind:       r.data.Subject,
			text:       fmt.Sprintf("%s %s, expected %q", r.data.Subject, r.data.Name, r.data.Expect),
			positive:   r.data.suggestsClass(),
			answer:     a,
		})
		if a.found == r.data.suggestsClass() {
			right++
		}
	}
	report.finish(false)
	report.Security = &SecurityTestMetrics{
		ClassificationAccuracy: ratio(right, len(rows)),
		AvgDetectionTimeMs:     report.Metrics.AvgTimeMS,
	}
	return report, nil
}

// ask classifies the row's name.
func (r *classificationRow) ask(s FlowSetup) answer {
	got := r.answer(s)
	a := answer{found: slices.Contains(r.Expect, got), by: []string{got}}
	if !r.suggestsClass() {
		a.found = !a.found
	}
	return a
}

// answer returns the answer for the row. For an agent's tool it is a gate's answer for the call, because the command
// line determines the side of a shell.
func (r *classificationRow) answer(s FlowSetup) string {
	switch r.Subject {
	case subjectServer:
		return string(s.Settings.Classifier.Server(r.Name).Side)
	case subjectAgent:
		stage := s.stage(subjectAgent)
		call := stage.own(r.Name, []byte(r.Input))
		decided := stage.gate.Decide(context.Background(), gate.Request{Call: call, Hook: hookOf(call, "PreToolUse")})
		return string(decided.Facts().Classification.Side)
	}
	var def *mcpproxy.Tool
	if present(r.Tool) {
		def, _ = catalog.Parse(cmp.Or(r.Server, unnamed), []byte(r.Tool)) // check has parsed it before
	}
	return string(cmp.Or(s.Settings.Classifier.Operation(r.Name, def, nil), mcpproxy.UnknownOperation))
}
