package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// Limits of the time and the memory for request bodies.
const (
	bodyTime  = 30 * time.Second // minimum time for a body to arrive; see bodyRate
	bodyRate  = 256 << 10        // bytes for each of which a second is added to bodyTime
	bodyPause = 15 * time.Second // longest pause between two reads
	bodyWait  = time.Minute      // longest wait for memory that other requests hold

	smallBody  = 64 << 10 // bytes of each body that are not counted in the budget
	mediumBody = 1 << 20  // up to this size a body does not wait behind larger ones
)

// mediumBodies is a separate budget for bodies up to mediumBody, in bytes.
const mediumBodies = 4 << 20

// The memory budgets for request bodies on the two listeners, in bytes. The owner's socket has its
// own budget, so that requests over TCP cannot delay the hooks of agents. A body reserves its
// length; processing it needs several times as much.
const (
	TCPBodies    = 16 << 20
	SocketBodies = 16 << 20
)

// errBusy says that other requests hold all the memory for large requests.
var errBusy = errors.New("too many large requests are being served: try again in a few seconds")

// Bodies limits the total memory of large requests, from their first bytes until they are answered
// and recorded. A request reserves its announced length at once, so that two requests never wait
// for each other. If a body arrives too slowly or no memory becomes free in time, reading fails
// with an error that [BodyFailure] explains.
func Bodies(budget int64, next http.Handler) http.Handler { return bodies(budget, bodyWait, next) }

// bodies is Bodies with the time that a request waits for memory.
func bodies(budget int64, wait time.Duration, next http.Handler) http.Handler {
	large, medium := semaphore.NewWeighted(budget), semaphore.NewWeighted(mediumBodies)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		h := &hold{}
		defer h.enter()()
		r = r.WithContext(context.WithValue(r.Context(), holdKey{}, h))
		b := &body{
			ReadCloser: r.Body,
			ctx:        r.Context(),
			control:    http.NewResponseController(w),
			room:       large,
			budget:     budget,
			wait:       wait,
			started:    time.Now(),
			announced:  max(r.ContentLength, 0),
			free:       smallBody,
		}
		if b.announced > 0 && b.announced <= mediumBody {
			b.room, b.budget = medium, mediumBodies
		}
		r.Body = b
		b.extend()
		h.atEnd(b.release)
		next.ServeHTTP(w, r)
	})
}

// body is the body of one request.
type body struct {
	io.ReadCloser
	ctx       context.Context
	control   *http.ResponseController
	room      *semaphore.Weighted
	budget    int64         // total budget in bytes
	wait      time.Duration // longest wait for memory
	started   time.Time
	announced int64 // Content-Length in bytes; 0 if unknown

	mu   sync.Mutex
	read int64 // bytes read so far
	free int64 // bytes that may be read before more is reserved
	held int64 // bytes reserved from the budget
	done bool
}

// Read reads from the body while its time and memory limits allow.
func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.done {
		return 0, io.EOF
	}
	if b.free == 0 {
		if err := b.take(); err != nil {
			return 0, err
		}
	}
	b.extend()
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.free)])
	b.read += int64(n)
	b.free -= int64(n)
	if err == io.EOF { // clear the deadline: the answer may be a long stream
		b.done = true
		b.shrink()
	}
	return n, err
}

// take reserves memory for the rest of the body. If the length is unknown, it reserves the maximum.
func (b *body) take() error {
	if b.held > 0 {
		return &http.MaxBytesError{Limit: maxRequest}
	}
	most := b.announced
	if most == 0 {
		most = maxRequest + smallBody
	}
	weight := min(most, b.budget)
	asked := time.Now()
	ctx, cancel := context.WithTimeout(b.ctx, b.wait)
	defer cancel()
	if b.room.Acquire(ctx, weight) != nil {
		return errBusy
	}
	b.held, b.free = weight, most-b.read
	b.started = b.started.Add(time.Since(asked)) // do not count the wait as slow arrival
	return nil
}

// shrink releases memory that was reserved for bytes that did not arrive.
func (b *body) shrink() {
	if rest := b.held - max(b.read, 1); rest > 0 {
		b.room.Release(rest)
		b.held -= rest
	}
}

// extend sets the deadline for the next bytes.
func (b *body) extend() {
	most := bodyTime + time.Duration(max(b.announced, b.read)/bodyRate)*time.Second
	deadline := b.started.Add(most)
	if pause := time.Now().Add(bodyPause); pause.Before(deadline) {
		deadline = pause
	}
	_ = b.control.SetReadDeadline(deadline)
}

// release returns the body's memory to the budget.
func (b *body) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held > 0 {
		b.room.Release(b.held)
		b.held = 0
	}
	b.done = true
}

// hold keeps the reserved memory of a request until all of its work has ended. An agent may
// disconnect before its call ends, and results are indexed after the answer.
type hold struct {
	mu    sync.Mutex
	users int
	ends  []func()
}

type holdKey struct{}

// Holding keeps the memory that the HTTP request of ctx has reserved until end is called.
func Holding(ctx context.Context) (end func()) {
	if h, ok := ctx.Value(holdKey{}).(*hold); ok {
		return h.enter()
	}
	return func() {}
}

// kept returns the hold of the HTTP request of ctx, which calls release after its last user has
// left. It is nil outside such a request.
func kept(ctx context.Context) func(release func()) {
	if h, ok := ctx.Value(holdKey{}).(*hold); ok {
		return h.atEnd
	}
	return nil
}

// enter adds a user of h until leave is called.
func (h *hold) enter() (leave func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.users++
	return sync.OnceFunc(h.leave)
}

func (h *hold) leave() {
	h.mu.Lock()
	h.users--
	var ends []func()
	if h.users == 0 {
		ends, h.ends = h.ends, nil
	}
	h.mu.Unlock()
	for _, end := range ends {
		end()
	}
}

// atEnd makes h call end after its last user has left. The caller is a user of h.
func (h *hold) atEnd(end func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ends = append(h.ends, end)
}

// BodyFailure returns the answer to a request whose body could not be read; ok is false if the
// client has disconnected.
func BodyFailure(w http.ResponseWriter, err error) (status int, message string, ok bool) {
	switch {
	case errors.Is(err, errBusy):
		w.Header().Set("Retry-After", "5")
		return http.StatusServiceUnavailable, errBusy.Error(), true
	case errors.Is(err, os.ErrDeadlineExceeded):
		return http.StatusRequestTimeout, "the body of the request did not arrive in time", true
	}
	return 0, "", false
}
