package flow_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpproxy/internal/flow"
)

const getFile = `{"name":"github:get_file","args":{"path":"README.md"}}`

// noon is the time of the calls in the tests.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// expect announces a call with only its tool-call id and its arguments.
func expect(c *flow.Correlator, session, toolCall string, arguments []byte, at time.Time) {
	c.Announce(flow.HookCall{Session: session, ToolCall: toolCall, Arguments: arguments}, at)
}

// of returns the claim of a call with these arguments in an MCP session.
func of(session, toolCall, arguments string) flow.Claim {
	return flow.Claim{
		Session:   "mcp:alice:" + session,
		Lasting:   true,
		ToolCall:  toolCall,
		Arguments: []byte(arguments),
	}
}

// Spec-027, story 5 and its edge cases.
// Shows: FR-030, edge 2.
func TestCallsAreLinkedToHooks(t *testing.T) {
	type hook struct {
		session, call, arguments string
		after                    time.Duration
	}
	type call struct {
		claim flow.Claim
		after time.Duration
		want  string // hook session, or ""
	}
	long := `{"text":"` + strings.Repeat("a", 1000) + `"}`
	for name, c := range map[string]struct {
		hooks []hook
		calls []call
	}{
		"identical arguments link (5.1)": {[]hook{{"cc-session-abc", "", getFile, 0}},
			[]call{{of("m1", "", getFile), 50 * time.Millisecond, "cc-session-abc"}}},
		"the order of members and white space do not matter": {[]hook{{"a", "", "{ \"args\" : {\"path\":\"README.md\"},\n\"name\":\"github:get_file\"}", 0}},
			[]call{{of("m1", "", getFile), 0, "a"}}},
		"other spellings of strings and numbers do not matter": {[]hook{{"a", "", `{"path":"caf\u00e9 \/x","n":1.0e1,"more":"text"}`, 0}},
			[]call{{of("m1", "", `{"more":"text","path":"café /x","n":10}`), 0, "a"}}},
		"other arguments do not link": {[]hook{{"a", "", getFile, 0}},
			[]call{{of("m1", "", strings.Replace(getFile, "README", "LICENSE", 1)), 0, ""}}},
		"later calls of a linked session belong to it, whatever their arguments are (5.2)": {[]hook{{"a", "", getFile, 0}, {"b", "", long, time.Hour}},
			[]call{{of("m1", "", getFile), 0, "a"}, {of("m1", "", `{}`), time.Minute, "a"}, {of("m1", "", long), time.Hour, "a"}, {of("m2", "", long), time.Hour, "b"}}},
		"two agents with different calls are distinguished (5.3)": {[]hook{{"a", "", getFile, 0}, {"b", "", long, 0}},
			[]call{{of("m2", "", long), 0, "b"}, {of("m1", "", getFile), 0, "a"}}},
		"after five seconds, equal arguments do not link (5.4)": {[]hook{{"a", "", getFile, 0}}, []call{{of("m1", "", getFile), 5*time.Second + 1, ""}}},
		"within five seconds, equal arguments link":             {[]hook{{"a", "", getFile, 0}}, []call{{of("m1", "", getFile), 5 * time.Second, "a"}}},
		"a hook links one call, not every call that looks alike": {[]hook{{"a", "", getFile, 0}},
			[]call{{of("m1", "", getFile), 0, "a"}, {of("m2", "", getFile), 0, ""}}},
		"two hooks of one session link two calls": {[]hook{{"a", "", getFile, 0}, {"a", "", getFile, 0}},
			[]call{{of("m1", "", getFile), 0, "a"}, {of("m2", "", getFile), 0, "a"}}},
		"equal calls of two agents are distinguished if one follows the other": {[]hook{{"a", "", getFile, 0}, {"b", "", getFile, time.Second}},
			[]call{{of("m1", "", getFile), 0, "a"}, {of("m2", "", getFile), time.Second, "b"}}},
		"if two sessions wait with equal arguments, neither is linked": {[]hook{{"a", "", getFile, 0}, {"b", "", getFile, 0}},
			[]call{{of("m2", "", getFile), time.Second, ""}, {of("m1", "", getFile), time.Second, ""}}},
		"if the first of two sessions has waited too long, the second is linked": {[]hook{{"a", "", getFile, 0}, {"b", "", getFile, 4 * time.Second}},
			[]call{{of("m1", "", getFile), 6 * time.Second, "b"}}},
		"ids distinguish equal calls of two sessions": {[]hook{{"a", "toolu_1", getFile, 0}, {"b", "toolu_2", getFile, 0}},
			[]call{{of("m2", "toolu_2", getFile), 0, "b"}, {of("m1", "toolu_1", getFile), 0, "a"}}},
		"an id still counts after a person took minutes to allow the call": {[]hook{{"a", "toolu_1", getFile, 0}},
			[]call{{of("m1", "toolu_1", getFile), 10 * time.Minute, "a"}}},
		"an id that no hook announced is another call":       {[]hook{{"a", "toolu_1", getFile, 0}}, []call{{of("m1", "toolu_9", getFile), 0, ""}}},
		"a call without an id is linked by its arguments":    {[]hook{{"a", "toolu_1", getFile, 0}}, []call{{of("m1", "", getFile), 0, "a"}}},
		"a hook without an id is linked by its arguments":    {[]hook{{"a", "", getFile, 0}}, []call{{of("m1", "toolu_1", getFile), 0, "a"}}},
		"a call that was linked by id is no longer expected": {[]hook{{"a", "toolu_1", getFile, 0}}, []call{{of("m1", "toolu_1", getFile), 0, "a"}, {of("m2", "", getFile), 0, ""}}},
		"empty arguments prove nothing":                      {[]hook{{"a", "", `{}`, 0}}, []call{{of("m1", "", `{}`), 0, ""}}},
		"tiny arguments prove nothing":                       {[]hook{{"a", "", `{"limit":10}`, 0}}, []call{{of("m1", "", `{"limit":10}`), 0, ""}}},
		"tiny arguments with much white space prove nothing": {[]hook{{"a", "", `{"limit":                         10}`, 0}}, []call{{of("m1", "", `{"limit":                         10}`), 0, ""}}},
		"no arguments at all prove nothing":                  {[]hook{{"a", "", "", 0}}, []call{{of("m1", "", ""), 0, ""}}},
		"arguments that are not strict JSON prove nothing":   {[]hook{{"a", "", `{"name":"x","name":"y","z":"and more"}`, 0}}, []call{{of("m1", "", `{"name":"x","name":"y","z":"and more"}`), 0, ""}}},
		"a call without a lasting session is linked alone":   {[]hook{{"a", "toolu_1", "", 0}}, []call{{shared("toolu_1"), 0, "a"}, {shared(""), 0, ""}}},
		"an id joins a linked session to another hook session (one client had both)": {[]hook{{"a", "toolu_1", "", 0}, {"b", "toolu_2", "", 0}},
			[]call{{of("m1", "toolu_1", ""), 0, "a"}, {of("m1", "toolu_2", ""), 0, "b"}, {of("m1", "toolu_1", ""), 0, "b"}}},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgent(t, limits)
			links := flow.NewCorrelator(a.tracker, 5*time.Second)
			next := 0
			for _, call := range c.calls {
				for ; next < len(c.hooks) && c.hooks[next].after <= call.after; next++ {
					h := c.hooks[next]
					expect(links, h.session, h.call, []byte(h.arguments), noon.Add(h.after))
				}
				want := call.claim.Session
				if call.want != "" {
					want = flow.HookKey(call.want)
				}
				if got := links.Find(call.claim, noon.Add(call.after)).Session; got != want {
					t.Errorf(
						"the call of %s after %s belongs to %q, want %q",
						call.claim.Session,
						call.after,
						got,
						want,
					)
				}
			}
		})
	}
}

