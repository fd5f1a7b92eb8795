package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"mcpproxy"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/state/sealed"
)

// flowState keeps the flow sessions over restarts: in <data_dir>/flow.state,
// sealed with the key in <data_dir>/state.key. A daemon that cannot write works
// on without.
type flowState struct {
	path    string
	key     []byte // nil when there is none: nothing is kept
	tracker *flow.Tracker
	saved   uint64 // the tracker's changes that are in the file
}

const (
	// stateEvery is the time between two snapshots, and so what a crash can lose.
	stateEvery = 3 * time.Second
	// stateShare bounds the time that goes into snapshots, to one part in so many.
	stateShare = 50
)

// newFlowState finds the key.
func newFlowState(dir string, t *flow.Tracker) *flowState {
	key, err := sealed.Key(filepath.Join(dir, "state.key"))
	if err != nil {
		slog.Error("flow sessions will not survive a restart", "error", err)
		key = nil
	}
	return &flowState{path: filepath.Join(dir, "flow.state"), key: key, tracker: t}
}

// load takes up the sessions of an earlier run. A file that cannot be used is
// as good as none.
func (f *flowState) load() {
	if f.key == nil {
		return
	}
	err := sealed.Read(f.path, f.key, f.tracker.Load)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		slog.Warn("the flow sessions of the last run are lost; data is followed from now on", "file", f.path, "error", err)
	}
}

// save writes the sessions unless nothing has changed. It reports whether the
// file says how things are.
func (f *flowState) save() bool {
	if f.key == nil {
		return false
	}
	now := f.tracker.Changes()
	if now == f.saved {
		return true
	}
	if err := sealed.Write(f.path, f.key, f.tracker.Save); err != nil {
		slog.Error("the flow sessions could not be saved", "file", f.path, "error", err)
		return false
	}
	f.saved = now
	return true
}

// keep saves again and again until ctx ends. Large sessions are saved less often.
func (f *flowState) keep(ctx context.Context) {
	for pause := stateEvery; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		start := time.Now()
		f.save()
		pause = max(stateEvery, stateShare*time.Since(start))
	}
}

// resume takes up the sessions of the last run. Those that nobody has used for
// too long have ended meanwhile.
func (d *daemon) resume(idle time.Duration) {
	d.state.load()
	for key, s := range d.sessions.All() {
		if time.Since(s.Summary().Last) >= idle {
			d.sessions.End(key)
		}
	}
}

// summarized reports whether the log has the summary of a session already: it
// ended just before a crash, and the file did not hear of it any more.
func (d *daemon) summarized(key string, last time.Time) bool {
	n, err := d.store.Count(context.Background(), ledger.Filter{Types: []mcpproxy.RecordType{mcpproxy.RecordFlowSummary}, Session: key, Start: last})
	return err == nil && n > 0
}

// sessionEnded writes what a flow session came to.
func (d *daemon) sessionEnded(key string, s *flow.Session) {
	if d.scripts != nil {
		d.scripts.Forget(key)
	}
	sum, report := d.tracker.Ended(key, s)
	if !report || d.summarized(key, sum.Last) {
		return
	}
	r := systemRecord(mcpproxy.RecordFlowSummary, "", map[string]any{"summary": sum})
	r.FlowSessionID = key
	for level := range sum.Risk {
		if level.Rank() > r.RiskLevel.Rank() {
			r.RiskLevel = level
		}
	}
	if sum.FlowType[mcpproxy.InternalToExternal] > 0 {
		r.FlowType = mcpproxy.InternalToExternal
	}
	if strings.HasPrefix(key, flow.HookPrefix) {
		r.CoverageMode = mcpproxy.CoverageFull
	}
	d.log.Add(r)
	d.events.Publish("activity.flow_summary.completed", map[string]any{"session": key, "summary": sum})
}

// leaveSessions is the end of the daemon for the flow sessions: they go on after
// a restart. Where they cannot be saved they end here.
func (d *daemon) leaveSessions() {
	d.sessions.Close()
	if d.state.save() {
		return
	}
	for key := range d.sessions.All() {
		d.sessions.End(key)
	}
}
