package flow_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcpproxy"
	"mcpproxy/internal/cputime"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/state/memory"
)

// snapshot returns what a tracker saves.
func snapshot(t testing.TB, a *agent) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := a.tracker.Save(&buf, ""); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// restarted returns an agent of a new tracker that has loaded a snapshot.
func restarted(t testing.TB, raw []byte) *agent {
	t.Helper()
	a := newAgent(t, limits)
	if _, err := a.tracker.Load(bytes.NewReader(raw)); err != nil {
		t.Fatal(err)
	}
	return a
}

// busy returns an agent that has read, sent and been linked.
func busy(t testing.TB) *agent {
	a := newAgent(t, limits)
	a.reads("vault", internal, content("token "+gitToken))
	a.reads("wiki", internal, content(prose))
	a.reads("web", external, content("An external result, which everybody knows already by heart."))
	a.sends("slack", external, says(prose))
	a.in("hook:h", "alice").reads("files", internal, content(config))
	a.tracker.Join("mcp:alice:1", "hook:h")
	a.names(mcpproxy.SessionAgent{Name: "claude-code", Folder: "~/src/app"}, "wiki")
	return a
}

// names makes a call that names its agent to a server.
func (a *agent) names(who mcpproxy.SessionAgent, server string) {
	a.t.Helper()
	p := a.passage(server, "read", internal, `{"q":"x"}`, "arguments")
	p.Call.Agent = who
	a.tracker.Check(p)
}

func TestASessionKeepsItsAgentOverARestart(t *testing.T) {
	before := busy(t)
	want := mcpproxy.SessionAgent{Name: "claude-code", Folder: "~/src/app"}
	after := restarted(t, snapshot(t, before))
	if got := after.tracker.Agent(before.session); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	old := newAgent(t, limits)
	old.reads("wiki", internal, content(prose))
	raw := snapshot(t, old)
	if bytes.Contains(raw, []byte(`"agent"`)) {
		t.Fatalf("a session without an agent is saved with an agent: %s", raw)
	}
	if got := restarted(t, raw).tracker.Agent(old.session); got.Known() {
		t.Errorf("a session of an older version has the agent %+v", got)
	}
}

func TestAJoinedSessionKeepsItsAgent(t *testing.T) {
	claim := mcpproxy.SessionAgent{Name: "client", Claimed: true}
	a := newAgent(t, limits)
	a.names(claim, "wiki")
	a.tracker.Join(a.session, "hook:h")
	if got := a.tracker.Agent("hook:h"); got != claim {
		t.Errorf("%+v, want %+v", got, claim)
	}
	if got := a.tracker.Agent(a.session); got != claim {
		t.Errorf("under its old key: %+v, want %+v", got, claim)
	}
}

// Shows: edge 1.
func TestSessionsSurviveARestart(t *testing.T) {
	before := busy(t)
	after := restarted(t, snapshot(t, before))
	for key, s := range before.store.All() {
		got, ok := after.store.Peek(key)
		if !ok {
			t.Errorf("the session %s is missing", key)
			continue
		}
		diff := cmp.Diff(
			s.Graph(),
			got.Graph(),
			cmpopts.EquateApprox(0, 1e-6),
			cmpopts.IgnoreFields(flow.Summary{}, "Bytes"),
		)
		if diff != "" {
			t.Errorf("%s (-before +after):\n%s", key, diff)
		}
	}
	for name, c := range map[string]struct {
		from *agent
		text string
		want mcpproxy.RiskLevel
	}{
		"a secret": {after, gitToken, mcpproxy.RiskCritical},
		"a text":   {after, prose, mcpproxy.RiskMedium},
		"a secret, from the principal's next session": {after.in("session-9", "alice"), gitToken, mcpproxy.RiskCritical},
		"a text that a linked session has read":       {after.in("mcp:alice:1", "alice"), plainKey, mcpproxy.RiskMedium},
	} {
		if edges := c.from.sends("slack", external, says(c.text)); len(edges) == 0 || edges[0].Risk != c.want {
			t.Errorf("%s: %+v", name, edges)
		}
	}
	if edges := after.sends(
		"slack",
		external,
		says("An external result, which everybody knows already by heart."),
	); len(edges) > 0 &&
		edges[0].Type == mcpproxy.InternalToExternal {
		t.Errorf("public text became private: %+v", edges)
	}
}

func TestASessionContinuesAfterARestart(t *testing.T) {
	l := limits
	l.MaxOrigins = 5
	a := newAgent(t, l)
	for i := range uint64(8) {
		a.reads("files", internal, content("key = "+key(i, 30, alphanumeric)))
	}
	raw := snapshot(t, a)
	b := newAgent(t, l)
	if _, err := b.tracker.Load(bytes.NewReader(raw)); err != nil {
		t.Fatal(err)
	}
	for i := range uint64(3) {
		b.reads("files", internal, content("key = "+key(8+i, 30, alphanumeric)))
	}
	for i := range uint64(11) {
		if known := len(b.sends("slack", external, says(key(i, 30, alphanumeric)))) > 0; known != (i >= 6) {
			t.Errorf("the key of origin %d is known: %t", i, known)
		}
	}
	if sum := b.store.Get("session-1").Summary(); sum.Origins != 11 || sum.Evicted != 6 {
		t.Errorf("summary: %+v", sum)
	}
}

func TestOnlyACallIsAChange(t *testing.T) {
	a := busy(t)
	n := a.tracker.Changes()
	snapshot(t, a)
	a.store.Get("session-1").Summary()
	if a.tracker.Changes() != n {
		t.Error("saving and Summary count as changes")
	}
	a.sends("slack", external, says("hello"))
	if a.tracker.Changes() == n {
		t.Error("a call does not count as a change")
	}
}

