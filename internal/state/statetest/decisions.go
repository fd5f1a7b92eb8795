package statetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"mcpproxy/internal/state"
)

// Replicas are two replicas' views of the same decisions.
type Replicas struct {
	A, B   state.Decisions
	Forget func() // makes the store lose all its data, and returns when it accepts decisions again
}

// RunDecisions tests the implementation that open returns against the contract of state.Decisions. Each view
// must accept decisions.
func RunDecisions(t *testing.T, open func(t *testing.T) Replicas) {
	r := open(t) // each test uses other names; the last one deletes everything in the store
	for _, part := range []struct {
		name  string
		check func(*testing.T, Replicas)
	}{
		{"nothing has no version", noDecisions},
		{"what one replica decides, all have", decidedForAll},
		{"a later decision replaces an earlier one", laterReplaces},
		{"decisions at once all get turns of their own", turnsDiffer},
		{"several decisions are stored in their order, or none", allOrNone},
		{"a decision that is too large is refused", refusesLarge},
		{"a call that was cancelled decides nothing", cancelled},
		{"what was lost can be restored", restores},
	} {
		if !t.Run(part.name, func(t *testing.T) { part.check(t, r) }) {
			return
		}
	}
}

func decide(t *testing.T, s state.Decisions, kind, name, content string) state.Decision {
	t.Helper()
	ds, err := s.Decide(t.Context(), state.Decision{Kind: kind, Name: name, Content: []byte(content)})
	if err != nil || len(ds) != 1 {
		t.Fatalf("deciding %s %s gave %v, %v", kind, name, ds, err)
	}
	return ds[0]
}

// held returns the decisions of a kind by name, and the version.
func held(t *testing.T, s state.Decisions, kind string) (map[string]state.Decision, string) {
	t.Helper()
	all, version, err := s.All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]state.Decision{}
	last := uint64(0)
	for _, d := range all {
		if d.Turn <= last {
			t.Errorf("turn %d follows turn %d", d.Turn, last)
		}
		last = d.Turn
		if d.Kind == kind {
			out[d.Name] = d
		}
	}
	return out, version
}

func noDecisions(t *testing.T, r Replicas) {
	if all, version, err := r.A.All(t.Context()); err != nil || len(all) != 0 || version != "" {
		t.Errorf("an empty store holds %v with the version %q, %v", all, version, err)
	}
}

func decidedForAll(t *testing.T, r Replicas) {
	const kind = "shared"
	d := decide(t, r.A, kind, "tool", "approved")
	if d.Turn == 0 {
		t.Error("the decision has no turn")
	}
	got, version := held(t, r.B, kind)
	if len(got) != 1 || got["tool"].Turn != d.Turn || string(got["tool"].Content) != "approved" || version == "" {
		t.Errorf("the other replica has %+v with the version %q", got, version)
	}
	if _, again := held(t, r.A, kind); again != version {
		t.Errorf("the version is %q, then %q, and nothing was decided", version, again)
	}
	decide(t, r.B, kind, "\x00 other\n", "")
	got, next := held(t, r.A, kind)
	if len(got) != 2 || next == version || next == "" {
		t.Errorf("after a second decision: %+v with the version %q, before %q", got, next, version)
	}
	if _, ok := got["\x00 other\n"]; !ok {
		t.Errorf("a name with unusual characters is missing: %+v", got)
	}
}

func laterReplaces(t *testing.T, r Replicas) {
	const kind = "replaced"
	first := decide(t, r.A, kind, "tool", "approved")
	second := decide(t, r.B, kind, "tool", "blocked")
	got, _ := held(t, r.A, kind)
	if second.Turn <= first.Turn || len(got) != 1 || string(got["tool"].Content) != "blocked" {
		t.Errorf("turn %d, then %d; %+v is held", first.Turn, second.Turn, got)
	}
	if err := r.A.Restore(t.Context(), []state.Decision{first}); err != nil {
		t.Fatal(err)
	}
	if got, _ := held(t, r.B, kind); string(got["tool"].Content) != "blocked" {
		t.Errorf("an old decision that was restored replaced a new one: %+v", got)
	}
}

func turnsDiffer(t *testing.T, r Replicas) {
	const kind, each = "at once", 20
	var wg sync.WaitGroup
	for i, s := range []state.Decisions{r.A, r.B} {
		wg.Go(func() {
			for n := range each {
				if _, err := s.Decide(t.Context(), state.Decision{Kind: kind, Name: fmt.Sprint(i, n)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got, _ := held(t, r.A, kind); len(got) != 2*each { // held checks the turns
		t.Errorf("%d decisions are held", len(got))
	}
}

func allOrNone(t *testing.T, r Replicas) {
	const kind = "several"
	ds, err := r.A.Decide(t.Context(),
		state.Decision{Kind: kind, Name: "a"},
		state.Decision{Kind: kind, Name: "b"},
		state.Decision{Kind: kind, Name: "a", Content: []byte("second")},
	)
	if err != nil || len(ds) != 3 || ds[1].Turn <= ds[0].Turn || ds[2].Turn <= ds[1].Turn {
		t.Fatalf("three decisions gave %+v, %v", ds, err)
	}
	if got, _ := held(t, r.B, kind); len(got) != 2 || string(got["a"].Content) != "second" {
		t.Errorf("%+v is held", got)
	}
	large := state.Decision{Kind: kind, Name: "large", Content: make([]byte, state.MaxDecision+1)}
	if _, err := r.A.Decide(t.Context(), state.Decision{Kind: kind, Name: "c"}, large); err == nil {
		t.Error("a decision that is too large was stored")
	}
	if got, _ := held(t, r.B, kind); len(got) != 2 {
		t.Errorf("a part of what was refused is held: %+v", got)
	}
}

func refusesLarge(t *testing.T, r Replicas) {
	const kind = "large"
	largest := bytes.Repeat([]byte("x"), state.MaxDecision)
	decide(t, r.A, kind, "largest", string(largest))
	if got, _ := held(t, r.B, kind); !bytes.Equal(got["largest"].Content, largest) {
		t.Errorf("the largest decision came back with %d bytes", len(got["largest"].Content))
	}
	_, err := r.A.Decide(t.Context(), state.Decision{Kind: kind, Name: "larger", Content: append(largest, 'x')})
	if !errors.Is(err, state.ErrLarge) {
		t.Errorf("a larger one gave %v", err)
	}
}

func cancelled(t *testing.T, r Replicas) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.A.Decide(ctx, state.Decision{Kind: "cancelled", Name: "a"}); err == nil {
		t.Error("it decided")
	}
	if _, _, err := r.A.All(ctx); err == nil {
		t.Error("it listed")
	}
	if got, _ := held(t, r.B, "cancelled"); len(got) != 0 {
		t.Errorf("%+v is held", got)
	}
}

func restores(t *testing.T, r Replicas) {
	const kind = "restored"
	decide(t, r.A, kind, "first", "1")
	last := decide(t, r.A, kind, "second", "2")
	all, before, err := r.A.All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.Forget()
	if got, version, err := r.A.All(t.Context()); err != nil || len(got) != 0 || version != "" {
		t.Fatalf("after the loss, %v is held with the version %q, %v", got, version, err)
	}
	if err := r.A.Restore(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	got, version := held(t, r.B, kind)
	if len(got) != 2 || got["second"].Turn != last.Turn || version == before || version == "" {
		t.Errorf("%+v is held with the version %q, before %q", got, version, before)
	}
	if next := decide(t, r.B, kind, "third", "3"); next.Turn <= last.Turn {
		t.Errorf("the next turn is %d, after %d", next.Turn, last.Turn)
	}
}
