package replica_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"mcpproxy/internal/replica"
	"mcpproxy/internal/state"
	"mcpproxy/internal/state/memory"
)

// flakyStore is a store that can be made unreachable.
type flakyStore struct {
	memory.Decisions
	mu   sync.Mutex
	away bool
}

var errAway = errors.New("the store is away")

func (s *flakyStore) set(away bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = away
}

func (s *flakyStore) fault() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return errAway
	}
	return nil
}

func (s *flakyStore) Decide(ctx context.Context, ds ...state.Decision) ([]state.Decision, error) {
	if err := s.fault(); err != nil {
		return nil, err
	}
	return s.Decisions.Decide(ctx, ds...)
}

func (s *flakyStore) All(ctx context.Context) ([]state.Decision, string, error) {
	if err := s.fault(); err != nil {
		return nil, "", err
	}
	return s.Decisions.All(ctx)
}

// member is a replica that stores the decisions about names, as text.
type member struct {
	t      *testing.T
	store  *flakyStore
	board  *replica.Board
	path   string
	before map[string]string // decided before it joined: no, or anything else

	mu    sync.Mutex
	holds map[string]string
}

func join(t *testing.T, store *flakyStore, path string, before map[string]string) *member {
	t.Helper()
	m := &member{
		t:      t,
		store:  store,
		path:   path,
		before: before,
		holds:  maps.Clone(before),
	}
	if m.holds == nil {
		m.holds = map[string]string{}
	}
	adopt := func(ds []state.Decision) {
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, d := range ds {
			m.holds[d.Name] = string(d.Content)
		}
	}
	var err error
	m.board, err = replica.OpenBoard(store, path, map[string]replica.Reader{"tool": {
		Adopt: adopt,
		Known: adopt,
		Before: func() (no, others []state.Decision) {
			for name, what := range m.before {
				if what == "no" {
					no = append(no, about(name, what))
				} else {
					others = append(others, about(name, what))
				}
			}
			return no, others
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func about(name, what string) state.Decision {
	return state.Decision{Kind: "tool", Name: name, Content: []byte(what)}
}

// sync does the same as a heartbeat.
func (m *member) sync() {
	m.t.Helper()
	_, version, err := m.store.All(m.t.Context())
	if err == nil {
		err = m.board.Sync(m.t.Context(), version)
	}
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *member) decide(name, what string) error {
	return m.board.Decide(m.t.Context(), about(name, what))
}

func (m *member) refuse(name string) { m.board.Refuse(m.t.Context(), about(name, "no")) }

// state returns the current decisions, sorted by name.
func (m *member) state() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for _, name := range slices.Sorted(maps.Keys(m.holds)) {
		out = append(out, name+"="+m.holds[name])
	}
	return strings.Join(out, " ")
}

func (m *member) want(when, want string) {
	m.t.Helper()
	if got := m.state(); got != want {
		m.t.Errorf("%s, %q holds; want %q", when, got, want)
	}
}

// group returns two replicas with a store.
func group(t *testing.T) (*flakyStore, *member, *member) {
	t.Helper()
	s := &flakyStore{}
	a := join(t, s, filepath.Join(t.TempDir(), replica.BoardFile), nil)
	b := join(t, s, filepath.Join(t.TempDir(), replica.BoardFile), nil)
	a.sync()
	b.sync()
	return s, a, b
}

func TestADecisionHoldsOnAllReplicas(t *testing.T) {
	t.Parallel()
	_, a, b := group(t)
	if err := a.decide("read", "yes"); err != nil {
		t.Fatal(err)
	}
	a.want("at once on the replica that decided", "read=yes")
	b.sync()
	b.want("on the other", "read=yes")
	b.refuse("read")
	a.sync()
	a.want("after a refusal on the other", "read=no")
}

func TestDuringAnOutageARefusalHoldsAtOnceAndAnApprovalFails(t *testing.T) {
	t.Parallel()
	s, a, b := group(t)
	if err := a.decide("read", "yes"); err != nil {
		t.Fatal(err)
	}
	s.set(true)
	if err := a.decide("write", "yes"); !errors.Is(err, errAway) {
		t.Errorf("an approval gave %v", err)
	}
	a.refuse("read")
	a.want("during the outage", "read=no")
	again := join(t, s, a.path, nil) // it is killed and started before the store is back
	again.want("after a restart during the outage", "read=no")
	s.set(false)
	again.sync()
	b.sync()
	b.want("on the other replica after the outage", "read=no")
	if err := b.decide("read", "yes"); err != nil {
		t.Fatal(err)
	}
	again.sync()
	again.want("after a person has approved again", "read=yes")
	again = join(t, s, a.path, nil)
	again.want("after another restart", "read=yes")
}

func TestAStoreThatLostItsDataGetsTheDecisionsBack(t *testing.T) {
	t.Parallel()
	s, a, b := group(t)
	for i := range 5 {
		if err := a.decide(fmt.Sprint("t", i), "yes"); err != nil {
			t.Fatal(err)
		}
	}
	b.sync()
	b.refuse("t0")
	a.sync()
	s.Decisions = memory.Decisions{}
	old := join(t, s, a.path, nil) // the replica has all decisions in its file
	old.sync()
	b.sync()
	all, _, err := s.All(t.Context())
	if err != nil || len(all) != 5 || all[4].Name != "t0" || string(all[4].Content) != "no" {
		t.Errorf("the store has %+v, %v", all, err)
	}
	fresh := join(t, s, filepath.Join(t.TempDir(), replica.BoardFile), nil)
	fresh.sync()
	fresh.want("on a new replica", b.state())
}

func TestAReplicaThatWasAwayDoesNotBringBackWhatWasRefusedSince(t *testing.T) {
	t.Parallel()
	s, a, b := group(t)
	if err := a.decide("read", "yes"); err != nil {
		t.Fatal(err)
	}
	b.sync()
	// Replica a stops. Meanwhile the store loses all data, and the tool is refused.
	s.Decisions = memory.Decisions{}
	b.sync()
	b.refuse("read")
	back := join(t, s, a.path, nil)
	back.want("before it reads the store", "read=yes")
	back.sync()
	back.want("after that", "read=no")
	b.sync()
	b.want("on the other", "read=no")
}

func TestANewReplicaPublishesWhatItDecidedBefore(t *testing.T) {
	t.Parallel()
	s, a, _ := group(t)
	if err := a.decide("read", "yes"); err != nil {
		t.Fatal(err)
	}
	if err := a.decide("list", "no"); err != nil {
		t.Fatal(err)
	}
	c := join(t, s, filepath.Join(t.TempDir(), replica.BoardFile),
		map[string]string{"read": "no", "list": "yes", "own": "yes"})
	c.sync()
	a.sync()
	const want = "list=no own=yes read=no"
	c.want("on the new replica, where refusals outweigh approvals", want)
	a.want("on the old one", want)
}

func TestReplicasThatDecideAtOnceAgree(t *testing.T) {
	t.Parallel()
	_, a, b := group(t)
	var wg sync.WaitGroup
	for who, m := range map[string]*member{"a": a, "b": b} {
		for range 2 {
			wg.Go(func() {
				for i := range 50 {
					if err := m.decide(fmt.Sprint("t", i%3), who+fmt.Sprint(i)); err != nil {
						t.Error(err)
					}
					if i%5 == 0 {
						m.sync()
					}
				}
			})
		}
	}
	wg.Wait()
	a.sync()
	b.sync()
	a.want("at the end", b.state())
}

func TestADamagedFileIsNotTakenForAnEmptyOne(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), replica.BoardFile)
	for name, raw := range map[string]string{"half a file": `{"version":1,"decisions":[`, "a newer form": `{"version":2}`} {
		if err := os.WriteFile(path, []byte(raw), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := replica.OpenBoard(&memory.Decisions{}, path, nil); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}
