package eval

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"mcpproxy"
)

// flowSession is a recorded session of an agent. Its steps stand in a file of
// their own.
type flowSession struct {
	Session   string `json:"session"`
	Label     string `json:"label"`           // attack_…, attack_failed, benign or benign_…
	Prompt    string `json:"user_prompt"`     // what the user asked for
	Malicious []int  `json:"malicious_steps"` // the calls that do what an attacker wants

	steps []flowStep
	tools map[string]*mcpproxy.Tool
}

func (s flowSession) check() error {
	if s.Label == "" {
		return errors.New(`"label" is missing`)
	}
	return nil
}

// join gives every session its steps.
func join(rows []row[flowSession]) error {
	scripts := map[string]script{}
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
		s.steps, s.tools = read.steps[s.Session], read.tools
		for _, n := range s.Malicious {
			if !slices.ContainsFunc(s.steps, func(step flowStep) bool { return step.Step == n }) {
				return fmt.Errorf("%s: session %s has no step %d, which it calls malicious", rows[i].Place, s.Session, n)
			}
		}
	}
	return nil
}

// play takes the steps of a session through the gate. What a stopped call
// brought back is not recorded: it never came.
func (s *flowSession) play(on *stage) (stopped []Step, took []time.Duration) {
	if on.prompts && s.Prompt != "" {
		on.prompt(s.Prompt)
	}
	for _, step := range s.steps {
		call := on.call(step.Server, step.Tool, step.Args)
		call.Definition = s.tools[step.name()]
		p, d := on.before(call, "")
		took = append(took, d)
		if v := p.Verdict; v.Decision.Stops() || v.Asked {
			stopped = append(stopped, Step{Session: s.Session, Number: step.Step, Tool: step.Tool, Rule: v.Rule, Reason: v.Reason,
				args: string(step.Args)})
			continue
		}
		on.after(p, step.content())
	}
	return stopped, took
}
