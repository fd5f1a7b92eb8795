package codemode

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"time"

	"mcpproxy/internal/codemode/worker"
)

// Engine starts workers. Each runs one script.
type Engine interface {
	// Start returns a worker that waits for its script, fresh and confined.
	Start() (Worker, error)
	// Prepare says that a script may come soon. It does not wait for anything.
	Prepare()
	// Configure changes the limits of the workers to come.
	Configure(l Limits)
	// Close ends every worker and waits until all are gone. Nothing is started
	// afterwards.
	Close()
}

// Worker is the other end of an execution: a stream of frames each way.
type Worker interface {
	io.Reader
	io.Writer
	// Halt has the worker do nothing until Resume is called. It can be killed meanwhile.
	Halt()
	Resume()
	// Kill ends the worker: it does nothing any more, and all that it has is freed
	// soon. It may be called more than once.
	Kill()
}

// idle is how long a worker is kept ready for the next execution. It takes some 5 MB
// of its own meanwhile.
const idle = 3 * time.Minute

// Processes is the engine whose workers are processes of this very program. One
// is kept ready while scripts come: what it takes to start one is then over
// before it is needed. Two were no faster, measured on two processors: those that are
// started at once slow each other down. No worker ever runs a second script.
type Processes struct {
	path string

	mu     sync.Mutex
	limits Limits
	ready  *process // nil while there is none
	expiry *time.Timer
	closed bool
	living map[*process]bool
	gone   sync.WaitGroup // waits for them
}

// NewProcesses returns an engine that starts the program at path, whose main
// calls [worker.Main]. From now on no process that this one starts inherits a
// descriptor that it was not given: whoever started this one may have left some open.
func NewProcesses(path string) *Processes {
	keepDescriptors()
	return &Processes{path: path, living: map[*process]bool{}}
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
				closeOnExec(fd)
			}
		}
		return
	}
}

// Configure changes the limits of the workers to come.
func (p *Processes) Configure(l Limits) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.limits = l
	p.dismiss()
}

// dismiss ends the worker that is ready. The lock is held.
func (p *Processes) dismiss() {
	if w := p.take(); w != nil {
		w.Kill()
	}
}

// take returns the worker that is ready, if there is one. The lock is held.
func (p *Processes) take() *process {
	w := p.ready
	p.ready = nil
	if w != nil && w.ended() {
		w.Kill()
		return nil
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
	defer p.Prepare()
	if w := p.take(); w != nil {
		return w, nil
	}
	w, err := p.start()
	if err != nil {
		return nil, err
	}
	return w, nil
}

// Prepare has a worker made ready, if there is none.
func (p *Processes) Prepare() { go p.prepare() }

func (p *Processes) prepare() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	if p.ready = p.take(); p.ready == nil {
		next, err := p.start()
		if err != nil {
			return // whoever needs it hears why
		}
		p.ready = next
	}
	if p.expiry == nil {
		p.expiry = time.AfterFunc(idle, p.expire)
	}
	p.expiry.Reset(idle)
}

// expire ends the worker that nobody has used for long.
func (p *Processes) expire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dismiss()
}

// Close ends every worker, and waits until all are gone.
func (p *Processes) Close() {
	p.mu.Lock()
	p.closed, p.ready = true, nil
	if p.expiry != nil {
		p.expiry.Stop()
	}
	for w := range p.living {
		w.Kill()
	}
	p.mu.Unlock()
	p.gone.Wait()
}

// process is one worker.
type process struct {
	cmd     *exec.Cmd
	in, out *os.File // our ends
	faults  tail
	done    chan struct{} // it has ended
	unread  chan struct{} // nobody reads any more what it has written
	kill    sync.Once
}

// start starts a process with nothing but two pipes, and an environment that says what
// local time is: an engine that is not told looks for a file, which it may not open.
func (p *Processes) start() (*process, error) {
	l := p.limits
	o := worker.Options{
		HeapMB:   l.HeapMB,
		CPUSecs:  int(l.Timeout/time.Second) + 2,
		Parallel: l.Parallel,
		MaxCode:  l.Code,
		MaxFrame: max(l.Text, l.StashValue) + 1<<20,
		MaxOpen:  maxOpen,
		MaxBytes: l.Frame,
	}
	hisIn, in, err := newPipe()
	if err != nil {
		return nil, err
	}
	out, hisOut, err := newPipe()
	if err != nil {
		hisIn.Close()
		in.Close()
		return nil, err
	}
	w := &process{
		in:     in,
		out:    out,
		done:   make(chan struct{}),
		unread: make(chan struct{}),
	}
	w.cmd = &exec.Cmd{
		Path:        p.path,
		Args:        append([]string{"mcpproxy"}, o.Args()...),
		Env:         []string{"TZ=UTC"},
		Dir:         "/",
		Stdin:       hisIn,
		Stdout:      hisOut,
		Stderr:      &w.faults,
		SysProcAttr: lifeline(),
	}
	begun := make(chan error, 1)
	p.gone.Go(func() { p.tend(w, begun) })
	err = <-begun
	hisIn.Close()
	hisOut.Close()
	if err != nil {
		in.Close()
		out.Close()
		return nil, err
	}
	p.living[w] = true
	return w, nil
}

// tend starts a process, says so, and stays with it. So does the thread, which it is
// tied to.
func (p *Processes) tend(w *process, begun chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := w.cmd.Start()
	begun <- err
	if err != nil {
		return
	}
	_ = w.cmd.Wait()
	w.in.Close()
	close(w.done)
	<-w.unread // its last words may still lie in the pipe
	w.out.Close()
	p.mu.Lock()
	delete(p.living, w)
	p.mu.Unlock()
}

func (w *process) Read(b []byte) (int, error)  { return w.out.Read(b) }
func (w *process) Write(b []byte) (int, error) { return w.in.Write(b) }

// ended reports whether the process has ended.
func (w *process) ended() bool {
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

// Kill ends the process, and frees what it has when it has ended. What it has written
// is lost.
func (w *process) Kill() {
	_ = w.cmd.Process.Kill()
	w.kill.Do(func() { close(w.unread) })
}

// Faults ends the process. They are what it wrote to its standard error, and how it
// ended: by itself, or by which signal.
func (w *process) Faults() (said, end string) {
	w.Kill()
	<-w.done
	return w.faults.String(), w.cmd.ProcessState.String()
}

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
