package daemon

import (
	"context"
	"net/http"
	"testing"
)

func TestADaemonThatAnswersIsHealthy(t *testing.T) {
	w := newWatched(t)
	if !w.healthy(t.Context()) {
		t.Error("a daemon that has just started is not healthy")
	}
}

// If the daemon stays unhealthy, the manager restarts it.
func TestADaemonThatDoesNotAnswerIsNotHealthy(t *testing.T) {
	hangs := make(chan struct{})
	defer close(hangs)
	d := &Daemon{routes: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hangs })}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if d.healthy(ctx) {
		t.Error("it hangs, and counts as healthy")
	}
	failing := &Daemon{routes: http.NotFoundHandler()}
	if failing.healthy(t.Context()) {
		t.Error("it does not serve, and counts as healthy")
	}
}
