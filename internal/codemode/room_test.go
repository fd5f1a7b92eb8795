package codemode

import (
	"context"
	"errors"
	"testing"
	"time"

	"mcpproxy"
)

// enter takes a slot that must be free.
func enter(t *testing.T, r *room) *slot {
	t.Helper()
	p, err := r.enter(t.Context(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTheWaitForAFreeWorkerIsLimited(t *testing.T) {
	var r room
	r.resize(1)
	p := enter(t, &r)
	_, err := r.enter(t.Context(), time.Millisecond)
	e, ok := errors.AsType[*mcpproxy.Error](err)
	if !ok || e.Code != mcpproxy.CodeRateLimit || !e.Retryable || e.Fix == "" {
		t.Errorf("after its patience: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.enter(ctx, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for range maxQueue {
		r.waiting = append(r.waiting, make(chan struct{}))
	}
	if _, err := r.enter(t.Context(), time.Minute); mcpproxy.CodeOf(err) != mcpproxy.CodeRateLimit {
		t.Errorf("behind a full queue: %v", err)
	}
	r.waiting = nil
	p.leave()
	enter(t, &r).leave()
	if r.taken != 0 || r.away != 0 {
		t.Errorf("%d places are taken, %d are away", r.taken, r.away)
	}
}

// While people think for minutes, other scripts run.
func TestAnExecutionThatWaitsForAPersonLendsItsSlot(t *testing.T) {
	var r room
	r.resize(1)
	asking := enter(t, &r)
	first, second := asking.step(), asking.step() // two calls wait for a person
	other := enter(t, &r)
	first()
	if r.taken != 1 {
		t.Errorf("it is back while a person is still asked")
	}
	second()
	second()
	if r.taken != 2 || r.away != 0 {
		t.Errorf("%d run, %d are away", r.taken, r.away)
	}
	other.leave()
	asking.leave()
	ended := enter(t, &r) // an execution that ends while a person is asked
	back := ended.step()
	ended.leave()
	back()
	if r.taken != 0 || r.away != 0 {
		t.Errorf("at the end %d run, %d are away", r.taken, r.away)
	}
}

func TestTheNumberOfLentSlotsIsLimited(t *testing.T) {
	var r room
	r.resize(1)
	for range maxAway {
		enter(t, &r).step()
	}
	enter(t, &r).step() // keeps its slot
	if _, err := r.enter(t.Context(), time.Millisecond); mcpproxy.CodeOf(err) != mcpproxy.CodeRateLimit {
		t.Errorf("%d wait for people, and another one runs: %v", r.away, err)
	}
}
