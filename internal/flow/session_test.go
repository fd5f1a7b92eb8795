package flow_test

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcpproxy"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/state/memory"
	"mcpproxy/internal/text"
)

// Shows: FR-026, edge 5.
func TestOldOriginsMakeRoomForNewOnes(t *testing.T) {
	l := limits
	l.MaxOrigins = 10
	a := newAgent(t, l)
	for i := range uint64(200) {
		a.reads("files", internal, content("key = "+key(i, 30, alphanumeric)))
	}
	for i := range uint64(200) {
		want := 0
		if i >= 190 {
			want = 1
		}
		if edges := a.sends("slack", external, says(key(i, 30, alphanumeric))); len(edges) != want {
			t.Errorf("origin %d of 200: %d edges, want %d", i, len(edges), want)
		}
	}
	sum := a.store.Get(a.session).Summary()
	if sum.Origins != 200 || sum.Evicted != 190 || sum.Edges != 10 {
		t.Errorf("origins, evicted, edges: %d %d %d, want 200 190 10", sum.Origins, sum.Evicted, sum.Edges)
	}
}

// A text of eight origins is common. It counts again after seven of the origins are evicted.
func TestEvictionMakesASharedTextCountAgain(t *testing.T) {
	l := limits
	l.MaxOrigins = 8
	a := newAgent(t, l)
	for i := range 8 {
		a.reads(fmt.Sprint("files", i), internal, fmt.Sprintf(`{"i":%d,"t":%q}`, i, prose))
	}
	if edges := a.sends("slack", external, says(prose)); len(edges) != 0 {
		t.Fatalf("a shared text matched: %+v", edges)
	}
	for i := range 7 {
		a.reads("files", internal, content(key(uint64(i), 30, alphanumeric)))
	}
	if edges := a.sends("slack", external, says(prose)); len(edges) != 1 {
		t.Errorf("%d edges, want one from the origin that is left", len(edges))
	}
}

func TestSecretsFollowThePrincipal(t *testing.T) {
	for name, c := range map[string]struct {
		principal string
		text      string
		want      int
	}{
		"another session of the same principal sees the secret": {"alice", "it is " + gitToken, 1},
		"another principal does not see the secret":             {"bob", "it is " + gitToken, 0},
		"another session does not see text that is no secret":   {"alice", "on Tuesday", 0},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgent(t, limits)
			a.reads("vault", internal, content("token "+gitToken+"\nkey "+plainKey))
			b := a.in("session-2", c.principal)
			edges := b.sends("slack", external, says(c.text))
			if len(edges) != c.want {
				t.Fatalf("%d edges, want %d", len(edges), c.want)
			}
			if c.want > 0 && (edges[0].Risk != mcpproxy.RiskCritical || edges[0].From.Server != "vault") {
				t.Errorf("got %+v", edges[0])
			}
			if got := b.store.Get("session-2").Summary().Edges; got != c.want {
				t.Errorf("the session's summary counts %d edges, want %d", got, c.want)
			}
		})
	}
}

func TestPublicSecretsDoNotFollowThePrincipal(t *testing.T) {
	a := newAgent(t, limits)
	a.reads("web", external, content("token "+gitToken))
	if edges := a.in("session-2", "alice").sends("slack", external, says(gitToken)); len(edges) != 0 {
		t.Errorf("got %+v", edges)
	}
}

// Shows: FR-090, story 10.
func TestTheSummaryCountsTheSession(t *testing.T) {
	a := newAgent(t, limits)
	a.reads("github", internal, content("token "+gitToken))
	a.reads("wiki", internal, `{"a":`+quoted(prose)+`,"b":"x"}`)
	a.sends("slack", external, says(gitToken))
	a.sends("slack", external, says(prose))
	a.sends("jira", internal, says(prose))
	got := a.store.Get(a.session).Summary()
	want := flow.Summary{
		Origins:  2,
		Edges:    3,
		FlowType: map[mcpproxy.FlowType]int{mcpproxy.InternalToExternal: 2, mcpproxy.InternalToInternal: 1},
		Risk:     map[mcpproxy.RiskLevel]int{mcpproxy.RiskCritical: 1, mcpproxy.RiskMedium: 1, mcpproxy.RiskNone: 1},
		Tools:    []string{"jira:post", "slack:post"},
	}
	diff := cmp.Diff(
		want,
		got,
		cmpopts.IgnoreFields(flow.Summary{}, "Legs", "Started", "Last", "Seconds", "Bytes"),
		cmpopts.EquateEmpty(),
	)
	if diff != "" {
		t.Error(diff)
	}
	if got.Last.Before(got.Started) || got.Seconds != got.Last.Round(0).Sub(got.Started.Round(0)).Seconds() {
		t.Errorf("from %s to %s in %v seconds", got.Started, got.Last, got.Seconds)
	}
}

func TestConcurrentUse(t *testing.T) {
	l := limits
	l.MaxOrigins = 20
	a := newAgent(t, l)
	reads := make([]flow.Transfer, 64)
	sends := make([]flow.Transfer, 64)
	for i := range reads {
		b := a.in(fmt.Sprint("session-", i%3), fmt.Sprint("principal-", i%2))
		k := key(uint64(i), 30, alphanumeric)
		reads[i] = b.passage("files", "read", internal, content(gitToken+" and "+k), "response")
		sends[i] = b.passage("slack", "post", external, says(gitToken+" or "+k), "arguments")
	}
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 200 {
				n := (i*7 + w*13) % len(reads)
				go a.tracker.Record(reads[n])()
				if edges := a.tracker.Check(sends[n]).Edges; len(edges) == 0 {
					t.Errorf("a token that was just read is not found")
					return
				}
				a.store.Get(reads[n].Call.FlowSession).Summary()
			}
		})
	}
	wg.Wait()
}

