package upstream_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// churnVariable marks the processes that one test starts.
const churnVariable = "TEST_CHURN"

// churnSpecs reach a server over each transport.
var churnSpecs = map[string]func(t *testing.T) upstream.Spec{
	"stdio": func(t *testing.T) upstream.Spec {
		spec := stdioSpec(t, "plain")
		spec.Env[churnVariable] = t.Name()
		return spec
	},
	"http":           func(t *testing.T) upstream.Spec { return startWeb(t, &web{}) },
	"http stateless": func(t *testing.T) upstream.Spec { return startWeb(t, &web{stateless: true}) },
	"sse":            func(t *testing.T) upstream.Spec { return sseSpec(t, sdkServer(new(atomic.Int32))) },
}

// Links open, are used and end at random moments, in every way in which a link can
// end. The race detector watches, TestMain looks for goroutines, and no process may
// outlive the manager that started it.
func TestLinksOpenAndCloseAtRandomMoments(t *testing.T) {
	t.Parallel()
	for name, spec := range churnSpecs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := spec(t)
			for range 15 {
				churn(t, s)
				if s.Protocol != upstream.Stdio {
					continue
				}
				if left := processesOf(t.Name()); len(left) > 0 {
					t.Fatalf("the manager is closed, and processes %v are left", left)
				}
			}
		})
	}
}

// churn runs one manager for some milliseconds, while several callers open and close its links.
func churn(t *testing.T, spec upstream.Spec) {
	t.Helper()
	m := upstream.NewManager(func(*upstream.Server) {}, func(*upstream.Server, *wire.Message) {})
	m.Apply([]upstream.Spec{spec})
	s, _ := m.Get(spec.Name)
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for ctx.Err() == nil {
				useForAMoment(ctx, s, "caller "+strconv.Itoa(i%2))
				if rand.N(8) == 0 {
					m.Reopen(spec.Name)
				}
			}
		})
	}
	moment(30 * time.Millisecond)
	closing, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	m.Close(closing)
	stop()
	wg.Wait()
	if closing.Err() != nil {
		t.Fatal("closing the manager takes too long")
	}
}

// useForAMoment opens the link of an owner, calls a tool on it, and drops it, or gives up
// on the way.
func useForAMoment(ctx context.Context, s *upstream.Server, key string) {
	ctx, cancel := context.WithTimeout(ctx, rand.N(20*time.Millisecond))
	defer cancel()
	owner := upstream.Owner{Session: key}
	link, release, err := s.Own(ctx, owner, upstream.Hello(nil, wire.Stateful), func(*upstream.Link, *wire.Message) {})
	if err == nil {
		defer release()
	}
	if err == nil && link.Initialized(ctx) == nil {
		_, _ = link.Call(ctx, tool("echo", "{}"), upstream.CallOptions{})
	}
	switch rand.N(3) {
	case 0:
		s.Drop(owner)
	case 1:
		if err == nil {
			link.Close()
		}
	}
}

// moment waits for a random part of d.
func moment(d time.Duration) { time.Sleep(rand.N(d)) }

// processesOf returns the processes, other than this one, that a churn test has started.
func processesOf(test string) (pids []string) {
	if runtime.GOOS != "linux" {
		return nil
	}
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		environment, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(environment), churnVariable+"="+test+"\x00") {
			pids = append(pids, filepath.Base(filepath.Dir(file)))
		}
	}
	return pids
}
