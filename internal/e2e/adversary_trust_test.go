package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/adversary"
	"mcpproxy/internal/eventually"
)

// standing is the state of a definition in the daemon.
type standing struct {
	Name  string
	Trust struct {
		Kind, State, Reason string
		Held                bool
		Findings            []struct {
			Hard    bool
			Signals []struct {
				Check string `json:"check_id"`
			}
		}
	}
}

// standings returns the states of all definitions that a part declares.
func (s *stage) standings(p *part) ([]standing, error) {
	var all []standing
	err := s.api("/servers/"+p.server+"/tools?kind=all", &all)
	return all, err
}

// declares returns the number of definitions of a part.
func declares(a *adversary.Act) int {
	n := len(a.Tools) + len(a.Prompts)
	if a.Instructions != "" {
		n++
	}
	if a.Plan != nil {
		n++
	}
	return n
}

// definitions adds the findings about a part's definitions to the observations. The definitions of a benign variant
// must have no findings.
func (s *stage) definitions(t *testing.T, p *part) {
	t.Helper()
	all, err := s.standings(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		p.observed = append(p.observed, adversary.Notice{Who: adversary.Trust, What: one.Trust.State})
		for _, f := range one.Trust.Findings {
			for _, signal := range f.Signals {
				p.observed = append(p.observed, adversary.Notice{Who: adversary.Scanner, What: signal.Check})
			}
		}
		if p.benign && (one.Trust.Held || len(one.Trust.Findings) > 0) {
			t.Errorf(
				"the variant of %s: %q is %s, found %v, because: %s",
				p.attack.Name,
				one.Name,
				one.Trust.State,
				one.Trust.Findings,
				one.Trust.Reason,
			)
		}
	}
}

// lists are the list requests that a client of a server's own endpoint sends first.
var lists = []string{"tools/list", "prompts/list"}

// expectDeclared compares the definitions that an agent gets from a benign variant with those that the variant
// declares. It skips variants with a plan or a fault, because their definitions change.
func (s *stage) expectDeclared(t *testing.T, p *part) {
	t.Helper()
	act := p.act()
	if act.Plan != nil || act.Fault.Kind != "" {
		return
	}
	agent, direct := open(t, s.url("/mcp/s/"+p.server), stateful), adversary.NewServer(*act)
	for _, method := range lists {
		var want, have map[string]json.RawMessage
		var answer rpc
		decode(t, string(direct.Answer([]byte(request(method, object{}))).Messages[0]), &answer)
		decode(t, string(answer.Result), &want)
		decode(t, string(agent.post(request(method, object{})).rpc.Result), &have)
		name := strings.TrimSuffix(method, "/list")
		if string(have[name]) != string(want[name]) {
			t.Errorf(
				"the variant of %s declares\n%.1000s\nand the agent hears\n%.1000s",
				p.attack.Name,
				want[name],
				have[name],
			)
		}
	}
	hello := agent.post(
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + stateful + `","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`,
	)
	var heard struct{ Instructions string }
	if hello.rpc.Result != nil {
		decode(t, string(hello.rpc.Result), &heard)
		if heard.Instructions != act.Instructions {
			t.Errorf(
				"the variant of %s instructs\n%q\nand the agent hears\n%q",
				p.attack.Name,
				act.Instructions,
				heard.Instructions,
			)
		}
	}
}

// expectHidden checks that agents see no quarantined definition of an attack.
func (s *stage) expectHidden(t *testing.T, p *part) {
	t.Helper()
	all, err := s.standings(p)
	if err != nil {
		t.Fatal(err)
	}
	agent := open(t, s.url("/mcp/s/"+p.server), stateful)
	for _, method := range lists {
		var heard map[string][]struct{ Name string }
		_ = json.Unmarshal(agent.post(request(method, object{})).rpc.Result, &heard)
		for _, shown := range heard[strings.TrimSuffix(method, "/list")] {
			for _, one := range all {
				if one.Name == shown.Name && one.Trust.Held {
					t.Errorf("%s: %q is held and shown", p.attack.Name, shown.Name)
				}
			}
		}
	}
}

// pull makes a plan go through all its versions while the daemon observes it.
func (s *stage) pull(t *testing.T, p *part) {
	t.Helper()
	plan := p.act().Plan
	agent := open(t, s.url("/mcp/s/"+p.server), stateful)
	step := p.act().Steps()[0]
	list := plan.Subject + "s/list"
	for range plan.Trigger.Threshold * len(plan.Versions) {
		agent.post(request(list, object{}))
		if step.Tool != "" {
			agent.post(request("tools/call", object{"name": step.Tool, "arguments": object{}}))
		}
		if plan.Trigger.Type == adversary.ByTime {
			time.Sleep(time.Second)
		}
	}
	agent.post(request(list, object{}))
	if p.benign {
		return
	}
	eventually.Succeeds(t, p.attack.Name+" is noticed", func() error {
		all, err := s.standings(p)
		if err != nil {
			return err
		}
		for _, one := range all {
			if one.Trust.State == "rug_pull" || one.Trust.State == "quarantined" {
				return nil
			}
		}
		agent.post(request(list, object{}))
		return fmt.Errorf("it stands %+v", all)
	})
}