// A save that is started after the count has changed contains the change, even while it is being made: the daemon
// compares counts and then saves for the last time.
func TestASnapshotContainsTheChangesThatAreCounted(t *testing.T) {
	a := newAgent(t, limits)
	for n := range uint64(20) {
		k := key(n, 30, alphanumeric)
		read := a.passage("files", "read", internal, content("key = "+k), "response")
		before := a.tracker.Changes()
		go a.tracker.Record(read)
		for a.tracker.Changes() == before {
			runtime.Gosched()
		}
		if edges := restarted(t, snapshot(t, a)).sends("slack", external, says(k)); len(edges) != 1 {
			t.Fatalf("result %d is not in the snapshot", n)
		}
	}
}

// interrupted returns sessions that change before they are locked.
type interrupted struct {
	*memory.Store[*flow.Session]
	by func()
}

func (i *interrupted) Get(key string) *flow.Session {
	s := i.Store.Get(key)
	i.by()
	return s
}

func TestAChangeAfterASnapshotIsCounted(t *testing.T) {
	a := newAgent(t, limits)
	sessions := &interrupted{Store: a.store}
	a.tracker = flow.New(sessions, limits)
	var count uint64
	sessions.by = func() {
		count = a.tracker.Changes()
		snapshot(t, a)
	}
	a.reads("files", internal, content(config))
	if a.tracker.Changes() == count {
		t.Error("the snapshot lacks the result, but the count of changes says that it has it")
	}
}

// A damaged snapshot changes nothing.
func TestADamagedSnapshotIsRefused(t *testing.T) {
	raw := snapshot(t, busy(t))
	for name, damaged := range map[string][]byte{
		"nothing":              nil,
		"the first half":       raw[:len(raw)/2],
		"all but its end":      raw[:len(raw)-1],
		"a byte after the end": append(bytes.Clone(raw), 0),
		"another beginning":    append([]byte("x"), raw...),
	} {
		a := newAgent(t, limits)
		if _, err := a.tracker.Load(bytes.NewReader(damaged)); err == nil {
			t.Errorf("%s was loaded", name)
		}
		if n := len(a.store.All()); n != 0 {
			t.Errorf("%s left %d sessions", name, n)
		}
	}
}

func TestUnknownFramesAreSkipped(t *testing.T) {
	raw := append([]byte("\x05later\x03abc"), snapshot(t, busy(t))...)
	if a := restarted(t, raw); len(a.sends("slack", external, says(prose))) != 1 {
		t.Error("the sessions after the unknown frame are missing")
	}
}

// The cost is linear in the size of the saved data.
func TestSavingTakesLinearTime(t *testing.T) {
	measure := func(n int) time.Duration {
		a := newAgent(t, limits)
		for i := range n {
			a.tracker.Record(
				a.passage(
					"files",
					"read",
					internal,
					content(fmt.Sprintf("key-%d = %s", i, key(uint64(i), 40, alphanumeric))),
					"response",
				),
			)
		}
		best := time.Hour
		for range 10 {
			best = min(best, cputime.Of(func() {
				raw := snapshot(t, a)
				restarted(t, raw)
			}))
		}
		return best
	}
	small, large := measure(60), measure(480)
	if large > 8*4*small {
		t.Errorf("8 times the origins take %s, and one time takes %s; want linear time", large, small)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(snapshot(f, busy(f)))
	f.Add([]byte("\x07session\x02{}\x08contents\x00\x03end\x00"))
	f.Add([]byte("\x05links\xff\xff\xff\xff\x07"))
	f.Add([]byte("\x07session\x02{}\x08attached\x2e{\"names\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAJ\"}\x03end\x00"))
	b := newAgent(f, limits)
	read := b.passage("files", "read", internal, content(config), "response")
	sent := b.passage("slack", "post", external, says(plainKey), "arguments")
	f.Fuzz(func(t *testing.T, raw []byte) {
		a := newAgent(t, limits)
		if _, err := a.tracker.Load(bytes.NewReader(raw)); err != nil {
			return
		}
		for key := range a.store.All() { // loaded sessions can be used
			read.Call.FlowSession, sent.Call.FlowSession = key, key
			a.tracker.Record(read)
			a.tracker.Check(sent)
			a.store.Get(key).Graph()
		}
		again := newAgent(t, limits)
		if _, err := again.tracker.Load(bytes.NewReader(snapshot(t, a))); err != nil {
			t.Errorf("loaded sessions are saved in a form that cannot be loaded: %v", err)
		}
	})
}

// The size of a snapshot, and how long a call waits for it.
func BenchmarkSave(b *testing.B) {
	for name, fill := range map[string]func(*testing.B) *agent{
		"short texts": func(b *testing.B) *agent {
			a := newAgent(b, limits)
			for i := range 5000 {
				a.reads("files", internal, content(fmt.Sprintf("key-%d = %s", i, key(uint64(i), 40, alphanumeric))))
			}
			return a
		},
		"ten thousand results": func(b *testing.B) *agent { a, _, _ := fill(b); return a },
	} {
		b.Run(name, func(b *testing.B) {
			a := fill(b)
			stop, longest := make(chan struct{}), make(chan time.Duration)
			b.ResetTimer()
			go func() {
				var most time.Duration
				for {
					select {
					case <-stop:
						longest <- most
						return
					case <-time.After(time.Millisecond):
						start := time.Now()
						a.store.Get("s").Summary()
						most = max(most, time.Since(start))
					}
				}
			}()
			for b.Loop() {
				if err := a.tracker.Save(io.Discard, ""); err != nil {
					b.Fatal(err)
				}
			}
			close(stop)
			b.ReportMetric(float64(<-longest)/1e6, "longest-wait-ms")
		})
	}
}
