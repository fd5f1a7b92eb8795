package daemon

import (
	"context"
	"log/slog"
	"net/http"

	"mcpproxy/internal/service"
)

// reportTo tells the service manager that started this process that it is ready, and then
// periodically that it is healthy.
func reportTo(ctx context.Context, d *Daemon) {
	if err := service.Notify(service.Ready); err != nil {
		slog.Warn("the service manager cannot be told that the daemon is ready", "error", err)
	}
	if interval := service.WatchdogInterval(); interval > 0 {
		go service.Watch(ctx, interval, d.healthy)
	}
}

// healthy reports whether the daemon answers a request before ctx ends. The request uses the normal
// handler but bypasses the listeners' limits. Otherwise a client that fills the limits could make
// the manager restart the daemon.
func (d *Daemon) healthy(ctx context.Context) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "/healthz", nil)
	if err != nil {
		return false
	}
	answered := make(chan int, 1)
	go func() {
		var a statusOnly
		d.routes.ServeHTTP(&a, r)
		answered <- a.status
	}()
	select {
	case status := <-answered:
		return status == http.StatusOK
	case <-ctx.Done():
		slog.Warn("the daemon did not answer its own health check in time")
		return false
	}
}

// statusOnly is an [http.ResponseWriter] that keeps only the status.
type statusOnly struct {
	header http.Header
	status int
}

func (s *statusOnly) Header() http.Header {
	if s.header == nil {
		s.header = http.Header{}
	}
	return s.header
}

func (s *statusOnly) WriteHeader(status int) {
	if s.status == 0 {
		s.status = status
	}
}

func (s *statusOnly) Write(b []byte) (int, error) {
	s.WriteHeader(http.StatusOK)
	return len(b), nil
}
