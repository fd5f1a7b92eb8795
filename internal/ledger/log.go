package ledger

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mcpproxy"
)

// FlushInterval is how long a record that was passed to [Log.Add] may stay in memory.
const FlushInterval = 50 * time.Millisecond

const (
	queueSize = 4096 // records in memory before writers have to wait
	groupSize = 2048 // records in one transaction
	pileSize  = 256  // records after which a transaction begins at once

	// heldBytes is the maximum size of unwritten records before writers have to wait: a few records
	// can be larger than thousands of others.
	heldBytes = 16 << 20
)

// ErrClosed is the error of a log that has been closed.
var ErrClosed = errors.New("the activity log is closed")

// Log writes records to a store in groups. It wakes the writing goroutine for a single record only
// if a caller waits for that record.
type Log struct {
	store   Store
	wake    chan struct{} // signals work; has a capacity of one
	done    chan struct{}
	durable atomic.Bool // whether Add waits for the disk

	mu     sync.Mutex
	room   sync.Cond // signals free space in the queue, or that the log is closed
	queue  []queuedRecord
	held   int         // size of the queue and of the group being written
	linger *time.Timer // fires when the oldest record is due
	closed bool

	health health
}

type queuedRecord struct {
	record *mcpproxy.Record
	wait   chan<- error // nil if no caller waits
	size   int          // size of the call's arguments and result
}

// NewLog returns a log that writes to s until Close.
func NewLog(s Store) *Log {
	l := &Log{store: s, wake: make(chan struct{}, 1), done: make(chan struct{})}
	l.room.L = &l.mu
	l.health.retry = time.NewTimer(RetryEvery)
	l.health.retry.Stop()
	l.linger = time.AfterFunc(FlushInterval, l.rouse)
	go l.write()
	return l
}

// Append writes r and returns after it is on disk.
func (l *Log) Append(ctx context.Context, r *mcpproxy.Record) error {
	done := make(chan error, 1)
	if !l.enqueue(queuedRecord{record: r, wait: done}) {
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

// Add writes r soon. It blocks only if the disk is too slow or SetDurable says so. Errors are
// logged.
func (l *Log) Add(r *mcpproxy.Record) {
	if l.durable.Load() {
		if err := l.Append(context.Background(), r); errors.Is(err, ErrClosed) {
			slog.Error("a record came after the activity log was closed", "id", r.ID)
		}
		return
	}
	if !l.enqueue(queuedRecord{record: r}) {
		slog.Error("a record came after the activity log was closed", "id", r.ID)
	}
}

func (l *Log) enqueue(e queuedRecord) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for (len(l.queue) >= queueSize || l.held >= heldBytes) && !l.closed {
		l.room.Wait()
	}
	if l.closed {
		return false
	}
	e.size = len(e.record.Arguments) + len(e.record.Response)
	l.queue = append(l.queue, e)
	l.held += e.size
	switch n := len(l.queue); {
	case e.wait != nil || n >= pileSize || l.held >= heldBytes:
		l.rouse()
	case n == 1:
		l.linger.Reset(FlushInterval)
	}
	return true
}

// rouse signals that there is work.
func (l *Log) rouse() {
	select {
	case l.wake <- struct{}{}:
	default: // already signalled
	}
}

// take removes at most the given number of records from the queue. It reports whether the log is closed.
func (l *Log) take(most int) (entries []queuedRecord, closed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := min(most, len(l.queue))
	entries = slices.Clone(l.queue[:n])
	l.queue = slices.Delete(l.queue, 0, n)
	l.room.Broadcast()
	if len(l.queue) > 0 {
		l.rouse()
	}
	return entries, l.closed
}

// Close writes the remaining records and returns after they are on disk.
func (l *Log) Close() {
	l.mu.Lock()
	l.closed = true
	l.room.Broadcast()
	l.rouse()
	l.mu.Unlock()
	<-l.done
	l.linger.Stop()
}

// group is a set of records that are written together.
type group struct {
	entries []queuedRecord
	records []*mcpproxy.Record
	sealed  []Sealed
	err     error // error of a record that could not be sealed
}

// add adds entries and seals them.
func (g *group) add(entries []queuedRecord) {
	records := make([]*mcpproxy.Record, len(entries))
	for i, e := range entries {
		records[i] = e.record
	}
	sealed, err := PrepareAll(records)
	g.entries = append(g.entries, entries...)
	g.records = append(g.records, records...)
	g.sealed = append(g.sealed, sealed...)
	if g.err == nil {
		g.err = err
	}
}

// write writes each group while the next one is sealed. If the store fails, it retries
// periodically.
func (l *Log) write() {
	defer close(l.done)
	ready := make(chan *group)
	go l.seal(ready)
	for {
		select {
		case g, more := <-ready:
			if !more {
				l.lastTry()
				return
			}
			l.finish(g, l.append(g))
		case <-l.health.retry.C:
			l.writePending()
		}
	}
}

// finish reports the result of g to the watcher and then to the waiting callers.
func (l *Log) finish(g *group, errs []error) {
	var written []*mcpproxy.Record
	for i, r := range g.records {
		if errs[i] == nil {
			written = append(written, r)
		}
	}
	if w := l.watcher(); w != nil && len(written) > 0 {
		w.Written(written)
	}
	for i, e := range g.entries {
		if e.wait != nil {
			e.wait <- errs[i]
		}
	}
	l.release(g)
}

// release frees the queue space of a group.
func (l *Log) release(g *group) {
	n := 0
	for _, e := range g.entries {
		n += e.size
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held -= n
	l.room.Broadcast()
}

// seal makes groups. While the previous group is still being written, it adds new records to the
// current group.
func (l *Log) seal(ready chan<- *group) {
	defer close(ready)
	for range l.wake {
		entries, closed := l.take(groupSize)
		if len(entries) == 0 && closed {
			return
		}
		if len(entries) > 0 {
			l.offer(ready, entries)
		}
		if closed {
			l.rouse() // until the queue is empty
		}
	}
}

// offer makes a group of the queued records and returns when the writer takes it.
func (l *Log) offer(ready chan<- *group, entries []queuedRecord) {
	g := &group{}
	g.add(entries)
	for {
		wake := l.wake
		if len(g.entries) >= groupSize {
			wake = nil
		}
		select {
		case ready <- g:
			return
		case <-wake:
			more, closed := l.take(groupSize - len(g.entries))
			g.add(more)
			if closed {
				l.rouse() // wakes the caller of offer
				ready <- g
				return
			}
		}
	}
}

// append writes the records as one group. If that fails, it writes them one by one, so that an
// invalid record does not prevent the others. If the store itself fails, the rest of the group is
// lost.
func (l *Log) append(g *group) []error {
	errs := make([]error, len(g.records))
	if !l.usable() {
		for i, r := range g.records {
			errs[i] = l.lose(r)
		}
		return errs
	}
	if g.err == nil && l.store.AppendPrepared(context.Background(), g.records, g.sealed) == nil {
		return errs
	}
	for i, r := range g.records {
		if l.Failure() != nil {
			errs[i] = l.lose(r)
			continue
		}
		if errs[i] = l.store.Append(context.Background(), g.records[i:i+1]); errs[i] != nil {
			l.failed(r, errs[i])
		}
	}
	return errs
}

// Waiting returns the number of records that are not written yet.
func (l *Log) Waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue)
}
