package eval

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpproxy"
)

// flowCase is what an agent has read, and a call that may carry some of it.
type flowCase struct {
	ID        string       `json:"id"`
	Kind      string       `json:"kind"`
	Transform string       `json:"transform"` // the encoding of the data, or the appearance of the call
	Origins   []flowOrigin `json:"origins"`
	Prior     []flowCall   `json:"prior_calls"` // earlier calls, over which the data may be split
	Call      flowCall     `json:"call"`
	Expect    string       `json:"expect"` // flow or none
}

// flowOrigin is a text that was read before the call.
type flowOrigin struct {
	Server string `json:"server"`
	Class  string `json:"class"` // a side, or user (the user's own words), or schema (a tool's definition)
	Text   string `json:"text"`
}

// flowCall is a call to a tool.
type flowCall struct {
	Server string         `json:"server"`
	Tool   string         `json:"tool"`
	Class  string         `json:"class"` // a side
	Args   jsontext.Value `json:"args"`
}

// The classes of origins other than results.
const (
	ofUser   = "user"
	ofSchema = "schema"
)

// undetectable are the encodings after which too little of the original text is left for a comparison of contents. The
// figures include them. The macro recall is reported with and without them.
var undetectable = map[string]bool{
	"xor_hex":               true,
	"every_2nd_char_filler": true,
	"semantic_paraphrase":   true,
	"excerpt20":             true,
	"excerpt30":             true,
}

func (c flowCase) check() error {
	if c.ID == "" {
		return errors.New(`"id" is missing`)
	}
	if c.Expect != "flow" && c.Expect != "none" {
		return errors.New(`"expect" must be flow or none`)
	}
	for i, o := range c.Origins {
		if o.Class == ofUser || o.Class == ofSchema {
			continue
		}
		if _, err := sideOf(o.Class); err != nil {
			return fmt.Errorf(`"origins", number %d: "class": %w, user, schema`, i+1, err)
		}
	}
	for _, call := range c.calls() {
		if call.Tool == "" {
			return errors.New(`a call has no "tool"`)
		}
		if _, err := sideOf(call.Class); err != nil {
			return fmt.Errorf(`a call's "class": %w`, err)
		}
	}
	return nil
}

// calls returns all calls of the case, in order.
func (c *flowCase) calls() []flowCall { return append(slices.Clone(c.Prior), c.Call) }

// cases measures the cases and returns the time of each case's last call.
func (r *Report) cases(rows []row[flowCase], s FlowSetup, progress func(done, total int)) []time.Duration {
	var all []answer
	if s.Together {
		shared := s.stage("all cases")
		for i := range rows {
			shared.meet(&rows[i].data)
		}
		all = answersOf(1, rows, func(c *flowCase) answer { return shared.ask(c, " "+c.ID) }, progress)
	} else {
		all = answers(rows, func(c *flowCase) answer {
			own := s.stage(c.ID)
			own.meet(c)
			return own.ask(c, "")
		}, progress)
	}
	var took []time.Duration
	var alarms []*flowCase
	for i, a := range all {
		c := &rows[i].data
		took = append(took, a.took)
		if a.found && c.Expect != "flow" {
			alarms = append(alarms, c)
		}
		r.add(outcome{
			Place:      rows[i].Place,
			categories: []string{cmp.Or(c.Transform, "(none)")},
			kind:       c.Kind,
			text:       string(c.Call.Args),
			positive:   c.Expect == "flow",
			answer:     a,
		})
	}
	if s.Together {
		r.Carrying = carrying(alarms, rows)
	}
	return took
}

// meet passes the origins of a case through the gate, as results of calls that read them.
func (s *stage) meet(c *flowCase) {
	for i, o := range c.Origins {
		side := mcpproxy.Side(o.Class)
		switch o.Class {
		case ofUser:
			s.prompt(o.Text)
			continue
		case ofSchema:
			s.publish(quote(o.Text))
			continue
		}
		call := s.call(o.Server, "read_"+string(side), fmt.Appendf(nil, `{"item":"%s %d"}`, c.ID, i))
		p, _ := s.before(call, side)
		s.after(p, jsontext.Value(quote(o.Text)))
	}
}

// ask makes the calls of a case. The case is found if one of them sends data outside. The suffix keeps the
// destinations of different cases apart.
func (s *stage) ask(c *flowCase, suffix string) answer {
	var a answer
	for _, sent := range c.calls() {
		call := s.call(sent.Server+suffix, sent.Tool, sent.Args)
		p, took := s.before(call, mcpproxy.Side(sent.Class))
		a.took = took
		a.found = a.found || leaks(p.Verdict)
		for _, m := range matches(p.Verdict) {
			if !slices.Contains(a.by, m) {
				a.by = append(a.by, m)
			}
		}
	}
	return a
}
