package flow_test

import (
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/flow/passage"
)

// creates records a call that creates something, and its result.
func (a *agent) creates(server, args, result string, failed bool) {
	a.makes("create document", server, args, result, failed)
}

// makes is creates for a tool whose name has the given words.
func (a *agent) makes(words, server, args, result string, failed bool) {
	p := a.passage(server, "create", internal, result, "response")
	p.Arguments = a.passage(server, "create", internal, args, "arguments").Doc
	p.Act = &passage.Act{Effect: mcpproxy.EffectCreate, Words: strings.Fields(words)}
	p.Failed = failed
	a.tracker.Record(p)()
}

// deletes checks a call that deletes something.
func (a *agent) deletes(server, args string) flow.Lineage {
	p := a.passage(server, "delete", internal, args, "arguments")
	p.Act = &passage.Act{Effect: mcpproxy.EffectDelete, Words: []string{"delete", "document"}}
	return a.tracker.Check(p)
}

func TestDeletingAnObjectOfTheSessionUndoesItsCreation(t *testing.T) {
	const args, result = `{"path":"tmp/a.conf","folder":"f1"}`, `{"id":"d77","parent":{"owner":{"home":{"id":"d1"}}}}`
	for name, c := range map[string]struct {
		meet func(a *agent)
		args string
		want bool
	}{
		"by the name that the call gave it": {
			func(a *agent) { a.creates("store", args, result, false) }, `{"path":"tmp/a.conf"}`, true,
		},
		"by the id of the result, in its folder": {
			func(a *agent) { a.creates("store", args, result, false) }, `{"id":"d77","folder":"f1"}`, true,
		},
		"by the id of the result, in a member named after its kind": {
			func(a *agent) { a.creates("store", args, `{"document_id":"d77"}`, false) }, `{"id":"d77"}`, true,
		},
		"by the id of another kind": {
			func(a *agent) { a.creates("store", args, `{"parent_id":"d77"}`, false) }, `{"id":"d77"}`, false,
		},
		"another thing": {
			func(a *agent) { a.creates("store", args, result, false) }, `{"path":"b.pdf"}`, false,
		},
		"the object and another object": {
			func(a *agent) { a.creates("store", args, result, false) }, `{"path":"tmp/a.conf","id":"d2"}`, false,
		},
		"the folder that contains the object": {
			func(a *agent) { a.creates("store", args, result, false) }, `{"folder":"f1"}`, false,
		},
		"an id deep in the result": {
			func(a *agent) { a.creates("store", args, result, false) }, `{"id":"d1"}`, false,
		},
		"a call that has failed": {
			func(a *agent) { a.creates("store", args, result, true) }, `{"path":"tmp/a.conf"}`, false,
		},
		"a call whose result says in prose that it failed": {
			func(a *agent) { a.creates("store", args, `{"error":"it exists"}`, false) }, `{"path":"tmp/a.conf"}`, false,
		},
		"an object of another kind with the same id": {
			func(a *agent) { a.makes("create comment", "store", args, result, false) }, `{"id":"d77"}`, false,
		},
		"an object that was shared": {
			func(a *agent) { a.makes("create share link", "store", args, result, false) }, `{"path":"tmp/a.conf"}`, false,
		},
		"an object that was opened": {
			func(a *agent) { a.makes("open document", "store", args, result, false) }, `{"path":"tmp/a.conf"}`, false,
		},
		"the container to which an object was added, by its id": {
			func(a *agent) { a.makes("add document", "store", `{"id":"d5"}`, `{}`, false) }, `{"id":"d5"}`, false,
		},
		"nothing made": {
			func(*agent) {}, `{"path":"tmp/a.conf"}`, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgent(t, limits)
			c.meet(a)
			if got := a.deletes("store", c.args).Undoes; got != c.want {
				t.Errorf("Undoes = %v, want %v", got, c.want)
			}
			if a.deletes("elsewhere", c.args).Undoes {
				t.Error("Undoes is true for an object of another server")
			}
		})
	}
}

func TestASensitiveValueIsNewToEachReceiverOnce(t *testing.T) {
	const passport = `{"passport":"C01X00T47","name":"Ana"}`
	a := newAgent(t, limits)
	give := func(server, to string, answered bool) mcpproxy.Edge {
		t.Helper()
		p := a.passage(server, "book", external, `{"to":"`+to+`","passport":"C01X00T47"}`, "arguments")
		p.Secrets = []flow.Secret{{Value: "C01X00T47", Category: "government_id", Part: len(p.Doc.Parts) - 1}}
		edges := a.tracker.Check(p).Edges
		if len(edges) == 0 {
			t.Fatal("no edge")
		}
		if answered {
			r := a.passage(server, "book", external, `{"ok":true}`, "response")
			r.Call.ID = p.Call.ID
			a.tracker.Record(r)()
		}
		return edges[0]
	}
	read := a.passage("profile", "read", internal, passport, "response")
	read.Secrets = []flow.Secret{{Value: "C01X00T47", Category: "government_id", Part: 1}}
	a.tracker.Record(read)()
	if give("flights", "desk@flights.example", false).Own {
		t.Error("the value counts as known on the first call")
	}
	if give("flights", "desk@flights.example", true).Own {
		t.Error("the value counts as known after a call that was stopped")
	}
	if !give("flights", "desk@flights.example", true).Own {
		t.Error("the value counts as new to a receiver that already has it")
	}
	if give("flights", "other@flights.example", false).Own {
		t.Error("the value counts as known to another receiver")
	}
	if give("hotels", "desk@flights.example", false).Own {
		t.Error("the value counts as known to another server")
	}
}
