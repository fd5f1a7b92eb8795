package memory

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"sync"

	"mcpproxy/internal/state"
)

// Decisions is a state.Decisions in memory, for replicas in one process.
type Decisions struct {
	mu      sync.Mutex
	all     map[about]state.Decision
	turn    uint64
	version int
}

// about identifies what was decided about.
type about struct{ kind, name string }

// Decide stores decisions.
func (s *Decisions) Decide(ctx context.Context, ds ...state.Decision) ([]state.Decision, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, d := range ds {
		if len(d.Content) > state.MaxDecision {
			return nil, state.ErrLarge
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Clone(ds)
	for i := range out {
		out[i].Turn = s.turn + 1
		s.put(out[i])
	}
	if len(ds) > 0 {
		s.version++
	}
	return out, nil
}

// put stores a decision. The caller holds the lock.
func (s *Decisions) put(d state.Decision) {
	if s.all == nil {
		s.all = map[about]state.Decision{}
	}
	d.Content = slices.Clone(d.Content)
	s.all[about{d.Kind, d.Name}] = d
	s.turn = max(s.turn, d.Turn)
}

// All returns the decisions in the order of their turns.
func (s *Decisions) All(ctx context.Context) (ds []state.Decision, version string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.all {
		d.Content = slices.Clone(d.Content)
		ds = append(ds, d)
	}
	slices.SortFunc(ds, func(a, b state.Decision) int { return cmp.Compare(a.Turn, b.Turn) })
	if s.version > 0 {
		version = strconv.Itoa(s.version)
	}
	return ds, version, nil
}

// Restore stores decisions with the turns that they have.
func (s *Decisions) Restore(ctx context.Context, ds []state.Decision) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range ds {
		if old, ok := s.all[about{d.Kind, d.Name}]; !ok || old.Turn < d.Turn {
			s.put(d)
		}
	}
	s.version++
	return nil
}
