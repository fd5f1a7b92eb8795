package upstream_test

import (
	"testing"

	"mcpproxy"
	"mcpproxy/internal/upstream"
)

func TestWhichCallsAreRepeated(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mood       string
		repeatable bool
		calls      int64
		code       mcpproxy.Code
	}{
		"a call that only reads, after a broken connection": {"broken once", true, 2, ""},
		"any other call is not":                             {"broken once", false, 1, mcpproxy.CodeUpstream},
		"once only":                                         {"broken", true, 2, mcpproxy.CodeUpstream},
		"not after a tool's own error":                      {"unhappy", true, 1, ""},
		"not after a refusal":                               {"forbidden", true, 1, mcpproxy.CodeUpstream},
		"not when the server is busy":                       {"busy", true, 1, mcpproxy.CodeRateLimit},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, s := startMoody(t, upstream.Limits{})
			m.mood.Store(c.mood)
			ctx := t.Context()
			if c.repeatable {
				ctx = upstream.Repeatable(ctx)
			}
			if got := codeOf(once(ctx, s)); got != c.code || m.calls.Load() != c.calls {
				t.Errorf("got %q after %d calls", got, m.calls.Load())
			}
		})
	}
}

func TestRepetitionsHaveABudget(t *testing.T) {
	t.Parallel()
	m, s := startMoody(t, upstream.Limits{NoBreaker: true})
	m.mood.Store("broken")
	for range 50 {
		_ = once(upstream.Repeatable(t.Context()), s)
	}
	if n := m.calls.Load(); n < 52 || n > 56 {
		t.Errorf("50 failing calls became %d", n)
	}
}

func TestACallIsRepeatedOnANewProcess(t *testing.T) {
	t.Parallel()
	s, _ := start(t, stdioSpec(t, "plain"))
	works(t, s)
	link := present(t, s)
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		_, _ = link.Call(t.Context(), tool("die", "{}"), upstream.CallOptions{})
	}()
	<-killed
	// The link may not know yet that it is broken.
	if _, err := link.Call(upstream.Repeatable(t.Context()), tool("echo", "{}"), upstream.CallOptions{}); err != nil {
		t.Error(err)
	}
}