// A call may carry data of a result that was recorded just before.
func TestTheNextCheckFindsTheLastResult(t *testing.T) {
	const agents, turns, lines = 8, 6, 128 // of 64 bytes
	a := newAgent(t, limits)
	type turn struct{ read, sent flow.Transfer }
	work := make([][]turn, agents)
	for i := range work {
		b := a.in(fmt.Sprint("session-", i), fmt.Sprint("principal-", i))
		for n := range turns {
			var file strings.Builder
			for line := range lines {
				fmt.Fprintf(&file, "%05d = %s\n", line, key(uint64((i*turns+n)*lines+line), 55, alphanumeric))
			}
			_, last, _ := strings.Cut(file.String()[file.Len()-65:], " = ")
			work[i] = append(work[i], turn{
				b.passage("files", "read", internal, content(file.String()), "response"),
				b.passage("slack", "post", external, says("see "+strings.ToLower(last)), "arguments")})
		}
	}
	var wg sync.WaitGroup
	for i, turns := range work {
		wg.Go(func() {
			for n, turn := range turns {
				go a.tracker.Record(turn.read)()
				edges := a.tracker.Check(turn.sent).Edges
				if len(edges) != 1 || edges[0].From.CallID != turn.read.Call.ID {
					t.Errorf("agent %d, turn %d: the last result is not found: %+v", i, n, edges)
				}
			}
		})
	}
	wg.Wait()
}

// The first goroutine that needs the session indexes the postponed result. It is indexed only once.
func TestAPostponedResultIsIndexedOnce(t *testing.T) {
	for name, first := range map[string]func(a *agent, index func()){
		"the caller of index":               func(_ *agent, index func()) { index() },
		"the next check":                    func(a *agent, _ func()) { a.sends("slack", external, says(plainKey)) },
		"the next result":                   func(a *agent, _ func()) { a.reads("github", internal, content("nothing")) },
		"a join":                            func(a *agent, _ func()) { a.tracker.Join(a.session, "other") },
		"a reader of the graph":             func(a *agent, _ func()) { a.store.Get(a.session).Graph() },
		"the next snapshot":                 func(a *agent, _ func()) { _ = a.tracker.Save(io.Discard, "") },
		"the session's end":                 func(a *agent, _ func()) { a.tracker.Ended(a.session, a.store.Get(a.session)) },
		"nobody before the end of the test": func(*agent, func()) {},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgent(t, limits)
			s := a.store.Get(a.session)
			index := a.tracker.Record(a.passage("github", "read", internal, content(config), "response"))
			first(a, index)
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(index)
			}
			wg.Wait()
			want := 1
			switch name {
			case "the next result":
				want = 2
			case "a join":
				s = a.store.Get("other")
			}
			if got := s.Summary().Origins; got != want {
				t.Errorf("%d origins, want %d", got, want)
			}
		})
	}
}

// A bug that one result triggers ends neither the program nor the session, and the next call, which could carry the
// result, is refused.
func TestAResultThatCannotBeIndexedStopsTheNextCall(t *testing.T) {
	a := newAgent(t, limits)
	p := a.passage("web", "read", external, content(prose), "response")
	p.Instructions = []text.Span{{Part: len(p.Doc.Parts), Start: 0, End: 1}} // this part does not exist
	a.tracker.Record(p)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the next call was not refused")
			}
		}()
		a.sends("slack", external, says(prose))
	}()
	a.reads("github", internal, content("token "+gitToken))
	if edges := a.sends("slack", external, says(gitToken)); len(edges) != 1 {
		t.Errorf("later results are not tracked: %+v", edges)
	}
}

func ExampleTracker() {
	sessions := memory.New(0, func(string) *flow.Session { return flow.NewSession() }, nil)
	tracker := flow.New(sessions, flow.Limits{
		Enabled:    true,
		MaxOrigins: 10_000,
		MinLength:  20,
		MaxBytes:   65536,
	})

	result, _ := text.Parse([]byte(`{"text":"port = 8080\nkey = q7Rk2vXw9LmZt4BcYd8HsN3f"}`), "response")
	tracker.Record(flow.Transfer{Call: &mcpproxy.Call{Server: "github", Tool: "get_file", FlowSession: "s"},
		Class: mcpproxy.Class{Side: mcpproxy.Internal}, Doc: result})

	args, _ := text.Parse([]byte(`{"message":"look: q7Rk2vXw9LmZt4BcYd8HsN3f"}`), "arguments")
	trace := tracker.Check(flow.Transfer{Call: &mcpproxy.Call{Server: "slack", Tool: "post_message", FlowSession: "s"},
		Class: mcpproxy.Class{Side: mcpproxy.External}, Doc: args})
	for _, e := range trace.Edges {
		fmt.Println(e.From.Name(), "to", e.To, e.Type, e.Risk, "at", e.Path)
	}
	// Output: github to slack internal→external medium at arguments.message
}
