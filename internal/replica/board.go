package replica

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/state"
)

// BoardFile is the name of the board's file in the data directory.
const BoardFile = "decisions.json"

// settling is how long Decide waits for a store that accepts no decisions yet, because it has lost its data and the
// replicas have not restored it.
const settling = 5 * time.Second

// Reader is a part of the program that acts on the decisions of one kind.
type Reader struct {
	// Adopt applies decisions, in their order. It must tolerate decisions that it has already applied. It must
	// not call the board.
	Adopt func([]state.Decision)
	// Known is called once, when the board opens, with the decisions that were applied in an earlier run. It
	// may be nil.
	Known func([]state.Decision)
	// Before returns what this replica decided before it joined the group. The board publishes the refusals, and those
	// of the others about which the group has no decision. It may be nil.
	Before func() (refusals, others []state.Decision)
}

// Board keeps this replica's copy of the decisions that all replicas hold, and has them applied in the same
// order on each replica. It writes the copy to a file, so that the replicas can restore what the store loses.
// It is safe for concurrent use.
type Board struct {
	store   state.Decisions
	path    string
	readers map[string]Reader // by kind

	mu      sync.Mutex
	joined  bool // this replica has read the group's decisions at least once
	version string
	synced  bool                     // version is valid
	held    map[about]state.Decision // decisions that were applied
	waiting []state.Decision         // refusals that the store does not have yet
}

// about identifies what was decided about.
type about struct{ kind, name string }

// board is the file.
type board struct {
	Version int              `json:"version"`
	Held    []state.Decision `json:"decisions"`
	Waiting []state.Decision `json:"waiting,omitempty"`
}

// boardForm is the version of the file format.
const boardForm = 1

// OpenBoard opens this replica's copy of the decisions. It does not connect to the store; see [Board.Sync].
func OpenBoard(store state.Decisions, path string, readers map[string]Reader) (*Board, error) {
	b := &Board{
		store:   store,
		path:    path,
		readers: readers,
		held:    map[about]state.Decision{},
	}
	raw, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return b, nil
	case err != nil:
		return nil, fmt.Errorf("reading the decisions that the replicas share: %w", err)
	}
	var f board
	err = atomicfile.CheckForm(raw, boardForm)
	if err == nil {
		err = json.Unmarshal(raw, &f)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be used (%w): move the file away; this replica then reads the decisions from the state store", path, err)
	}
	b.joined = true
	for _, d := range f.Held {
		b.held[about{d.Kind, d.Name}] = d
	}
	b.waiting = f.Waiting
	for kind, ds := range byKind(f.Held) {
		if known := readers[kind].Known; known != nil {
			known(ds)
		}
	}
	b.adopt(f.Waiting) // a crash may have come between writing and applying them
	return b, nil
}

func byKind(ds []state.Decision) map[string][]state.Decision {
	out := map[string][]state.Decision{}
	for _, d := range ds {
		out[d.Kind] = append(out[d.Kind], d)
	}
	return out
}

// Decide publishes decisions and applies them here. If it fails, nothing is decided.
func (b *Board) Decide(ctx context.Context, ds ...state.Decision) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.flush(ctx); err != nil { // else an earlier refusal would replace this decision
		return err
	}
	return b.decide(ctx, ds)
}

// Refuse applies refusals here at once, and publishes them as soon as the store can be reached.
func (b *Board) Refuse(ctx context.Context, ds ...state.Decision) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(b.waiting, ds...)
	b.write()
	b.adopt(ds)
	if err := b.flush(ctx); err != nil {
		slog.Error("a refusal holds on this replica alone until the state store can be reached", "error", err)
	}
}

// decide publishes and applies decisions. The caller holds the lock.
func (b *Board) decide(ctx context.Context, ds []state.Decision) error {
	ctx, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	done, err := b.store.Decide(ctx, ds...)
	for errors.Is(err, state.ErrUnsettled) && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-time.After(pause):
			done, err = b.store.Decide(ctx, ds...)
		}
	}
	if err != nil {
		return err
	}
	b.synced = false // the store's version is another one now
	b.take(done)
	return nil
}