// shared returns the claim of a call on an endpoint that many clients use.
func shared(toolCall string) flow.Claim {
	return flow.Claim{Session: "mcp:alice:/mcp", ToolCall: toolCall, Arguments: []byte(getFile)}
}

func TestWithoutACorrelatorACallStaysInItsSession(t *testing.T) {
	var none *flow.Correlator
	if got := none.Find(of("m1", "toolu_1", getFile), noon).Session; got != "mcp:alice:m1" {
		t.Errorf("got %q", got)
	}
}

// Shows: FR-033.
func TestTheTimeThatArgumentsCountCanBeChanged(t *testing.T) {
	a := newAgent(t, limits)
	links := flow.NewCorrelator(a.tracker, 5*time.Second)
	links.SetLife(time.Minute)
	expect(links, "a", "", []byte(getFile), noon)
	if got := links.Find(of("m1", "", getFile), noon.Add(30*time.Second)).Session; got != flow.HookKey("a") {
		t.Errorf("got %q", got)
	}
}

// Announced calls that never arrive must not accumulate.
func TestExpectationsAreBounded(t *testing.T) {
	a := newAgent(t, limits)
	links := flow.NewCorrelator(a.tracker, 5*time.Second)
	for i := range 30_000 {
		expect(links, "a", fmt.Sprint("toolu_", i), fmt.Appendf(nil, `{"text":"number %d of very many"}`, i), noon)
	}
	if got := links.Find(of("m1", "toolu_0", ""), noon).Session; got != "mcp:alice:m1" {
		t.Error("the first of 30,000 announced calls is still expected")
	}
	if got := links.Find(of("m2", "toolu_29999", ""), noon).Session; got != flow.HookKey("a") {
		t.Error("the last announced call is not expected")
	}
}

