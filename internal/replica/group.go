package replica

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"mcpproxy/internal/flow"
	"mcpproxy/internal/state/valkey"
)

// Options are what a group needs beside the store.
type Options struct {
	Local bool                  // calls go on while the store cannot be reached
	Key   func() string         // the API key, which requests over the owner's socket are sent on with
	Kill  func(valkey.Kill)     // hears what the shared kill switch is; it must not call the group
	Gap   func(until time.Time) // hears that the sessions of a principal are incomplete
}

// Group is one replica's part in a group. It is safe for concurrent use.
type Group struct {
	store   *valkey.Store
	tracker *flow.Tracker
	options Options
	forward http.RoundTripper

	mu    sync.Mutex
	held  map[string]*held // by principal
	fault *Fault
}

// Fault says that the shared store cannot be used.
type Fault struct {
	Since time.Time
	Err   error
	Local bool // calls go on all the same
}

// Error says what the fault means for calls.
func (f *Fault) Error() string {
	if f.Local {
		return f.Err.Error() + "; calls go on with what this replica knows itself (state.on_outage)"
	}
	return f.Err.Error() + "; calls are denied until it can be reached again (state.on_outage)"
}

// held is a principal that requests have come for.
type held struct {
	mu     sync.Mutex
	epoch  uint64            // 0 if another replica owns it
	saved  map[string]uint64 // versions of the sessions that are in the store
	lost   time.Time         // until when its sessions are marked as incomplete
	adrift bool              // it was served without the store
}

// New returns a replica's part in the group that uses a store.
func New(store *valkey.Store, tracker *flow.Tracker, o Options) *Group {
	return &Group{
		store:   store,
		tracker: tracker,
		options: o,
		forward: transport(),
		held:    map[string]*held{},
	}
}

// Fault returns why the store cannot be used; nil while it can.
func (g *Group) Fault() *Fault {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fault
}

