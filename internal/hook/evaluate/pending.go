package evaluate

import (
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// Limits of the events that are inspected after they are answered. Beyond them, an event is
// inspected before it is answered.
const (
	maxPending      = 1024
	maxPendingBytes = 128 << 20
)

// pause is how long a worker waits before it uses the processor, so that the hook that was just
// answered can print its answer and exit.
const pause = 15 * time.Millisecond

// pending holds the events that were answered before they were inspected. The events of a session
// are inspected in the order in which they arrived. If there are several processors, fewer workers
// than processors run, so that one is free for events whose callers wait. A caller that needs a
// session's pending events inspects them itself if no worker has begun.
type pending struct {
	mu      sync.Mutex
	of      map[string]*queue // queues by session
	order   []*queue          // queues that wait for a worker, longest wait first
	workers int
	n       int
	bytes   int
}

// queue holds the pending events of one session.
type queue struct {
	session string
	tasks   []task
	came    int  // number of tasks ever added
	results int  // value of came at the last result
	running bool // the first task is running
	done    *sync.Cond
}

// task is the inspection of one event.
type task struct {
	do    func()
	bytes int
}

// later queues a task. It returns false without queueing if too much is pending. Result says that
// later events of the session must wait for this one.
func (p *pending) later(session string, bytes int, result bool, do func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n >= maxPending || p.bytes+bytes > maxPendingBytes {
		return false
	}
	q := p.of[session]
	if q == nil {
		if p.of == nil {
			p.of = map[string]*queue{}
		}
		q = &queue{session: session, done: sync.NewCond(&p.mu)}
		p.of[session] = q
	}
	if q.tasks = append(q.tasks, task{do, bytes}); len(q.tasks) == 1 {
		p.order = append(p.order, q)
	}
	if q.came++; result {
		q.results = q.came
	}
	p.n, p.bytes = p.n+1, p.bytes+bytes
	p.wake()
	return true
}

// wake makes sure that a worker handles the queue soon, unless enough workers run. The caller holds
// the lock.
func (p *pending) wake() {
	if p.workers < max(1, runtime.NumCPU()-1) {
		p.workers++
		time.AfterFunc(pause, p.work)
	}
}

// work runs tasks until none are pending.
func (p *pending) work() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.order) > 0 {
		q := p.order[0]
		p.order = p.order[1:]
		if len(q.tasks) > 0 && !q.running {
			p.first(q)
		}
	}
	p.workers--
}

// first runs the first task of a queue. The caller holds the lock, which is released meanwhile.
func (p *pending) first(q *queue) {
	t := q.tasks[0]
	q.running = true
	p.mu.Unlock()
	t.run()
	p.mu.Lock()
	q.running = false
	q.tasks[0] = task{}
	q.tasks = q.tasks[1:]
	p.n, p.bytes = p.n-1, p.bytes-t.bytes
	if len(q.tasks) == 0 {
		delete(p.of, q.session)
	} else {
		p.order = append(p.order, q)
		p.wake() // this caller may need no more tasks, and the workers may have ended
	}
	q.done.Broadcast()
}

func (t task) run() {
	defer func() {
		if r := recover(); r != nil {
			slog.Error("could not track the data that a hook reported", "panic", r, "stack", string(debug.Stack()))
		}
	}()
	t.do()
}

// results waits until all pending results of a session have been inspected.
func (p *pending) results(session string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if q := p.of[session]; q != nil {
		p.until(q, q.results)
	}
}

// wait waits until all pending events of a session have been inspected.
func (p *pending) wait(session string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if q := p.of[session]; q != nil {
		p.until(q, q.came)
	}
}

// until waits until the first n tasks that were ever added to the session are done. The caller
// holds the lock, which is released meanwhile.
func (p *pending) until(q *queue, which int) {
	for q.came-len(q.tasks) < which {
		if q.running {
			q.done.Wait()
		} else {
			p.first(q)
		}
	}
}

// all waits until everything that is pending now is done.
func (p *pending) all() {
	p.mu.Lock()
	defer p.mu.Unlock()
	var queues []*queue
	for _, q := range p.of {
		queues = append(queues, q)
	}
	for _, q := range queues {
		p.until(q, q.came)
	}
}
