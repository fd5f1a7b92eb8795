package term

import (
	"strings"
	"sync"
	"testing"
	"time"

	"mcpproxy/internal/eventually"
)

// screen records what was written to a terminal.
type screen struct {
	mu   sync.Mutex
	said strings.Builder
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said.String()
}

func TestProgressIsShownAndRemoved(t *testing.T) {
	s := &screen{}
	done := progress(s, "waiting for wiki", time.NewTicker(time.Millisecond))
	eventually.TrueWithin(t, 10*time.Second, "it is said", func() bool {
		return strings.Contains(s.String(), "waiting for wiki… 0s")
	})
	done()
	done() // a second call does no harm
	if got := s.String(); !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("it stays: %q", got)
	}
}

func TestQuickTasksShowNoProgress(t *testing.T) {
	s := &screen{}
	progress(s, "waiting for wiki", time.NewTicker(time.Hour))()
	Progress(s, "waiting for wiki")()
	if got := s.String(); got != "" {
		t.Errorf("it is said: %q", got)
	}
}
