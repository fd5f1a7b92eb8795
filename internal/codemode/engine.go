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
	// Start returns a new, confined worker that waits for its script.
	Start() (Worker, error)
	// Prepare says that a script may come soon. It does not block.
	Prepare()
	// Configure changes the limits of later workers.
	Configure(l Limits)
	// Close ends every worker and waits for their end. It prevents further starts.
	Close()
}

// Worker is the host's connection to a worker: one stream of frames in each direction.
type Worker interface {
	io.Reader
	io.Writer
	// Halt suspends the worker until Resume is called. A suspended worker can be killed.
	Halt()
	Resume()
	// Kill ends the worker at once and releases its resources soon. It may be called more than
	// once.
	Kill()
}

// idle is how long a worker is kept ready for the next execution. It uses about 5 MB meanwhile.
const idle = 3 * time.Minute

// Processes is the engine whose workers are processes of this program. It keeps one worker ready
// while scripts arrive, so that the next script need not wait for a start. Two ready workers were
// not faster on two processors: processes that start at once slow each other down. No worker runs a
// second script.
type Processes struct {
	path string

	mu     sync.Mutex
	limits Limits
	ready  *process // nil if no worker is ready
	expiry *time.Timer
	closed bool
	living map[*process]bool
	gone   sync.WaitGroup // counts the running workers
}

// NewProcesses returns an engine that starts the program at path, whose main calls [worker.Main].
// It also prevents all processes that this one starts from inheriting descriptors, because the
// parent of this process may have left some open.
func NewProcesses(path string) *Processes {
	keepDescriptors()
	return &Processes{path: path, living: map[*process]bool{}}
}

// keepDescriptors marks every open descriptor beyond the standard ones as close-on-exec. Go does
// the same for the descriptors that it opens.
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

// Configure changes the limits of later workers.
func (p *Processes) Configure(l Limits) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.limits = l
	p.dismiss()
}

// dismiss ends the ready worker. The caller holds the lock.
func (p *Processes) dismiss() {
	if w := p.take(); w != nil {
		w.Kill()
	}
}

// take returns the ready worker, or nil. The caller holds the lock.
func (p *Processes) take() *process {
	w := p.ready
	p.ready = nil
	if w != nil && w.ended() {
		w.Kill()
		return nil
	}
	return w
}

// Start returns the ready worker or a new one, and prepares the next.
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

// Prepare starts a worker unless one is ready.
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
			return // Start reports the error if a worker is needed
		}
		p.ready = next
	}
	if p.expiry == nil {
		p.expiry = time.AfterFunc(idle, p.expire)
	}
	p.expiry.Reset(idle)
}

// expire ends the ready worker if it has not been used for a long time.
func (p *Processes) expire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dismiss()
}

// Close ends every worker and waits for their end.
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
	in, out *os.File // the host's ends of the pipes
	faults  tail
	done    chan struct{} // closed when the process has ended
	unread  chan struct{} // closed when its standard error was read to the end
	kill    sync.Once
}

// start starts a process with two pipes and nothing else. Its environment only sets the time zone,
// because the script engine would otherwise look for a file, which the worker may not open.
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
		SysProcAttr: workerAttributes(),
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

// tend starts a process and waits for it. It locks its thread, because the process ends with that
// thread.
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
	<-w.unread // its last output may still be in the pipe
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

// Kill ends the process and releases its resources after it has ended. Unread output is lost.
func (w *process) Kill() {
	_ = w.cmd.Process.Kill()
	w.kill.Do(func() { close(w.unread) })
}

// Faults ends the process. It returns the beginning of the process's standard error, and its exit
// status or signal.
func (w *process) Faults() (said, end string) {
	w.Kill()
	<-w.done
	return w.faults.String(), w.cmd.ProcessState.String()
}

// tail keeps the first bytes of a worker's standard error: a runtime that crashes writes the reason
// first.
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
