package upstream

import (
	"context"
	"testing"
	"time"

	"mcpproxy"
)

func TestLargeAnswersWaitUntilOthersAreDelivered(t *testing.T) {
	s := fullServer(t)
	l := newLink(s, func() {}, nil)
	waits := make(chan struct{})
	var ends []func()
	kept := &call{keep: func(end func()) { ends = append(ends, end) }}
	for range 2 {
		if err := l.makeRoom(t.Context(), kept, answerBytes/2); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.makeRoom(t.Context(), kept, smallAnswer); err != nil {
		t.Errorf("a small answer beside large ones: %v", err)
	}
	got := make(chan error)
	third := &call{pause: func() { close(waits) }}
	go func() { got <- l.makeRoom(t.Context(), third, 1<<20) }()
	<-waits // the wait for memory has stopped the server's timeout
	select {
	case err := <-got:
		t.Fatalf("a third large answer did not wait: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	ends[0]()
	if err := <-got; err != nil {
		t.Errorf("when one was delivered: %v", err)
	}
	if !s.answers.TryAcquire(answerBytes / 2) {
		t.Error("an answer that nobody holds keeps its memory")
	}
}

func TestALargeAnswerIsGivenUpWithItsCall(t *testing.T) {
	s := fullServer(t)
	l := newLink(s, func() {}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	c := &call{pause: cancel}
	_ = s.answers.Acquire(t.Context(), answerBytes)
	if code := mcpproxy.CodeOf(l.explain(l.makeRoom(ctx, c, answerBytes))); code != mcpproxy.CodeCancelled {
		t.Errorf("a call that is cancelled while its answer waits: %s", code)
	}
}
