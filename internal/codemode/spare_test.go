package codemode

import (
	"errors"
	"os"
	"testing"
	"time"

	"mcpproxy/internal/codemode/frame"
)

// newEngine returns an engine whose workers are this test's program.
func newEngine(t *testing.T) *Processes {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := NewProcesses(path)
	p.Configure(DefaultLimits())
	t.Cleanup(p.Close)
	return p
}

// waiting are the ids of the processes that are kept ready, once there are n.
func (p *Processes) waiting(t *testing.T, n int) map[int]bool {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		out := map[int]bool{}
		p.mu.Lock()
		for _, w := range p.ready {
			out[w.cmd.Process.Pid] = true
		}
		p.mu.Unlock()
		if len(out) == n {
			return out
		}
		if time.Now().After(end) {
			t.Fatalf("%d workers are ready, not %d", len(out), n)
		}
	}
}

// begin takes a worker that gets ready.
func (p *Processes) begin(t *testing.T) (w *process, pid int) {
	t.Helper()
	got, err := p.Start()
	if err != nil {
		t.Fatal(err)
	}
	if f, err := frame.NewReader(got, 1<<16).Read(); err != nil || f.Kind != frame.Ready {
		t.Fatalf("a worker says %q, %v", byte(f.Kind), err)
	}
	w, _ = got.(*process)
	return w, w.cmd.Process.Pid
}

func TestAWorkerIsReadyBeforeItIsAskedFor(t *testing.T) {
	p := newEngine(t)
	p.Prepare()
	ready := p.waiting(t, 1)
	if _, pid := p.begin(t); !ready[pid] {
		t.Errorf("worker %d was started for the script; %v were ready", pid, ready)
	}
}

func TestAWorkerIsGivenOneScript(t *testing.T) {
	p := newEngine(t)
	seen := map[int]bool{}
	for range 5 {
		w, pid := p.begin(t)
		if seen[pid] {
			t.Errorf("worker %d was given two", pid)
		}
		seen[pid] = true
		w.Kill()
	}
	for pid := range p.waiting(t, spares) {
		if seen[pid] {
			t.Errorf("worker %d waits for another", pid)
		}
	}
}

func TestAWorkerThatDiesWaitingIsReplaced(t *testing.T) {
	p := newEngine(t)
	p.Prepare()
	dead := p.waiting(t, 1)
	p.mu.Lock()
	w := p.ready[0]
	p.mu.Unlock()
	w.Kill()
	<-w.done
	if _, pid := p.begin(t); dead[pid] {
		t.Errorf("worker %d is dead", pid)
	}
}

func TestNoMoreWorkersWaitThanAreWantedAndNoneForEver(t *testing.T) {
	p := newEngine(t)
	for range 3 * spares {
		p.prepare()
	}
	p.waiting(t, spares)
	p.expire()
	p.waiting(t, 0)
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		p.mu.Lock()
		n := len(p.living)
		p.mu.Unlock()
		if n == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d processes live after their time", n)
		}
	}
	p.waiting(t, 0) // and none was made for those that nobody used
}

func TestOtherLimitsAreForWorkersToCome(t *testing.T) {
	p := newEngine(t)
	p.Prepare()
	old := p.waiting(t, 1)
	p.Configure(DefaultLimits())
	if _, pid := p.begin(t); old[pid] {
		t.Errorf("worker %d has the limits of before", pid)
	}
}

func TestClosingEndsEveryWorker(t *testing.T) {
	p := newEngine(t)
	var all []*process
	for range 3 {
		w, _ := p.begin(t)
		all = append(all, w)
	}
	p.Close()
	for _, w := range all {
		if !w.ended() {
			t.Errorf("worker %d lives", w.cmd.Process.Pid)
		}
	}
	if _, err := p.Start(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a worker is started after the end: %v", err)
	}
	p.prepare()
	if len(p.ready) > 0 || len(p.living) > 0 {
		t.Errorf("%d are ready, %d live", len(p.ready), len(p.living))
	}
}
