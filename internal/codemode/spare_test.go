package codemode

import (
	"errors"
	"os"
	"testing"

	"mcpproxy/internal/codemode/frame"
	"mcpproxy/internal/eventually"
)

// newEngine returns an engine whose worker processes run this test binary.
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

// waiting waits until a worker is kept ready, and returns its process.
func (p *Processes) waiting(t *testing.T) *process {
	t.Helper()
	var w *process
	p.until(t, "a worker is ready", func() bool { w = p.ready; return w != nil })
	return w
}

// until waits until a condition is true.
func (p *Processes) until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	eventually.True(t, what, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return holds()
	})
}

// begin starts a worker and waits until it is ready.
func (p *Processes) begin(t *testing.T) *process {
	t.Helper()
	got, err := p.Start()
	if err != nil {
		t.Fatal(err)
	}
	if f, err := frame.NewReader(got, 1<<16).Read(); err != nil || f.Kind != frame.Ready {
		t.Fatalf("a worker says %q, %v", byte(f.Kind), err)
	}
	w, _ := got.(*process)
	return w
}

func TestAWorkerIsReadyBeforeItIsAskedFor(t *testing.T) {
	p := newEngine(t)
	p.Prepare()
	ready := p.waiting(t)
	if p.begin(t) != ready {
		t.Error("another worker was started for the script")
	}
}

// Shows: GW-3, GW-8.
func TestAWorkerIsGivenOneScript(t *testing.T) {
	p := newEngine(t)
	seen := map[*process]bool{}
	for range 5 {
		w := p.begin(t)
		if seen[w] {
			t.Error("a worker was given two")
		}
		seen[w] = true
		w.Kill()
	}
	if seen[p.waiting(t)] {
		t.Error("a worker waits for another one")
	}
}

func TestAWorkerThatDiesWaitingIsReplaced(t *testing.T) {
	p := newEngine(t)
	p.Prepare()
	dead := p.waiting(t)
	dead.Kill()
	<-dead.done
	p.prepare()
	if w := p.waiting(t); w == dead {
		t.Error("a dead one is kept ready")
	}
	dead = p.waiting(t)
	dead.Kill()
	<-dead.done
	if p.begin(t) == dead {
		t.Error("a dead one was given a script")
	}
}

func TestOneWorkerIsKeptReadyForALimitedTime(t *testing.T) {
	p := newEngine(t)
	for range 5 {
		p.prepare()
	}
	p.until(t, "one process lives", func() bool { return len(p.living) == 1 && p.living[p.ready] })
	p.expire()
	p.until(t, "no process lives", func() bool { return len(p.living) == 0 && p.ready == nil })
}

func TestNewLimitsApplyToLaterWorkers(t *testing.T) {
	p := newEngine(t)
	p.Prepare()
	old := p.waiting(t)
	p.Configure(DefaultLimits())
	if p.begin(t) == old {
		t.Error("a worker has the limits of before")
	}
	<-old.done
}

// Shows: GW-23.
func TestClosingEndsEveryWorker(t *testing.T) {
	p := newEngine(t)
	var all []*process
	for range 3 {
		all = append(all, p.begin(t))
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
	if p.ready != nil || len(p.living) > 0 {
		t.Errorf("%v is ready, %d live", p.ready, len(p.living))
	}
}
