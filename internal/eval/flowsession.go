package eval

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mcpproxy"
)

// flowSession is a recorded session of an agent. Its steps are in a separate file.
type flowSession struct {
	Session   string `json:"session"`
	Label     string `json:"label"`           // attack_…, attack_failed, benign or benign_…
	Suite     string `json:"suite"`           // a part of the file; may be empty
	Prompt    string `json:"user_prompt"`     // the user's first request
	Malicious []int  `json:"malicious_steps"` // the calls that an attacker wanted
	Injection string `json:"injection_text"`  // the attacker's text; may be empty
	Source    string `json:"source"`          // the origin of the record; may be empty

	steps  []flowStep
	script *script
}

func (s flowSession) check() error {
	switch {
	case s.Label == "":
		return errors.New(`"label" is missing`)
	case !s.honest() && !strings.HasPrefix(s.Label, "attack"):
		return fmt.Errorf(`"label" %q must begin with attack or benign`, s.Label)
	}
	return nil
}

// honest reports whether no call of the session may be answered.
func (s *flowSession) honest() bool { return strings.HasPrefix(s.Label, "benign") }

// attacked reports whether the agent did what an attacker wanted. A session in which the attack failed is neither
// attacked nor honest.
func (s *flowSession) attacked() bool { return !s.honest() && s.Label != "attack_failed" }

// malicious returns a function that reports whether a step of an attacked session does what the attacker wants: the
// steps that the record names, or otherwise every call after the injection. If the record does not say which result
// contains the injection, that is every call.
func (s *flowSession) malicious() func(step int) bool {
	if len(s.Malicious) > 0 || !s.attacked() {
		return func(step int) bool { return slices.Contains(s.Malicious, step) }
	}
	i := slices.IndexFunc(s.steps, func(step flowStep) bool { return step.Injected })
	return func(step int) bool { return i < 0 || step > s.steps[i].Step }
}

// suite returns the file of a session and, if the record names one, its part of the file.
func suite(r row[flowSession]) string {
	if r.data.Suite == "" {
		return r.Place.file()
	}
	return r.Place.file() + "/" + r.data.Suite
}

// ofSuites returns the sessions of the requested suites. A request names a file, a part of a file, or both as
// FILE/PART.
func ofSuites(rows []row[flowSession], asked []string) ([]row[flowSession], error) {
	if len(asked) == 0 {
		return rows, nil
	}
	there := map[string]bool{}
	met := map[string]bool{}
	var of []row[flowSession]
	for _, r := range rows {
		there[suite(r)] = true
		wanted := false
		for _, name := range []string{r.Place.file(), r.data.Suite, suite(r)} {
			if name != "" && slices.Contains(asked, name) {
				met[name], wanted = true, true
			}
		}
		if wanted {
			of = append(of, r)
		}
	}
	for _, name := range asked {
		if !met[name] {
			return nil, fmt.Errorf("the input has no suite %q, only %q", name, slices.Sorted(maps.Keys(there)))
		}
	}
	return of, nil
}

// join adds the steps to every session, changed by the named variants.
func join(rows []row[flowSession], variants []string) error {
	scripts := map[string]*script{}
	for i := range rows {
		s := &rows[i].data
		read, ok := scripts[rows[i].File]
		if !ok {
			file, err := stepsOf(rows[i].File)
			if err != nil {
				return err
			}
			if read, err = readScript(file); err != nil {
				return err
			}
			scripts[rows[i].File] = read
		}
		s.steps, s.script = read.steps[s.Session], read
		for _, n := range s.Malicious {
			if !slices.ContainsFunc(s.steps, func(step flowStep) bool { return step.Step == n && step.Tool != "" }) {
				return fmt.Errorf(
					"%s: session %s names step %d as malicious, but has no call at that step",
					rows[i].Place,
					s.Session,
					n,
				)
			}
		}
		var err error
		if s.steps, err = s.varied(variants); err != nil {
			return err
		}
	}
	return nil
}

// play passes the steps of a session through the gate, and returns the outcome and the time of each call. The result
// of an answered call is not recorded, because the call was not made.
func (s *flowSession) play(on *stage) (calls []Step, took []time.Duration) {
	s.publish(on)
	if on.hooks && s.Prompt != "" {
		on.prompt(s.Prompt)
	}
	for _, step := range s.steps {
		if step.Tool == "" {
			if on.hooks {
				on.prompt(step.Prompt)
			}
			continue
		}
		p, d := on.before(s.call(step, on), "")
		took = append(took, d)
		v := p.Verdict
		done := Step{
			Session:  s.Session,
			Number:   step.Step,
			Tool:     step.Tool,
			Decision: v.Decision,
			Rule:     v.Rule,
			Reason:   v.Reason,
			args:     string(step.Args),
		}
		if v.Asked {
			done.Decision = mcpproxy.Ask
		}
		calls = append(calls, done)
		if !done.Decision.Stops() {
			on.after(p, step.content())
		}
	}
	return calls, took
}

// publish records the definitions of the session's tools, which an agent gets from its servers before it calls
// anything.
func (s *flowSession) publish(on *stage) {
	met := map[*mcpproxy.Tool]bool{}
	for _, step := range s.steps {
		t := s.script.tools[s.Session][step.name()]
		if t == nil || met[t] || step.own() && on.hooks {
			continue
		}
		met[t] = true
		on.publish(t.Raw)
	}
}

// call returns a step's call. With hooks, a call of an agent's own tool is announced by a hook; otherwise it counts
// as a call of a server without a name.
func (s *flowSession) call(step flowStep, on *stage) *mcpproxy.Call {
	if step.own() && on.hooks {
		return on.own(step.Tool, step.Args)
	}
	call := on.call(step.server(), step.Tool, step.Args)
	call.Definition = s.script.tool(step)
	return call
}
