package replica

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"mcpproxy/internal/flow"
	"mcpproxy/internal/state/valkey"
)

// Options are the settings and callbacks of a group.
type Options struct {
	Local bool                  // serve calls while the store cannot be reached
	Key   func() string         // returns the API key, for forwarding requests that came over the owner's socket
	Kill  func(valkey.Kill)     // called with the state of the shared kill switch; it must not call the group
	Gap   func(until time.Time) // called when the sessions of a principal become incomplete

	// Decided is called with the version of the shared decisions before a call is decided; see [Board.Sync].
	Decided func(ctx context.Context, version string) error
	// Answers returns what people have answered in the sessions of a principal. The group keeps it with the sessions.
	Answers Answers
}

// Answers are the remembered answers of people in the sessions of principals.
type Answers interface {
	// Versions returns the sessions of a principal with remembered answers. A version changes with the answers.
	Versions(principal string) map[string]uint64
	Save(principal, session string) (raw []byte, version uint64, err error)
	// Take replaces the answers of a principal by those that another replica has saved.
	Take(principal string, saved map[string][]byte) error
	// Dismiss forgets the answers of a principal that another replica serves, and withdraws its questions.
	Dismiss(principal string)
}

// answersOf is the prefix of the keys under which the store keeps the answers of sessions.
const answersOf = "answers\x00"

// Group represents this replica in the group of replicas. It is safe for concurrent use.
type Group struct {
	store   *valkey.Store
	tracker *flow.Tracker
	options Options
	forward http.RoundTripper

	mu    sync.Mutex
	held  map[string]*held // by principal
	fault *Fault
}

// Fault describes an outage of the shared store.
type Fault struct {
	Since time.Time
	Err   error
	Local bool // calls are served during the outage
}

// Error returns the cause of the outage and what happens to calls until it ends.
func (f *Fault) Error() string {
	if f.Local {
		return f.Err.Error() + "; this replica serves calls from the sessions that it has in memory (state.on_outage)"
	}
	return f.Err.Error() + "; calls are denied until the store can be reached again (state.on_outage)"
}

// held is the state of one principal from which this replica has received requests.
type held struct {
	mu       sync.Mutex
	epoch    uint64            // of this replica's ownership; 0 if another replica owns the principal
	saved    map[string]uint64 // session key to the version that is in the store
	stored   *valkey.Written   // what the last commit has written; nil if the next one must write everything
	sizes    map[string]int    // of the contents that were written last, by session key
	lost     time.Time         // the time until which the sessions are marked as incomplete
	unsynced bool              // this replica served the principal without the store
}

// New returns this replica's group. Replicas that use the same store are in the same group.
func New(store *valkey.Store, tracker *flow.Tracker, o Options) *Group {
	return &Group{
		store:   store,
		tracker: tracker,
		options: o,
		forward: transport(),
		held:    map[string]*held{},
	}
}

// Fault returns the current outage of the store, or nil if the store works.
func (g *Group) Fault() *Fault {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fault
}

// Keep sends heartbeats to the store until ctx ends.
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

// beat sends one heartbeat. If the store has lost its data or an outage has ended, beat claims the principals of this
// replica again.
func (g *Group) beat(ctx context.Context) error {
	now, wiped, err := g.store.Beat(ctx)
	if err == nil {
		g.options.Kill(now.Kill)
		err = g.options.Decided(ctx, now.Decided)
	}
	ended := g.noteResult(ctx, err)
	if err != nil {
		return err
	}
	if wiped {
		slog.Error("THE STATE STORE HAS LOST ITS DATA; each replica writes the sessions that it has in memory again")
	}
	if wiped || ended {
		g.comeBack(ctx)
	}
	return nil
}

// noteResult updates g.fault with the result of a command. It reports whether this result ends an outage.
func (g *Group) noteResult(ctx context.Context, err error) (ended bool) {
	if err != nil && ctx.Err() != nil { // the client disconnected, or the daemon is stopping
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case err == nil && g.fault != nil:
		slog.Warn("the state store works again", "outage", time.Since(g.fault.Since).Round(time.Millisecond))
		g.fault = nil
		return true
	case err != nil && g.fault == nil:
		g.fault = &Fault{Since: time.Now(), Err: err, Local: g.options.Local}
		slog.Error("THE STATE STORE DOES NOT WORK: " + g.fault.Error())
	}
	return false
}

// comeBack claims the principals that this replica owned again, and marks those that it served during an outage as
// incomplete.
func (g *Group) comeBack(ctx context.Context) {
	g.mu.Lock()
	all := maps.Clone(g.held)
	g.mu.Unlock()
	for _, principal := range slices.Sorted(maps.Keys(all)) {
		h := all[principal]
		h.mu.Lock()
		var err error
		if h.unsynced {
			if err = g.store.Lose(ctx, principal); err == nil {
				h.unsynced = false
			}
			if h.epoch == 0 {
				g.dismiss(principal)
			}
		}
		if err == nil && h.epoch > 0 {
			_, err = g.claim(ctx, principal, h)
		}
		h.mu.Unlock()
		if err != nil {
			slog.Error("cannot write the sessions of a principal to the state store again", "principal", principal, "error", err)
		}
	}
}

// of returns the state of a principal. It adds the principal if it is new.
func (g *Group) of(principal string) *held {
	g.mu.Lock()
	defer g.mu.Unlock()
	h := g.held[principal]
	if h == nil {
		h = &held{sizes: map[string]int{}}
		g.held[principal] = h
	}
	return h
}