// flush publishes the waiting refusals. The caller holds the lock.
func (b *Board) flush(ctx context.Context) error {
	if len(b.waiting) == 0 {
		return nil
	}
	waiting := b.waiting
	if err := b.decide(ctx, waiting); err != nil {
		return err
	}
	b.waiting = nil
	b.write()
	return nil
}

// take applies decisions and keeps them. The caller holds the lock.
func (b *Board) take(ds []state.Decision) {
	var fresh []state.Decision
	for _, d := range ds {
		if old, ok := b.held[about{d.Kind, d.Name}]; ok && !newer(d, old) {
			continue
		}
		fresh = append(fresh, d)
	}
	if len(fresh) == 0 {
		return
	}
	b.adopt(fresh)
	for _, d := range fresh {
		b.held[about{d.Kind, d.Name}] = d
	}
	b.write()
}

// newer reports whether a replaces b. Equal turns with different contents are possible if the store lost its
// last writes: then all replicas choose the same one.
func newer(a, b state.Decision) bool {
	return a.Turn > b.Turn || a.Turn == b.Turn && bytes.Compare(a.Content, b.Content) > 0
}

// adopt passes decisions to their readers. The caller holds the lock.
func (b *Board) adopt(ds []state.Decision) {
	for kind, of := range byKind(ds) {
		if r, ok := b.readers[kind]; ok {
			r.Adopt(of)
		}
	}
}

// write replaces the file. If that fails, a restarted replica reads the decisions from the store again. The
// caller holds the lock.
func (b *Board) write() {
	b.joined = true
	f := board{Version: boardForm, Held: slices.Collect(maps.Values(b.held)), Waiting: b.waiting}
	slices.SortFunc(f.Held, func(a, b state.Decision) int {
		return cmp.Or(cmp.Compare(a.Turn, b.Turn), cmp.Compare(a.Name, b.Name))
	})
	raw, err := json.Marshal(f)
	if err == nil {
		err = atomicfile.WriteBytes(b.path, 0o600, raw)
	}
	if err != nil {
		slog.Error("the decisions that the replicas share could not be written to a file", "file", b.path, "error", err)
	}
}

// Sync applies what other replicas have decided, and restores what the store has lost. Version is the store's
// version of the decisions; if this replica has it already, Sync does nothing.
func (b *Board) Sync(ctx context.Context, version string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.synced && b.joined && version == b.version && len(b.waiting) == 0 {
		return nil
	}
	first := !b.joined
	there, now, err := b.store.All(ctx)
	if err != nil {
		return err
	}
	if first {
		if err := b.join(ctx, there); err != nil {
			return err
		}
		if there, now, err = b.store.All(ctx); err != nil {
			return err
		}
	}
	known := map[about]state.Decision{}
	for _, d := range there {
		known[about{d.Kind, d.Name}] = d
	}
	var lost []state.Decision
	for k, d := range b.held {
		if other, ok := known[k]; !ok || d.Turn > other.Turn {
			lost = append(lost, d)
		}
	}
	b.take(there)
	if len(lost) > 0 {
		slices.SortFunc(lost, func(a, b state.Decision) int { return cmp.Compare(a.Turn, b.Turn) })
		if err := b.store.Restore(ctx, lost); err != nil {
			return err
		}
		slog.Warn("this replica has restored decisions that the state store had lost", "count", len(lost))
	}
	if err := b.flush(ctx); err != nil {
		return err
	}
	if len(lost) == 0 && b.joined {
		b.version, b.synced = now, true
	}
	return nil
}

// join publishes what this replica decided before it joined the group. The caller holds the lock.
func (b *Board) join(ctx context.Context, there []state.Decision) error {
	known := map[about]bool{}
	for _, d := range there {
		known[about{d.Kind, d.Name}] = true
	}
	var mine []state.Decision
	for _, kind := range slices.Sorted(maps.Keys(b.readers)) {
		if b.readers[kind].Before == nil {
			continue
		}
		refusals, others := b.readers[kind].Before()
		mine = append(mine, refusals...)
		for _, d := range others {
			if !known[about{d.Kind, d.Name}] {
				mine = append(mine, d)
			}
		}
	}
	if len(mine) > 0 {
		if err := b.decide(ctx, mine); err != nil {
			return err
		}
	}
	b.write()
	return nil
}
