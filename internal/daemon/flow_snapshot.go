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

// flowState keeps the flow sessions across restarts: in <data_dir>/flow.state, sealed with the key
// in <data_dir>/state.key. If it cannot write, the daemon continues without snapshots.
type flowState struct {
	path    string
	key     []byte // nil without a key: sessions are not saved
	tracker *flow.Tracker
	last    func() string // returns the id of the last record in the activity log
	saved   uint64        // version of the tracker that is in the file
	record  string        // last record when the file was written
	checked bool          // later records of the results in the file are not expected
}

const (
	// stateEvery is the interval of snapshots, and therefore the most that a crash can lose.
	stateEvery = 3 * time.Second
	// stateShare limits the share of time spent on snapshots, to 1/stateShare.
	stateShare = 50
	// stateRate limits the writing of snapshots, in bytes per second. A snapshot of 200 MB is
	// written every 200 seconds. The log shows which sessions a crash affects.
	stateRate = 1 << 20
)

// newFlowState reads or creates the key.
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

// load restores the sessions of an earlier run. The error is [fs.ErrNotExist] if the file does not
// exist.
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
	if out.Version == 0 { // the file does not contain the time of the snapshot
		out.Time = written
	}
	return out, err
}

// save writes the sessions if they have changed. It reports whether the file is up to date.
//
// The record of a call reaches the log after its result has reached the session. A snapshot between
// the two names an earlier record, and after a crash the result would be taken for lost. So save
// writes once more if there are records after the one that the last snapshot names.
func (f *flowState) save() bool {
	if f.key == nil {
		return false
	}
	now := f.tracker.Changes()
	if now != f.saved {
		f.checked = false
		return f.write(now)
	}
	if f.checked {
		return true
	}
	f.checked = true
	return f.last() == f.record || f.write(now)
}

// write writes a snapshot. It reads the version and the last record first, because later changes
// may be missing from the snapshot.
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

// close writes the last snapshot of a run. It writes even if no session has changed, to state that
// the log contains nothing newer.
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

// keep saves periodically until ctx ends. It saves large states less often.
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

// pauseAfter returns the pause after a snapshot, from its size and the time it took.
func pauseAfter(took time.Duration, bytes int64) time.Duration {
	return max(stateEvery, stateShare*took, time.Duration(bytes)*time.Second/stateRate)
}

// size returns the length of the file in bytes, or 0 without a file.
func (f *flowState) size() int64 {
	info, err := os.Stat(f.path)
	if err != nil {
		return 0
	}
	return info.Size()
}
