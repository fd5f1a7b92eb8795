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

// classificationRow is a name, and what it says to whoever reads it.
type classificationRow struct {
	Subject  string         `json:"subject"` // server, tool or agent_tool
	Server   string         `json:"server"`  // of a tool
	Name     string         `json:"name"`
	Tool     jsontext.Value `json:"tool"`   // of a tool: its definition; may be left out
	Input    jsontext.Value `json:"input"`  // of an agent's tool: what it is called with
	Expect   []string       `json:"expect"` // every answer that is right
	Category string         `json:"category"`
	Source   string         `json:"source"` // where the row was taken from; may be empty
}

// What a row asks about: on which side a server stands, what a tool does, and on which side a
// tool of the agent's own stands.
const (
	subjectServer = "server"
	subjectTool   = "tool"
	subjectAgent  = "agent_tool"
)

// unknownAnswer is expected for a name that suggests no class. It is [mcpproxy.Unknown] of servers
// and [mcpproxy.UnknownOperation] of tools.
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

// tells reports whether the name suggests a class. One that does not is a false alarm when it
// gets an answer.
func (r classificationRow) tells() bool { return r.Expect[0] != unknownAnswer }

// Classification measures the classes of servers, tools and agents' own tools. A row whose name
// tells something is found when it gets an answer that is right; a row whose name tells nothing
// is a false alarm when it gets one that is not expected. Without inputs the program's own
// rows are measured.
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
			positive:   r.data.tells(),
			answer:     a,
		})
		if a.found == r.data.tells() {
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
	if !r.tells() {
		a.found = !a.found
	}
	return a
}

// answer is what is said of the row: of an agent's tool what a gate that has met nothing says
// of the call, since a command line decides where a shell stands.
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
		def, _ = catalog.Parse(cmp.Or(r.Server, unnamed), []byte(r.Tool)) // it was read once, by check
	}
	return string(cmp.Or(s.Settings.Classifier.Operation(r.Name, def, nil), mcpproxy.UnknownOperation))
}
