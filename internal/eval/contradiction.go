package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpproxy"
	"mcpproxy/internal/catalog"
	"mcpproxy/internal/gate"
)

// contradictionRow is a call with its four signals: the agent's claim, the server's annotations, the tool's name and
// the arguments.
type contradictionRow struct {
	Server      string             `json:"server"`
	Tool        jsontext.Value     `json:"tool"`        // the definition, as its server lists it
	Operation   mcpproxy.Operation `json:"operation"`   // the agent's claim: the variant of call_tool that it used
	Sensitivity string             `json:"sensitivity"` // intent_data_sensitivity; may be empty
	Args        jsontext.Value     `json:"args"`
	Label       string             `json:"label"` // contradiction or consistent
	Category    string             `json:"category"`
	Source      string             `json:"source"` // the origin of the row; may be empty
}

// The labels of calls: two signals cannot both be true, or all of them can.
const (
	labelContradiction = "contradiction"
	labelConsistent    = "consistent"
)

func (r contradictionRow) kind() string { return r.Label }

func (r contradictionRow) check() error {
	switch r.Operation {
	case mcpproxy.Read, mcpproxy.Write, mcpproxy.Destructive:
	default:
		return errors.New(`"operation" must be read, write or destructive`)
	}
	switch {
	case r.Label != labelContradiction && r.Label != labelConsistent:
		return fmt.Errorf(`"label" must be %s or %s`, labelContradiction, labelConsistent)
	case r.Tool.Kind() != '{':
		return errors.New(`"tool" must be a definition of a tool`)
	case present(r.Args) && r.Args.Kind() != '{':
		return errors.New(`"args" must be an object`)
	}
	_, err := r.definition()
	return err
}

func (r contradictionRow) server() string { return cmp.Or(r.Server, unnamed) }

func (r contradictionRow) definition() (*mcpproxy.Tool, error) {
	return catalog.Parse(r.server(), []byte(r.Tool))
}

// Contradictions measures how well contradicting claims are found. Every row is an independent call through a gate. A
// row with a contradiction is found if the gate reports one for which it would at least ask; any other such report is
// a false alarm. Without inputs it measures the embedded rows.
func Contradictions(o Options, s FlowSetup) (*Report, error) {
	rows, err := read[contradictionRow](withOwn(o, "contradiction"))
	if err != nil {
		return nil, err
	}
	if s.Settings.Detector != nil {
		if err := s.Settings.Detector.Warm(); err != nil {
			return nil, err
		}
	}
	report := newReport(o.By)
	for i, a := range answers(rows, func(r *contradictionRow) answer { return r.ask(s) }, o.Progress) {
		r := &rows[i]
		report.add(outcome{
			Place:      r.Place,
			categories: o.By.groups(r.Place, r.data.Source, []string{cmp.Or(r.data.Category, "(none)")}),
			kind:       r.data.Label,
			text:       fmt.Sprintf("%s %s %s", r.data.Operation, r.data.Tool, r.data.Args),
			positive:   r.data.Label == labelContradiction,
			answer:     a,
		})
	}
	report.finish(false)
	report.Security = &SecurityTestMetrics{
		ContradictionPrecision: report.Metrics.Precision,
		ContradictionRecall:    report.Metrics.Recall,
		AvgDetectionTimeMs:     report.Metrics.AvgTimeMS,
	}
	return report, nil
}

// ask lets a gate without earlier calls decide about the row's call.
func (r *contradictionRow) ask(s FlowSetup) answer {
	tool, err := r.definition()
	if err != nil {
		return answer{found: true, by: []string{"unreadable"}}
	}
	stage := s.stage("contradiction")
	call := stage.call(r.server(), tool.Name, []byte(r.Args))
	call.Definition = tool
	call.Intent = mcpproxy.Intent{Operation: r.Operation, DataSensitivity: r.Sensitivity}
	start := time.Now()
	decided := stage.gate.Decide(context.Background(), gate.Request{Call: call})
	a := answer{took: time.Since(start)}
	for _, c := range decided.Facts().Contradictions {
		a.found = a.found || c.Action.Rank() >= mcpproxy.Ask.Rank()
		a.by = append(a.by, c.Signal1+"/"+c.Signal2)
	}
	return a
}
