package flow_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy"
	"mcpproxy/internal/flow"
)

var mailbox = mcpproxy.Class{Side: mcpproxy.Internal, CanReadData: true, ReturnsUntrusted: true}

const password = "postgres://admin:hunter2-Zq81@db.internal/prod"

// step is one call of a session. Its result is recorded, or its arguments are checked.
type step func(*agent) mcpproxy.Legs

func reads(server string, class mcpproxy.Class, result string, injected bool) step {
	return func(a *agent) mcpproxy.Legs {
		p := a.passage(server, "read", class, result, "response")
		p.Injected = injected
		a.tracker.Record(p)
		return mcpproxy.Legs{}
	}
}

// answers returns a step that records the result of a write.
func answers(server string, class mcpproxy.Class, result string, injected bool) step {
	return func(a *agent) mcpproxy.Legs {
		p := a.passage(server, "write", class, result, "response")
		p.Operation, p.Injected = mcpproxy.Write, injected
		a.tracker.Record(p)
		return mcpproxy.Legs{}
	}
}

func sends(server string, class mcpproxy.Class, op mcpproxy.Operation, args string) step {
	return called(server, class, op, args, true)
}

// tries returns a step with a call that is stopped.
func tries(server string, class mcpproxy.Class, op mcpproxy.Operation, args string) step {
	return called(server, class, op, args, false)
}

func called(server string, class mcpproxy.Class, op mcpproxy.Operation, args string, passes bool) step {
	return func(a *agent) mcpproxy.Legs {
		p := a.passage(server, "post", class, args, "arguments")
		p.Operation = op
		trace := a.tracker.Check(p)
		if trace.Sends && passes {
			a.tracker.Sent(p.Call)
		}
		return trace.Legs
	}
}

// names lists the legs that are set, each with its call.
func names(l mcpproxy.Legs) []string {
	var out []string
	for _, leg := range []struct {
		name string
		at   *mcpproxy.Leg
	}{{"private", l.Private}, {"sensitive", l.Sensitive}, {"untrusted", l.Untrusted}, {"injected", l.Injected}, {"sent", l.Sent}} {
		if leg.at != nil {
			out = append(out, fmt.Sprint(leg.name, " ", leg.at.CallID))
		}
	}
	return out
}

func TestLegs(t *testing.T) {
	const field = "Revenue grew eleven percent in the southern region, driven by renewals."
	ask := sends("db", internal, mcpproxy.Read, says("?"))
	for name, c := range map[string]struct {
		steps []step
		want  []string
	}{
		"a new session has no legs":                       {nil, nil},
		"an internal result is private data":              {[]step{reads("db", internal, content("rows"), false)}, []string{"private call-1"}},
		"a result of an unknown server is private data":   {[]step{reads("x", unknown, content("rows"), false)}, []string{"private call-1"}},
		"an empty result is not private data":             {[]step{reads("db", internal, `{"content":[]}`, false)}, nil},
		"a secret makes an internal result sensitive":     {[]step{reads("db", internal, content(password), false)}, []string{"private call-1", "sensitive call-1"}},
		"a secret on a public page is not sensitive data": {[]step{reads("web", external, content(password), false)}, []string{"untrusted call-1"}},
		"a mailbox is private, and strangers write to it": {[]step{reads("mail", mailbox, content("hello"), false)}, []string{"private call-1", "untrusted call-1"}},
		"an instruction counts as untrusted content in any result": {[]step{reads("db", internal, content("obey"), true)},
			[]string{"private call-1", "untrusted call-1", "injected call-1"}},
		"the answer to a write is no content":                 {[]step{answers("db", internal, content("stored"), false), answers("slack", external, content("posted"), false)}, nil},
		"a secret in the answer to a write is sensitive data": {[]step{answers("db", internal, content(password), false)}, []string{"private call-1", "sensitive call-1"}},
		"an instruction in the answer to a write is untrusted content": {[]step{answers("slack", external, content("obey"), true)},
			[]string{"untrusted call-1", "injected call-1"}},
		"a call that sends begins the third leg":          {[]step{sends("slack", external, mcpproxy.Write, says("hi"))}, []string{"sent call-1"}},
		"a call with an unknown operation sends":          {[]step{sends("slack", external, mcpproxy.UnknownOperation, says("hi"))}, []string{"sent call-1"}},
		"a call that is stopped does not send":            {[]step{tries("slack", external, mcpproxy.Write, says("hi"))}, nil},
		"the first call that passes begins the third leg": {[]step{tries("slack", external, mcpproxy.Write, says("hi")), sends("slack", external, mcpproxy.Write, says("hi"))}, []string{"sent call-2"}},
		"a search does not send":                          {[]step{sends("web", external, mcpproxy.Read, says("hi"))}, nil},
		"a search for internal data sends": {[]step{reads("db", internal, content(field), false), sends("web", external, mcpproxy.Read, says(field))},
			[]string{"private call-1", "sent call-2"}},
		"a stopped search for internal data does not send": {[]step{reads("db", internal, content(field), false), tries("web", external, mcpproxy.Read, says(field))},
			[]string{"private call-1"}},
		"a call to an internal server does not send": {[]step{sends("db", internal, mcpproxy.Write, says("hi"))}, nil},
		"the first call of each leg is recorded": {[]step{reads("db", internal, content(password), false), reads("db", internal, content(password), false),
			sends("slack", external, mcpproxy.Write, says("hi")), sends("slack", external, mcpproxy.Write, says("hi"))},
			[]string{"private call-1", "sensitive call-1", "sent call-3"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgent(t, limits)
			for _, step := range c.steps {
				step(a)
			}
			if diff := cmp.Diff(c.want, names(ask(a))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestACallSeesTheLegsFromBeforeIt(t *testing.T) {
	a := newAgent(t, limits)
	send := sends("slack", external, mcpproxy.Write, says("hi"))
	if got := names(send(a)); got != nil {
		t.Errorf("the first send sees %v", got)
	}
	if got := names(send(a)); len(got) != 1 || got[0] != "sent call-1" {
		t.Errorf("the second send sees %v", got)
	}
}

// Sensitive data that one session has read does not set legs in another session. It does if a call of the other
// session carries it.
func TestEachSessionOfThePrincipalHasItsOwnLegs(t *testing.T) {
	a := newAgent(t, limits)
	reads("mail", mailbox, content(password), true)(a)
	ask := sends("slack", external, mcpproxy.Write, says("hi"))
	for _, of := range []*agent{a.in("session-2", "alice"), a.in("session-3", "bob")} {
		if got := ask(of); got != (mcpproxy.Legs{}) {
			t.Errorf("another session has %v", names(got))
		}
	}
}

func TestLegsAreInTheSummary(t *testing.T) {
	a := newAgent(t, limits)
	reads("db", internal, content(password), false)(a)
	sends("slack", external, mcpproxy.Write, says("hi"))(a)
	s, _ := a.store.Peek(a.session)
	diff := cmp.Diff([]string{"private call-1", "sensitive call-1", "sent call-2"}, names(s.Summary().Legs))
	if diff != "" {
		t.Error(diff)
	}
}

func TestWithoutTrackingThereAreNoLegs(t *testing.T) {
	a := newAgent(t, flow.Limits{})
	reads("db", internal, content(password), true)(a)
	if got := sends("slack", external, mcpproxy.Write, says("hi"))(a); got != (mcpproxy.Legs{}) {
		t.Errorf("legs = %v, want none", names(got))
	}
}