// Shows: SC-005.
func TestManyAgentsAreLinkedAtOnce(t *testing.T) {
	a := newAgent(t, limits)
	links := flow.NewCorrelator(a.tracker, 5*time.Second)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for n := range 100 {
				hook, arguments := fmt.Sprintf("hook-%d", i), fmt.Sprintf(`{"agent":"number %d","call":%d}`, i, n)
				expect(links, hook, "", []byte(arguments), noon)
				got := links.Find(of(fmt.Sprintf("m%d-%d", i, n), "", arguments), noon).Session
				if got != flow.HookKey(hook) {
					t.Errorf("agent %d, call %d: %q", i, n, got)
				}
			}
		})
	}
	wg.Wait()
}

func ExampleCorrelator() {
	a := newAgent(nil, limits)
	links := flow.NewCorrelator(a.tracker, 5*time.Second)
	// The hook announces the call before the agent makes it over MCP.
	links.Announce(
		flow.HookCall{Session: "cc-session-abc", Arguments: []byte(`{"name":"github:get_file","args":{"path":"x"}}`)},
		noon,
	)
	fmt.Println(links.Find(flow.Claim{Session: "mcp:local:1", Lasting: true,
		Arguments: []byte(`{"args":{"path":"x"},"name":"github:get_file"}`)}, noon).Session)
	fmt.Println(links.Find(flow.Claim{Session: "mcp:local:1", Lasting: true, Arguments: []byte(`{}`)}, noon).Session)
	// Output:
	// hook:cc-session-abc
	// hook:cc-session-abc
}

func FuzzCorrelator(f *testing.F) {
	f.Add([]byte(getFile), []byte(getFile), "", "")
	f.Add([]byte(`{"a":1e400,"b":[]}`), []byte(`[[[[[`), "x", "y")
	f.Fuzz(func(t *testing.T, told, made []byte, hookCall, call string) {
		a := newAgent(t, limits)
		links := flow.NewCorrelator(a.tracker, 5*time.Second)
		expect(links, "h", hookCall, told, noon)
		claim := flow.Claim{Session: "mcp:alice:m", ToolCall: call, Arguments: made}
		got := links.Find(claim, noon).Session
		switch {
		case got == flow.HookKey("h") && (call != "" && call == hookCall || len(made) > 0 && len(told) > 0):
		case got != claim.Session:
			t.Errorf("got %q", got)
		}
	})
}
