package upstream_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/eventually"
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

// Nothing of the call left this machine, so that it cannot be executed twice.
func TestACallThatWasNotSentIsRepeated(t *testing.T) {
	t.Parallel()
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close") // each call needs a connection of its own
		(&moody{}).ServeHTTP(w, r)
	}))
	t.Cleanup(back.Close)
	s, m := start(t, upstream.Spec{
		Name:     "moody",
		Enabled:  true,
		Protocol: upstream.HTTP,
		URL:      back.URL,
		Timeout:  patience,
		Limits:   upstream.Limits{NoBreaker: true},
	})
	link := present(t, s)
	var calls []upstream.Sample
	m.Observe(func(s upstream.Sample) { calls = append(calls, s) })
	back.Close()
	for range 2 {
		_, err := link.Call(t.Context(), tool("any", "{}"), upstream.CallOptions{})
		if codeOf(err) != mcpproxy.CodeUpstream || !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("a call of a server that is away failed with %v", err)
		}
	}
	if len(calls) != 2 || !calls[0].Retried || calls[1].Retried {
		t.Errorf("a refused connection, and one more than the budget allows: %+v", calls)
	}
}

// A session that is lost under several calls says nothing about those that the server has taken.
func TestOnlyTheRefusedCallOfALostSessionIsRepeated(t *testing.T) {
	t.Parallel()
	w := &web{}
	s, _ := start(t, startWeb(t, w))
	works(t, s)
	link := present(t, s)
	hanging := make(chan error, 1)
	go func() {
		_, err := link.Call(t.Context(), tool("hang", "{}"), upstream.CallOptions{})
		hanging <- err
	}()
	eventually.True(t, "the server has taken the call", func() bool { return w.called("hang") == 1 })
	w.forget()
	if _, err := ask(t, s, "echo"); err != nil {
		t.Errorf("the refused call was not repeated: %v", err)
	}
	if err := <-hanging; codeOf(err) != mcpproxy.CodeUpstream || w.called("hang") != 1 {
		t.Errorf("the call under way ended with %v and was sent %d times", err, w.called("hang"))
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
