package daemon

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"mcpproxy/internal/flow"
	"mcpproxy/internal/state/sealed"
)

// flowState keeps the flow sessions over restarts: in <data_dir>/flow.state,
// sealed with the key in <data_dir>/state.key. A daemon that cannot write works
// on without.
type flowState struct {
	path    string
	key     []byte // nil when there is none: nothing is kept
	tracker *flow.Tracker
	last    func() string // id of the last record in the activity log
	saved   uint64        // the tracker's changes that are in the file
	record  string        // the last record when the file was written
}

const (
	// stateEvery is the time between two snapshots, and so what a crash can lose.
	stateEvery = 3 * time.Second
	// stateShare bounds the time that goes into snapshots, to one part in so many.
	stateShare = 50
	// stateRate bounds what snapshots write, in bytes a second. A snapshot of 200 MB is
	// written once in 200 seconds. What a crash loses of it is known from the log.
	stateRate = 1 << 20
)

// newFlowState finds the key.
func newFlowState(dir string, t *flow.Tracker, last func() string) *flowState {
	key, err := sealed.Key(filepath.Join(dir, "state.key"))
	if err != nil {
		slog.Error("flow sessions will not survive a restart", "error", err)
		key = nil
	}
	return &flowState{
		path:    filepath.Join(dir, "flow.state"),
		key:     key,
		tracker: t,
		last:    last,
	}
}

// errNoKey says that snapshots are neither written nor read.
var errNoKey = errors.New("there is no key for the snapshot of the flow sessions")

// load takes up the sessions of an earlier run. The error is [fs.ErrNotExist] when there
// is no file.
func (f *flowState) load() (out flow.Loaded, err error) {
	if f.key == nil {
		return out, errNoKey
	}
	var written time.Time
	if info, err := os.Stat(f.path); err == nil {
		written = info.ModTime()
	}
	err = sealed.Read(f.path, f.key, func(r io.Reader) error {
		out, err = f.tracker.Load(r)
		return err
	})
	if out.Version == 0 { // it does not say when it was taken
		out.Time = written
	}
	return out, err
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
	return f.write(now)
}

// write writes a snapshot. Both the changes and the last record are read first: what
// happens while it is written may be missing from it.
func (f *flowState) write(changes uint64) bool {
	record := f.last()
	err := sealed.Write(f.path, f.key, func(w io.Writer) error { return f.tracker.Save(w, record) })
	if err != nil {
		slog.Error("the flow sessions could not be saved", "file", f.path, "error", err)
		return false
	}
	f.saved, f.record = changes, record
	return true
}

// close writes the last snapshot of a run. It says that nothing in the log came after
// it, also when no session has changed since the one before.
func (f *flowState) close() bool {
	if f.key == nil {
		return false
	}
	now := f.tracker.Changes()
	if now == f.saved && f.last() == f.record {
		return true
	}
	return f.write(now)
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
		pause = pauseAfter(time.Since(start), f.size())
	}
}

// pauseAfter is the time between a snapshot of some bytes, which took some time, and the
// next one.
func pauseAfter(took time.Duration, bytes int64) time.Duration {
	return max(stateEvery, stateShare*took, time.Duration(bytes)*time.Second/stateRate)
}

// size is the length of the file, in bytes; 0 when there is none.
func (f *flowState) size() int64 {
	info, err := os.Stat(f.path)
	if err != nil {
		return 0
	}
	return info.Size()
}