// Keep says again and again that this replica is there, until ctx ends.
func (g *Group) Keep(ctx context.Context) {
	tick := time.NewTicker(valkey.Every)
	defer tick.Stop()
	for {
		_ = g.beat(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// beat says that this replica is there, and claims again what it owns if the store has forgotten that.
func (g *Group) beat(ctx context.Context) error {
	kill, wiped, err := g.store.Beat(ctx)
	healed := g.heard(ctx, err)
	if err != nil {
		return err
	}
	g.options.Kill(kill)
	if wiped {
		slog.Error("THE STATE STORE HAS FORGOTTEN EVERYTHING; each replica writes down again what it knows")
	}
	if wiped || healed {
		g.comeBack(ctx)
	}
	return nil
}

// heard keeps whether the store can be used. It reports whether it can again.
func (g *Group) heard(ctx context.Context, err error) (healed bool) {
	if err != nil && ctx.Err() != nil { // the caller left, or the daemon stops
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case err == nil && g.fault != nil:
		slog.Warn("the state store can be used again", "after", time.Since(g.fault.Since).Round(time.Millisecond))
		g.fault = nil
		return true
	case err != nil && g.fault == nil:
		g.fault = &Fault{Since: time.Now(), Err: err, Local: g.options.Local}
		slog.Error("THE STATE STORE CANNOT BE USED: " + g.fault.Error())
	}
	return false
}

// comeBack claims every principal again that this replica has served.
func (g *Group) comeBack(ctx context.Context) {
	g.mu.Lock()
	all := maps.Clone(g.held)
	g.mu.Unlock()
	for _, principal := range slices.Sorted(maps.Keys(all)) {
		h := all[principal]
		h.mu.Lock()
		var err error
		if h.adrift {
			if err = g.store.Lose(ctx, principal); err == nil {
				h.adrift = false
			}
			if h.epoch == 0 {
				g.tracker.Dismiss(principal)
			}
		}
		if err == nil && h.epoch > 0 {
			_, err = g.claim(ctx, principal, h)
		}
		h.mu.Unlock()
		if err != nil {
			slog.Error("a principal's sessions could not be written down again", "principal", principal, "error", err)
		}
	}
}

// of returns what is known of a principal.
func (g *Group) of(principal string) *held {
	g.mu.Lock()
	defer g.mu.Unlock()
	h := g.held[principal]
	if h == nil {
		h = &held{}
		g.held[principal] = h
	}
	return h
}

// claim claims a principal, and takes over or drops its sessions. The caller holds the lock of h.
func (g *Group) claim(ctx context.Context, principal string, h *held) (valkey.Claim, error) {
	c, err := g.store.Claim(ctx, principal, h.epoch)
	if err != nil {
		return c, err
	}
	switch c.Standing {
	case valkey.Mine:
	case valkey.Fresh:
		if err := g.take(ctx, principal, h); err != nil {
			return c, err
		}
		h.epoch = c.Epoch
	case valkey.Kept:
		h.epoch, h.saved = c.Epoch, nil
		if err := g.commit(ctx, principal, h); err != nil {
			return c, err
		}
	case valkey.Other:
		if h.epoch > 0 {
			g.tracker.Dismiss(principal)
		}
		h.epoch, h.saved = 0, nil
		return c, nil
	default:
		return c, nil
	}
	if c.Lost.After(h.lost) {
		h.lost = c.Lost
		g.incomplete(principal, c.Lost)
	}
	return c, nil
}

// take takes over a principal's sessions. Those that cannot be read count as lost.
func (g *Group) take(ctx context.Context, principal string, h *held) error {
	saved, err := g.store.Load(ctx, principal)
	if err != nil && !errors.Is(err, valkey.ErrForeign) {
		return err
	}
	if err == nil {
		err = g.tracker.Take(principal, saved)
	}
	if err != nil {
		slog.Error("the sessions of a principal cannot be taken over from another replica", "principal", principal,
			"error", err)
		h.lost = time.Now().Add(lostFor)
		g.incomplete(principal, h.lost)
	}
	h.saved = g.tracker.Versions(principal)
	return nil
}

// lostFor is how long sessions that cannot be read count as incomplete.
const lostFor = time.Hour

// incomplete marks a principal: what its calls carry to external destinations counts as internal data.
func (g *Group) incomplete(principal string, until time.Time) {
	if !until.After(time.Now()) {
		return
	}
	g.tracker.LosePrincipal(principal, flow.Loss{Time: time.Now().UTC(), Until: until})
	slog.Warn("what a principal's sessions have read is not known in full; its calls to external destinations are "+
		"treated as if they carried internal data", "principal", principal, "until", until)
	if g.options.Gap != nil {
		g.options.Gap(until)
	}
}

// commit writes what a principal's sessions have become. The caller holds the lock of h.
func (g *Group) commit(ctx context.Context, principal string, h *held) error {
	now := g.tracker.Versions(principal)
	changes := valkey.Changes{Saved: map[string][]byte{}}
	saved := map[string]uint64{}
	for key, version := range now {
		if old, ok := h.saved[key]; ok && old == version {
			saved[key] = old
			continue
		}
		body, version, err := g.save(principal, key)
		if err != nil {
			return err
		}
		changes.Saved[key], saved[key] = body, version
	}
	for key := range h.saved {
		if _, ok := now[key]; !ok {
			changes.Ended = append(changes.Ended, key)
		}
	}
	if len(changes.Saved)+len(changes.Ended) == 0 {
		return nil
	}
	if err := g.store.Commit(ctx, principal, h.epoch, changes); err != nil {
		return err
	}
	h.saved = saved
	return nil
}

// errEnded says that a session ended while it was to be saved.
var errEnded = errors.New("a session ended while its answer was on the way")

func (g *Group) save(principal, key string) ([]byte, uint64, error) {
	var body writer
	version, err := g.tracker.SaveSession(&body, principal, key)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: %w", errEnded, err)
	}
	return body, version, nil
}

// writer gathers what is written to it.
type writer []byte

func (w *writer) Write(p []byte) (int, error) {
	*w = append(*w, p...)
	return len(p), nil
}

// SetKill turns the kill switch of all replicas.
func (g *Group) SetKill(on bool, by string) error {
	_, err := g.store.SetKill(context.Background(), on, by)
	return err
}

// Close leaves the group. Other replicas can claim what this one owned at once.
func (g *Group) Close() { g.store.Close() }
