package ledger

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"mcpproxy"
)

// FlushInterval is how long a record that nobody waits for may stay in memory.
const FlushInterval = 50 * time.Millisecond

const (
	queueSize = 4096 // records in memory before writers have to wait
	groupSize = 2048 // records in one transaction
)

// ErrClosed says that the log takes no more records.
var ErrClosed = errors.New("the activity log is closed")

// Log writes records to a store in groups.
type Log struct {
	store   Store
	queue   chan entry
	done    chan struct{}
	durable atomic.Bool // whether Add waits too

	mu     sync.RWMutex // held for reading while a record is queued
	closed bool
}

type entry struct {
	record *mcpproxy.Record
	wait   chan<- error // nil when nobody waits
}

// NewLog returns a log that writes to s until Close.
func NewLog(s Store) *Log {
	l := &Log{store: s, queue: make(chan entry, queueSize), done: make(chan struct{})}
	go l.write()
	return l
}

// Append writes r and returns when it is durable.
func (l *Log) Append(ctx context.Context, r *mcpproxy.Record) error {
	done := make(chan error, 1)
	if !l.enqueue(entry{r, done}) {
		return ErrClosed
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// SetDurable says whether Add returns only when its record is durable, as Append
// does.
func (l *Log) SetDurable(all bool) { l.durable.Store(all) }

// Add writes r soon. It blocks only when the disk cannot keep up, or when SetDurable
// says so; then what goes wrong is logged like all else.
func (l *Log) Add(r *mcpproxy.Record) {
	if l.durable.Load() {
		if err := l.Append(context.Background(), r); errors.Is(err, ErrClosed) {
			slog.Error("a record came after the activity log was closed", "id", r.ID)
		}
		return
	}
	if !l.enqueue(entry{record: r}) {
		slog.Error("a record came after the activity log was closed", "id", r.ID)
	}
}

func (l *Log) enqueue(e entry) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.closed {
		return false
	}
	l.queue <- e
	return true
}

// Close writes what is left and returns when it is durable.
func (l *Log) Close() {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.queue)
	}
	l.mu.Unlock()
	<-l.done
}

// group is what is written together.
type group struct {
	entries []entry
	records []*mcpproxy.Record
	sealed  []Sealed
	err     error // that kept one from being sealed
}

// add adds entries and seals them.
func (g *group) add(entries []entry) {
	records := make([]*mcpproxy.Record, len(entries))
	for i, e := range entries {
		records[i] = e.record
	}
	sealed, err := PrepareAll(records)
	g.entries, g.records, g.sealed = append(g.entries, entries...), append(g.records, records...), append(g.sealed, sealed...)
	if g.err == nil {
		g.err = err
	}
}

// write writes each group while the next one is sealed.
func (l *Log) write() {
	defer close(l.done)
	ready := make(chan *group)
	go l.seal(ready)
	for g := range ready {
		errs := l.append(g)
		for i, e := range g.entries {
			if errs[i] != nil {
				slog.Error("the activity log could not be written", "id", e.record.ID, "error", errs[i])
			}
			if e.wait != nil {
				e.wait <- errs[i]
			}
		}
	}
}

// seal makes groups. To one that is not yet taken, because the one before it is still
// being written, it adds what comes.
func (l *Log) seal(ready chan<- *group) {
	defer close(ready)
	for e := range l.queue {
		g := &group{}
		g.add(l.gather([]entry{e}))
		for taken := false; !taken; {
			more := l.queue
			if len(g.entries) >= groupSize {
				more = nil
			}
			select {
			case ready <- g:
				taken = true
			case e, ok := <-more:
				if !ok {
					ready <- g
					return
				}
				g.add(l.drain([]entry{e}, groupSize-len(g.entries)))
			}
		}
	}
}

// drain adds what is queued at this moment, to so many at most.
func (l *Log) drain(group []entry, most int) []entry {
	for len(group) < most {
		select {
		case e, ok := <-l.queue:
			if !ok {
				return group
			}
			group = append(group, e)
		default:
			return group
		}
	}
	return group
}

// append writes the records as one group; when that fails, one by one, so that
// a record that cannot be written takes no other with it.
func (l *Log) append(g *group) []error {
	errs := make([]error, len(g.records))
	if g.err == nil && l.store.AppendPrepared(context.Background(), g.records, g.sealed) == nil {
		return errs
	}
	for i := range g.records {
		errs[i] = l.store.Append(context.Background(), g.records[i:i+1])
	}
	return errs
}

// gather adds what is queued to the group. It lingers while nobody waits.
func (l *Log) gather(group []entry) []entry {
	linger := time.NewTimer(FlushInterval)
	defer linger.Stop()
	for urgent := group[0].wait != nil; len(group) < groupSize; {
		if urgent {
			return l.drain(group, groupSize)
		}
		select {
		case e, ok := <-l.queue:
			if !ok {
				return group
			}
			group = append(group, e)
			urgent = e.wait != nil
		case <-linger.C:
			return group
		}
	}
	return group
}

// Waiting is how many records wait to be written.
func (l *Log) Waiting() int { return len(l.queue) }
