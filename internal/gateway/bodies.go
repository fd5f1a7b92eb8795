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

// The time and the memory that the bodies of requests may take.
const (
	bodyTime  = 30 * time.Second // for a body to arrive, and
	bodyRate  = 256 << 10        // one second more for so many bytes of it
	bodyPause = 15 * time.Second // without a byte, after which it is given up
	bodyWait  = time.Minute      // for memory, while other requests hold all of it

	smallBody  = 64 << 10 // bytes of each body that need no memory from the budget
	mediumBody = 1 << 20  // bytes up to which a body does not wait for larger ones
)

// mediumBodies is the budget of bodies up to mediumBody, in bytes, beside that of others.
const mediumBodies = 4 << 20

// The memory budgets for request bodies on the two listeners, in bytes. The owner's socket has a
// budget of its own, so that requests over TCP cannot keep hooks of agents from being answered. A
// body reserves its length; processing it needs several times as much.
const (
	TCPBodies    = 16 << 20
	SocketBodies = 16 << 20
)

// errBusy says that other requests hold all the memory there is for large ones.
var errBusy = errors.New("too many large requests are being served: try again in a few seconds")

// Bodies limits the memory that large requests take together, from their first bytes until they are
// answered and recorded. A request reserves its announced length at once, so that two requests
// never wait for each other. If a body arrives too slowly or there is no memory for it, reading
// fails with an error that [BodyFailure] explains.
func Bodies(budget int64, next http.Handler) http.Handler { return bodies(budget, bodyWait, next) }

// bodies is Bodies for requests that wait for memory so long.
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
	budget    int64         // bytes of room
	wait      time.Duration // for room
	started   time.Time
	announced int64 // bytes; 0 where the length is unknown

	mu   sync.Mutex
	read int64 // bytes so far
	free int64 // bytes that may be read before more is taken from the budget
	held int64 // bytes taken from the budget
	done bool
}

// Read reads on, for as long as there is time and memory.
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
	if err == io.EOF { // net/http has no deadline from here on: the answer may be a stream
		b.done = true
		b.shrink()
	}
	return n, err
}

// take gets the memory for the rest of the body from the budget: for as much as may come
// where the length is unknown.
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
	b.started = b.started.Add(time.Since(asked)) // it could not arrive meanwhile
	return nil
}

// shrink returns memory that was reserved for more bytes than have arrived.
func (b *body) shrink() {
	if rest := b.held - max(b.read, 1); rest > 0 {
		b.room.Release(rest)
		b.held -= rest
	}
}

// extend sets the time by which the next bytes must be there.
func (b *body) extend() {
	most := bodyTime + time.Duration(max(b.announced, b.read)/bodyRate)*time.Second
	deadline := b.started.Add(most)
	if pause := time.Now().Add(bodyPause); pause.Before(deadline) {
		deadline = pause
	}
	_ = b.control.SetReadDeadline(deadline)
}

// release gives back what the body has taken.
func (b *body) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held > 0 {
		b.room.Release(b.held)
		b.held = 0
	}
	b.done = true
}

// hold keeps the reserved memory of a request until all of its work has ended. An agent may leave
// before its call ends, and results are indexed after the answer.
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

// kept has release called when nobody holds any more what the HTTP request of ctx has taken;
// it is nil outside of such a request.
func kept(ctx context.Context) func(release func()) {
	if h, ok := ctx.Value(holdKey{}).(*hold); ok {
		return h.atEnd
	}
	return nil
}

// enter has h held until leave is called.
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

// atEnd has end called when nobody holds h any more. Somebody does now.
func (h *hold) atEnd(end func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ends = append(h.ends, end)
}

// BodyFailure returns the answer to a request whose body could not be read; ok is false if the
// client has left.
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
