package upstream_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/upstream"
)

func TestRunningAndWaitingCallsAreLimited(t *testing.T) {
	t.Parallel()
	m, s := startMoody(t, upstream.Limits{Concurrent: 3, Queued: 4})
	m.behaviour.Store("wait")
	codes := make(chan mcpproxy.Code, 100)
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() { codes <- codeOf(once(t.Context(), s)) })
	}
	for range 3 { // calls for which neither a slot nor a place in the queue is free
		if got := <-codes; got != mcpproxy.CodeRateLimit {
			t.Errorf("got %q", got)
		}
	}
	st := s.Status()
	if st.InFlight != 3 || st.Queued != 4 || m.calls.Load() > 3 {
		t.Errorf("%d under way, %d waiting, %d reached the server", st.InFlight, st.Queued, m.calls.Load())
	}
	close(m.release)
	wg.Wait()
	for range 7 {
		if got := <-codes; got != "" {
			t.Errorf("got %q", got)
		}
	}
	if st := s.Status(); st.InFlight != 0 || st.Queued != 0 {
		t.Errorf("%d under way, %d waiting at the end", st.InFlight, st.Queued)
	}
}

func TestACallDoesNotWaitForeverForItsTurn(t *testing.T) {
	t.Parallel()
	m, s := startMoody(t, upstream.Limits{Concurrent: 1, QueueTimeout: 50 * time.Millisecond})
	m.behaviour.Store("wait")
	first := make(chan error, 1)
	go func() { first <- once(t.Context(), s) }()
	eventually.True(t, "the first is under way", func() bool { return s.Status().InFlight == 1 })
	err := once(t.Context(), s)
	e, ok := errors.AsType[*mcpproxy.Error](err)
	if !ok || e.Code != mcpproxy.CodeRateLimit || !e.Retryable || e.Fix == "" {
		t.Errorf("got %#v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := codeOf(once(ctx, s)); got != mcpproxy.CodeCancelled {
		t.Errorf("a caller that goes away while it waits gets %q", got)
	}
	close(m.release)
	if err := <-first; err != nil {
		t.Error(err)
	}
}

func TestTheRateLimitHolds(t *testing.T) {
	t.Parallel()
	m, s := startMoody(t, upstream.Limits{Rate: 1, QueueTimeout: time.Millisecond})
	if got := calling(t, s); got != "" {
		t.Fatalf("the first call gets %q", got)
	}
	err := once(t.Context(), s)
	e, ok := errors.AsType[*mcpproxy.Error](err)
	if !ok || e.Code != mcpproxy.CodeRateLimit || !e.Retryable || e.Fix != "try again in 1s, with fewer calls at once" {
		t.Errorf("got %#v", err)
	}
	if m.calls.Load() != 1 {
		t.Errorf("%d calls reached the server", m.calls.Load())
	}
	m, s = startMoody(t, upstream.Limits{Rate: 100})
	begin := time.Now()
	for range 120 {
		if got := calling(t, s); got != "" {
			t.Fatalf("got %q", got)
		}
	}
	if n := m.calls.Load(); n != 120 || time.Since(begin) < 200*time.Millisecond {
		t.Errorf("%d calls in %s at 100 a second with a start of 100", n, time.Since(begin))
	}
}

func TestMessagesOfABusyServerAreRead(t *testing.T) {
	t.Parallel()
	m, s := startMoody(t, upstream.Limits{})
	m.behaviour.Store("busy")
	err := once(t.Context(), s)
	if e, ok := errors.AsType[*mcpproxy.Error](err); !ok || e.Code != mcpproxy.CodeRateLimit || !e.Retryable {
		t.Errorf("got %#v", err)
	}
}
