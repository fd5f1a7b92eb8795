package evaluate

import (
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// What may wait to be looked at, after it has been answered. Beyond it, an event
// is looked at before it is answered.
const (
	maxPending      = 1024
	maxPendingBytes = 128 << 20
)

// pause is how long a worker leaves the processors to the hook that was just answered,
// which has its answer to print and its process to end, and to its agent.
const pause = 15 * time.Millisecond

// pending are events that were answered before they were looked at. Those of a
// session are looked at in the order in which they came, by a few workers, so that
// an event that is waited for has a processor. Who needs a session's events looks
// at them himself where no worker has got to them.
type pending struct {
	mu      sync.Mutex
	of      map[string]*queue // by session
	order   []*queue          // that wait for a worker, the one that has waited longest first
	workers int
	n       int
	bytes   int
}

// queue is what waits in one session.
type queue struct {
	session string
	tasks   []task
	came    int  // how many ever came
	results int  // what came was when the last result came
	running bool // the first task is being done
	done    *sync.Cond
}

// task is the looking at one event.
type task struct {
	do    func()
	bytes int
}

// later does something soon. It reports false, and does nothing, when too much
// waits already. Result says that what comes later in the session must wait for it.
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

// wake sees to it that a worker soon looks at what waits, unless enough do. The caller
// holds the lock.
func (p *pending) wake() {
	if p.workers < max(1, runtime.NumCPU()-1) {
		p.workers++
		time.AfterFunc(pause, p.work)
	}
}

// work does what waits, until nothing does.
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

// first does the first task of a queue. The lock is held before and after.
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
		p.wake() // who did this one may need no more, and the workers may have gone
	}
	q.done.Broadcast()
}

func (t task) run() {
	defer func() {
		if r := recover(); r != nil {
			slog.Error("what a hook told of could not be followed", "panic", r, "stack", string(debug.Stack()))
		}
	}()
	t.do()
}

// results returns when the results that wait now in a session have been looked at.
func (p *pending) results(session string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if q := p.of[session]; q != nil {
		p.until(q, q.results)
	}
}

// wait returns when everything that waits now in a session is done.
func (p *pending) wait(session string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if q := p.of[session]; q != nil {
		p.until(q, q.came)
	}
}

// until returns when as many tasks are done as are named, of all that ever came.
// The lock is held before and after.
func (p *pending) until(q *queue, which int) {
	for q.came-len(q.tasks) < which {
		if q.running {
			q.done.Wait()
		} else {
			p.first(q)
		}
	}
}

// all returns when everything that waits now is done.
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
