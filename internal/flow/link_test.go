package flow_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"mcpproxy/internal/flow"
)

func TestAJoinedSessionHasTheResultsOfBoth(t *testing.T) {
	a := newAgent(t, limits)
	hook := a.in(flow.HookKey("h"), "alice")
	a.reads("wiki", internal, content(prose))
	hook.reads("files", internal, content(config))
	a.sends("slack", external, says(prose))
	a.tracker.Join("session-1", flow.HookKey("h"))
	for name, from := range map[string]*agent{"the hook session": hook, "the MCP session": a} {
		for _, text := range []string{prose, plainKey} {
			if edges := from.sends("slack", external, says(text)); len(edges) != 1 {
				t.Errorf("%s sends %q: %d edges", name, text, len(edges))
			}
		}
	}
	if _, ok := a.store.Peek("session-1"); ok {
		t.Error("the MCP session still exists")
	}
	sum := a.store.Get(flow.HookKey("h")).Summary()
	if sum.Origins != 2 || sum.Edges != 5 || !slices.Equal(sum.Linked, []string{"session-1"}) ||
		sum.FlowType["internal→external"] != 5 {
		t.Errorf("the summary is %+v", sum)
	}
	a.reads("later", internal, content("key "+key(5, 30, alphanumeric)))
	if edges := hook.sends("slack", external, says(key(5, 30, alphanumeric))); len(edges) != 1 {
		t.Error("a later result of the MCP session is not in the hook session")
	}
}

func TestChainsOfLinksAreFollowed(t *testing.T) {
	a := newAgent(t, limits)
	a.tracker.Join("m", "a")
	a.tracker.Join("a", "b")
	a.tracker.Join("b", "m") // they are joined already
	a.tracker.Join("x", "a")
	for _, key := range []string{"m", "a", "b", "x"} {
		if got := a.tracker.Session(key); got != "b" {
			t.Errorf("%s leads to %s", key, got)
		}
	}
}

// Calls that run while their session is joined must not be lost.
func TestSessionsAreJoinedUnderLoad(t *testing.T) {
	a := newAgent(t, limits)
	const readers, each = 8, 40
	var read [readers][]flow.Transfer
	var sent []flow.Transfer
	for i := range readers {
		b := a.in(fmt.Sprint("m-", i), "alice")
		for n := range each {
			k := key(uint64(i*1000+n), 30, alphanumeric)
			read[i] = append(read[i], b.passage("files", "read", internal, content("key "+k), "response"))
			sent = append(sent, a.in("h-0", "alice").passage("slack", "post", external, says(k), "arguments"))
		}
	}
	var wg sync.WaitGroup
	for i := range readers {
		wg.Go(func() {
			for n, p := range read[i] {
				a.tracker.Record(p)
				if n == each/2 {
					a.tracker.Join(fmt.Sprint("m-", i), fmt.Sprint("h-", i%2))
				}
			}
		})
	}
	wg.Go(func() { a.tracker.Join("h-1", "h-0") })
	wg.Wait()
	for _, p := range sent {
		if len(a.tracker.Check(p).Edges) != 1 {
			t.Fatal("a key that was read is not found")
		}
	}
	if sum := a.store.Get("h-0").Summary(); sum.Origins != readers*each {
		t.Errorf("%d origins of %d", sum.Origins, readers*each)
	}
}

// Shows: FR-025.
func TestTheEndOfASessionIsReportedOnce(t *testing.T) {
	a := newAgent(t, limits)
	a.reads("vault", internal, content("token "+gitToken))
	for key, want := range map[string]bool{"session-1": true, flow.PrincipalPrefix + "alice": false} {
		if _, report := a.tracker.Ended(key, a.store.Get(key)); report != want {
			t.Errorf("%s is reported: %t", key, report)
		}
	}
	b := newAgent(t, limits)
	old := b.store.Get("session-1")
	b.reads("wiki", internal, content(prose))
	b.tracker.Join("session-1", "h")
	if _, report := b.tracker.Ended("session-1", old); report {
		t.Error("a session that became part of another is reported")
	}
}
