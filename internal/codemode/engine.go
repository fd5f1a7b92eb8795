package codemode

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"

	"mcpproxy/internal/codemode/worker"
)

// Engine starts workers. Each runs one script.
type Engine interface {
	// Start returns a worker that waits for its script, fresh and confined.
	Start() (Worker, error)
	// Configure changes the limits of the workers to come.
	Configure(l Limits)
	// Close ends what is kept ready. Nothing is started afterwards.
	Close()
}

// Worker is the other end of an execution: a stream of frames each way.
type Worker interface {
	io.Reader
	io.Writer
	// Kill ends the worker at once, frees all that it has, and waits for that. It
	// may be called more than once.
	Kill()
}

// idle is how long a worker is kept ready for the next execution.
const idle = time.Minute

// Processes is the engine whose workers are processes of this very program. One
// is kept ready while scripts come: what it takes to start one is then over
// before it is needed. No worker ever runs a second script.
type Processes struct {
	path string

	mu     sync.Mutex
	limits Limits
	ready  *process
	expiry *time.Timer
	closed bool
}

// NewProcesses returns an engine that starts the program at path, whose main
// calls [worker.Main]. From now on no process that this one starts inherits a
// descriptor that it was not given: whoever started this one may have left some open.
func NewProcesses(path string) *Processes {
	keepDescriptors()
	return &Processes{path: path}
}

// keepDescriptors marks every open descriptor beyond the standard ones to be closed
// in programs that are started. Go does so with its own.
func keepDescriptors() {
	for _, dir := range []string{"/proc/self/fd", "/dev/fd"} {
		open, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range open {
			if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
				syscall.CloseOnExec(fd)
			}
		}
		return
	}
}

// Configure changes the limits of the workers to come.
func (p *Processes) Configure(l Limits) {
	p.mu.Lock()
	p.limits = l
	old := p.take()
	p.mu.Unlock()
	if old != nil {
		old.Kill()
	}
}

// take returns the worker that is ready, if there is one. The lock is held.
func (p *Processes) take() *process {
	w := p.ready
	p.ready = nil
	if p.expiry != nil {
		p.expiry.Stop()
	}
	return w
}

// Start returns the worker that is ready, or a new one, and has the next made.
func (p *Processes) Start() (Worker, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, os.ErrClosed
	}
	w := p.take()
	if w != nil && w.ended() {
		w.Kill()
		w = nil
	}
	var err error
	if w == nil {
		if w, err = p.start(); err != nil {
			return nil, err
		}
	}
	if next, err := p.start(); err == nil {
		p.ready = next
		p.expiry = time.AfterFunc(idle, func() {
			p.mu.Lock()
			if p.ready == next {
				p.ready = nil
			}
			p.mu.Unlock()
			next.expire()
		})
	}
	return w, nil
}

// Close ends the worker that is ready.
func (p *Processes) Close() {
	p.mu.Lock()
	p.closed = true
	w := p.take()
	p.mu.Unlock()
	if w != nil {
		w.Kill()
	}
}

// process is one worker.
type process struct {
	cmd     *exec.Cmd
	in, out *os.File // our ends
	faults  tail
	done    chan struct{}
	mu      sync.Mutex
	used    bool
}

// start starts a process with an empty environment and nothing but two pipes.
func (p *Processes) start() (*process, error) {
	l := p.limits
	o := worker.Options{HeapMB: l.HeapMB, CPUSecs: int(l.Timeout/time.Second) + 2, Parallel: l.Parallel, MaxCode: l.Code, MaxFrame: l.Text + 1<<20}
	hisIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, hisOut, err := os.Pipe()
	if err != nil {
		hisIn.Close()
		in.Close()
		return nil, err
	}
	w := &process{in: in, out: out, done: make(chan struct{})}
	w.cmd = &exec.Cmd{Path: p.path, Args: append([]string{"mcpproxy"}, o.Args()...), Env: []string{}, Dir: "/",
		Stdin: hisIn, Stdout: hisOut, Stderr: &w.faults}
	err = w.cmd.Start()
	hisIn.Close()
	hisOut.Close()
	if err != nil {
		in.Close()
		out.Close()
		return nil, err
	}
	go func() {
		_ = w.cmd.Wait()
		close(w.done)
	}()
	return w, nil
}

func (w *process) Read(b []byte) (int, error)  { return w.out.Read(b) }
func (w *process) Write(b []byte) (int, error) { return w.in.Write(b) }

// ended reports whether the process is gone; if it is not, it is used now.
func (w *process) ended() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.used = true
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

// expire ends a process that nobody has used.
func (w *process) expire() {
	w.mu.Lock()
	used := w.used
	w.mu.Unlock()
	if !used {
		w.Kill()
	}
}

// Kill ends the process at once, and waits until it is gone.
func (w *process) Kill() {
	_ = w.cmd.Process.Kill()
	<-w.done
	w.in.Close()
	w.out.Close()
}

// Faults is what the process wrote to its standard error: how it died, if it did.
func (w *process) Faults() string { return w.faults.String() }

// tail keeps the first bytes of what is written: a runtime says there why it dies.
type tail struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

const maxTail = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf.Write(b[:min(len(b), maxTail-t.buf.Len())])
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf.String()
}
