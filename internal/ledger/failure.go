package ledger

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/oklog/ulid/v2"

	"mcpproxy"
)

// RetryEvery is how long the log waits before it tries again to write to a store that fails.
const RetryEvery = time.Second

// ErrDuplicate says that the log already has a record with this id. The store itself works.
var ErrDuplicate = errors.New("a record with this id exists already")

// ErrUnwritable says that a record was lost because the store fails.
var ErrUnwritable = errors.New("the activity log cannot be written")

// Failure describes records that could not be written.
type Failure struct {
	ID    string    // id of the gap record that will report the failure
	Since time.Time // time of the earliest lost record
	Lost  int64     // records lost so far
	Err   error     // the last error of the store
}

// Error returns the failure as one sentence.
func (f *Failure) Error() string { return fmt.Sprintf("%v: %v", ErrUnwritable, f.Err) }

// Watcher observes what happens to the records of a log. The goroutine that writes the log calls
// its methods, so they must neither block nor add records.
type Watcher interface {
	// Written is called with records that are in the log.
	Written(records []*mcpproxy.Record)
	// Failed is called once when a failure begins. It is not called for further records that the
	// same failure loses.
	Failed(f Failure)
	// Recovered is called when a failure ends, with the gap record that describes it.
	Recovered(gap *mcpproxy.Record)
}

// health is the log's knowledge about its store. Only the goroutine that writes the log changes it.
type health struct {
	pending *Failure    // losses not yet reported by a gap record; nil without losses
	tried   time.Time   // when a gap record was last attempted
	retry   *time.Timer // fires when the next attempt is due

	down  atomic.Pointer[Failure] // a copy of pending while the store fails; nil while it works
	lost  atomic.Int64            // lost records since the log was opened
	watch atomic.Pointer[Watcher]
}

// Watch makes w observe all later records.
func (l *Log) Watch(w Watcher) { l.health.watch.Store(&w) }

func (l *Log) watcher() Watcher {
	if w := l.health.watch.Load(); w != nil {
		return *w
	}
	return nil
}

// Failure returns why the log cannot be written; nil while it works.
func (l *Log) Failure() *Failure { return l.health.down.Load() }

// Lost returns how many records could not be written since the log was opened.
func (l *Log) Lost() int64 { return l.health.lost.Load() }

// usable reports whether records can be written. It retries a failed store at the due time.
func (l *Log) usable() bool { return l.Failure() == nil || l.writePending() }

// failed notes that the store refused r. If r itself cannot be stored, only r is lost. Any other
// error stops all writes until the store works again.
func (l *Log) failed(r *mcpproxy.Record, err error) {
	_, unreadable := Prepare(r)
	own := unreadable != nil || errors.Is(err, ErrDuplicate)
	l.count(r, err)
	if !own {
		l.health.down.Store(l.copyOfPending())
	}
	slog.Error("the activity log could not be written", "id", r.ID, "error", err)
	l.writePending()
}

// lose counts r as lost because the store fails.
func (l *Log) lose(r *mcpproxy.Record) error {
	err := l.health.pending.Err
	l.count(r, err)
	l.health.down.Store(l.copyOfPending())
	return fmt.Errorf("%w: %w", ErrUnwritable, err)
}

// count counts r as lost.
func (l *Log) count(r *mcpproxy.Record, err error) {
	l.health.lost.Add(1)
	f := l.health.pending
	if f == nil {
		f = &Failure{ID: ulid.Make().String(), Since: r.Timestamp}
		l.health.pending = f
	}
	f.Lost, f.Err = f.Lost+1, cause(err)
	if r.Timestamp.Before(f.Since) {
		f.Since = r.Timestamp
	}
	if w := l.watcher(); w != nil && f.Lost == 1 {
		w.Failed(*f)
	}
}

func (l *Log) copyOfPending() *Failure {
	f := *l.health.pending
	return &f
}

// cause returns the innermost error, because the outer errors name a record that does not exist.
func cause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// writePending writes the gap record about the pending losses, at most once every RetryEvery. It reports
// whether no loss is pending any more.
func (l *Log) writePending() bool {
	h := &l.health
	if h.pending == nil {
		return true
	}
	if wait := RetryEvery - time.Since(h.tried); wait > 0 {
		h.retry.Reset(wait)
		return false
	}
	h.tried = time.Now()
	f := h.pending
	gap := mcpproxy.Gap{
		Reason: mcpproxy.GapLogFailure,
		From:   f.Since,
		To:     h.tried,
		Lost:   f.Lost,
	}.Record(f.ID)
	if err := l.store.Append(context.Background(), []*mcpproxy.Record{gap}); err != nil {
		f.Err = cause(err)
		h.down.Store(l.copyOfPending())
		h.retry.Reset(RetryEvery)
		return false
	}
	h.pending = nil
	h.down.Store(nil)
	slog.Warn("the activity log can be written again", "lost", f.Lost, "since", f.Since, "gap", f.ID)
	if w := l.watcher(); w != nil {
		w.Written([]*mcpproxy.Record{gap})
		w.Recovered(gap)
	}
	return true
}

// lastTry writes the pending gap record when the log is closed.
func (l *Log) lastTry() {
	l.health.tried = time.Time{}
	if f := l.health.pending; !l.writePending() {
		slog.Error("the activity log was closed and does not say that records were lost",
			"lost", f.Lost, "since", f.Since, "error", f.Err)
	}
	l.health.retry.Stop()
}
