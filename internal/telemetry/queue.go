package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"mcpproxy"
)

// sink sends batches to a target. Implementations MUST return a [permanent] error if the same batch would fail again,
// and MUST NOT keep the records.
type sink interface {
	// send sends a batch and returns how many of its records the target refused.
	send(ctx context.Context, batch []*mcpproxy.Record) (refused int, err error)
	// wants reports whether a record is for this sink.
	wants(r *mcpproxy.Record) bool
	close()
}

// permanent is an error that would occur again if the batch were sent again.
type permanent struct{ error }

const (
	queueSize  = 4096 // maximum number of waiting records of a target
	batchSize  = 256
	linger     = 500 * time.Millisecond // wait before a batch that is not full is sent
	attempts   = 6
	firstPause = 500 * time.Millisecond // doubled after each attempt
)

// queue passes records to a sink.
type queue struct {
	target string
	sink   sink
	pause  time.Duration
	in     chan *mcpproxy.Record
	done   chan struct{}
	ending chan struct{} // closed when failed batches are no longer repeated
	ctx    context.Context
	abort  context.CancelFunc

	mu      sync.Mutex
	closed  bool
	counted Target
}

func newQueue(target string, s sink) *queue {
	ctx, abort := context.WithCancel(context.Background())
	q := &queue{
		target:  target,
		sink:    s,
		pause:   firstPause,
		in:      make(chan *mcpproxy.Record, queueSize),
		done:    make(chan struct{}),
		ending:  make(chan struct{}),
		ctx:     ctx,
		abort:   abort,
		counted: Target{Name: target},
	}
	go q.run()
	return q
}

func (q *queue) add(r *mcpproxy.Record) {
	if !q.sink.wants(r) {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	select {
	case q.in <- r:
	default:
		q.counted.Dropped++
	}
}

func (q *queue) run() {
	defer close(q.done)
	for r := range q.in {
		batch := q.gather([]*mcpproxy.Record{r})
		refused, err := q.deliver(batch)
		q.count(len(batch), refused, err)
		if err != nil {
			slog.Warn("records could not be exported", "target", q.target, "records", len(batch), "error", err)
		}
	}
	q.sink.close()
}

// gather adds records to a batch until it is full or a record has waited for the time linger. After close, it adds all
// remaining notes that fit.
func (q *queue) gather(batch []*mcpproxy.Record) []*mcpproxy.Record {
	late := time.NewTimer(linger)
	defer late.Stop()
	timeout := late.C
	ending := q.ending
	for len(batch) < batchSize {
		select {
		case r, ok := <-q.in:
			if !ok {
				return batch
			}
			batch = append(batch, r)
		case <-timeout:
			return batch
		case <-ending:
			timeout, ending = nil, nil
		}
	}
	return batch
}

// deliver sends a batch until the target accepts it or has failed too often.
func (q *queue) deliver(batch []*mcpproxy.Record) (refused int, err error) {
	pause := q.pause
	for n := 1; ; n++ {
		if err := q.ctx.Err(); err != nil {
			return 0, err
		}
		refused, err = q.sink.send(q.ctx, batch)
		_, hopeless := errors.AsType[permanent](err)
		if err == nil || hopeless || n == attempts || q.ctx.Err() != nil {
			return refused, err
		}
		select {
		case <-time.After(pause/2 + rand.N(pause)):
		case <-q.ending:
			return refused, err
		}
		pause *= 2
	}
}

func (q *queue) count(n, refused int, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil {
		q.counted.Dropped += uint64(n)
		q.counted.LastError = err.Error()
		return
	}
	q.counted.Sent += uint64(n - refused)
	q.counted.Dropped += uint64(refused)
	q.counted.LastError = ""
}

// close tries once to send the waiting records, until ctx ends.
func (q *queue) close(ctx context.Context) {
	q.mu.Lock()
	if !q.closed {
		q.closed = true
		close(q.ending)
		close(q.in)
	}
	q.mu.Unlock()
	select {
	case <-q.done:
	case <-ctx.Done():
	}
	q.abort()
	<-q.done
}

func (q *queue) stats() Target {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := q.counted
	out.Waiting = len(q.in)
	return out
}