// claim claims a principal. Depending on the store's answer, it loads the principal's sessions, writes them again, or
// discards them. The caller holds h.mu.
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
		h.epoch = c.Epoch
		h.saved, h.stored = nil, nil
		if err := g.commit(ctx, principal, h); err != nil {
			return c, err
		}
	case valkey.Other:
		if h.epoch > 0 {
			g.dismiss(principal)
		}
		h.epoch = 0
		h.saved, h.stored = nil, nil
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

// dismiss discards what this replica has in memory about a principal that another replica serves.
func (g *Group) dismiss(principal string) {
	g.tracker.Dismiss(principal)
	g.options.Answers.Dismiss(principal)
}

// versions returns the sessions and the answers of a principal by their keys in the store.
func (g *Group) versions(principal string) map[string]uint64 {
	out := g.tracker.Versions(principal)
	for session, version := range g.options.Answers.Versions(principal) {
		out[answersOf+session] = version
	}
	return out
}

// take loads a principal's sessions from the store. If they cannot be read, take marks them as incomplete.
func (g *Group) take(ctx context.Context, principal string, h *held) error {
	saved, err := g.store.Load(ctx, principal)
	if err != nil && !errors.Is(err, valkey.ErrForeign) {
		return err
	}
	answers := map[string][]byte{}
	for key, raw := range saved {
		if session, ok := strings.CutPrefix(key, answersOf); ok {
			answers[session] = raw
			delete(saved, key)
		}
	}
	if unread := g.options.Answers.Take(principal, answers); unread != nil {
		slog.Error("people are asked again what they have answered in a principal's sessions", "principal", principal, "error", unread)
	}
	if err == nil {
		err = g.tracker.Take(principal, saved)
	}
	if err != nil {
		slog.Error("cannot read the sessions of a principal that another replica has written", "principal", principal,
			"error", err)
		h.lost = time.Now().Add(lostFor)
		g.incomplete(principal, h.lost)
	}
	h.saved, h.stored = g.versions(principal), nil
	return nil
}

// lostFor is the time for which sessions that cannot be read are marked as incomplete.
const lostFor = time.Hour

// incomplete marks the sessions of a principal as incomplete. Until then, the gate treats what the principal sends to
// external destinations as internal data.
func (g *Group) incomplete(principal string, until time.Time) {
	if !until.After(time.Now()) {
		return
	}
	g.tracker.LosePrincipal(principal, flow.Loss{Time: time.Now().UTC(), Until: until})
	slog.Warn("the sessions of a principal are incomplete; its calls to external destinations are treated as if they "+
		"carried internal data", "principal", principal, "until", until)
	if g.options.Gap != nil {
		g.options.Gap(until)
	}
}

// commit writes the sessions of a principal that have changed to the store, and removes those that have ended. The
// caller holds h.mu.
func (g *Group) commit(ctx context.Context, principal string, h *held) error {
	now := g.versions(principal)
	if h.saved != nil && maps.Equal(now, h.saved) || len(now)+len(h.saved) == 0 {
		return nil
	}
	err := g.write(ctx, principal, h, now)
	if errors.Is(err, valkey.ErrStale) {
		slog.Warn("the state store has lost the last changes of a principal, which are written again", "principal", principal)
		err = g.write(ctx, principal, h, now)
	}
	return err
}

// write writes what has changed, or everything if it is unknown what the store has.
func (g *Group) write(ctx context.Context, principal string, h *held, now map[string]uint64) error {
	before := h.stored
	h.stored = nil // until the store has confirmed
	changes := valkey.Changes{Saved: map[string][]byte{}}
	saved := map[string]uint64{}
	for key, version := range now {
		if old, ok := h.saved[key]; ok && old == version && before != nil {
			saved[key] = old
			continue
		}
		body, version, err := g.save(principal, key, h.sizes[key])
		if err != nil {
			return err
		}
		changes.Saved[key], saved[key] = body, version
		h.sizes[key] = len(body)
	}
	for key := range h.saved {
		if _, ok := now[key]; !ok {
			delete(h.sizes, key)
			changes.Ended = append(changes.Ended, key)
		}
	}
	written, err := g.store.Commit(ctx, principal, h.epoch, before, changes)
	if err != nil {
		return err
	}
	h.saved, h.stored = saved, written
	return nil
}

// errEnded is returned if a session ends before commit can save it.
var errEnded = errors.New("the session ended before its answer was sent")

// save returns the content of a session or of its answers, and its version. Size is that of the last content, or 0.
func (g *Group) save(principal, key string, size int) ([]byte, uint64, error) {
	if session, ok := strings.CutPrefix(key, answersOf); ok {
		raw, version, err := g.options.Answers.Save(principal, session)
		if err != nil {
			return nil, 0, fmt.Errorf("%w: %w", errEnded, err)
		}
		return raw, version, nil
	}
	body := make(writer, 0, size+size/16+1<<10)
	version, err := g.tracker.SaveSession(&body, principal, key)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: %w", errEnded, err)
	}
	return body, version, nil
}

// writer appends what is written to it to a byte slice.
type writer []byte

func (w *writer) Write(p []byte) (int, error) {
	*w = append(*w, p...)
	return len(p), nil
}

// SetKill turns the kill switch of all replicas on or off. By names the person who did it.
func (g *Group) SetKill(on bool, by string) error {
	_, err := g.store.SetKill(context.Background(), on, by)
	return err
}

// Close leaves the group. Other replicas can claim the principals of this one at once.
func (g *Group) Close() { g.store.Close() }
