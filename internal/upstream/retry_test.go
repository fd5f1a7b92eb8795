package upstream_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/upstream"
)

func TestWhichCallsAreRepeated(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		behaviour  string
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
			m.behaviour.Store(c.behaviour)
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

// No part of the call has left this machine, so a repetition cannot execute it twice.
func TestACallThatWasNotSentIsRepeated(t *testing.T) {
	t.Parallel()
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close") // so that each call needs a new connection
		(&scriptedServer{}).ServeHTTP(w, r)
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
	const times = 5 // more than the budget for repetitions of calls that may have been executed
	for range times {
		_, err := link.Call(t.Context(), tool("any", "{}"), upstream.CallOptions{})
		if codeOf(err) != mcpproxy.CodeUpstream || !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("a call of a server that is away failed with %v", err)
		}
	}
	if len(calls) != times || slices.ContainsFunc(calls, func(s upstream.Sample) bool { return !s.Retried }) {
		t.Errorf("not every call with a refused connection was repeated: %+v", calls)
	}
}

// sideEffectCredentials is an implementation of Credentials that calls a function before it returns the token.
type sideEffectCredentials struct{ before atomic.Pointer[func()] }

func (e *sideEffectCredentials) Bearer(context.Context) (string, error) {
	if f := e.before.Load(); f != nil {
		(*f)()
	}
	return "configured", nil
}

func (*sideEffectCredentials) Refused(context.Context, upstream.Refusal) (string, error) {
	return "", nil
}

// A server that restarts first refuses connections and then does not know the session.
func TestACallWhoseConnectionWasRefusedAndWhoseSessionIsUnknownIsRepeatedInANewSession(t *testing.T) {
	t.Parallel()
	w := &web{}
	back := httptest.NewUnstartedServer(w)
	back.Config.SetKeepAlivesEnabled(false) // so that each request needs a new connection
	address := back.Listener.Addr().String()
	w.live = map[string]bool{}
	back.Start()
	t.Cleanup(back.Close)
	does := &sideEffectCredentials{}
	s, _ := start(t, upstream.Spec{
		Name:        "fake",
		Enabled:     true,
		Protocol:    upstream.HTTP,
		URL:         back.URL + "/mcp",
		Credentials: does,
		Timeout:     patience,
	})
	works(t, s)
	link := present(t, s)
	back.Close()
	w.forget()
	var requests atomic.Int32 // POST requests of calls, and the GET request of the stream
	restart := func() {
		if requests.Add(1) != 2 {
			return
		}
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Error(err)
			return
		}
		again := &http.Server{Handler: w}
		again.SetKeepAlivesEnabled(false)
		t.Cleanup(func() { again.Close() })
		go func() { _ = again.Serve(l) }()
	}
	does.before.Store(&restart)
	if _, err := link.Call(t.Context(), tool("write", "{}"), upstream.CallOptions{}); err != nil {
		t.Errorf("the call failed: %v", err)
	}
	if n := requests.Load(); n < 3 || w.called("write") != 1 {
		t.Errorf("%d requests, %d of them were executed", n, w.called("write"))
	}
	if st := s.Status(); st.Breaker != upstream.Closed {
		t.Errorf("the breaker is %s", st.Breaker)
	}
}

// A restarted server refuses calls because of their session. It has executed none of them, so all are repeated,
// however many there are.
func TestAllCallsOfALostSessionAreRepeated(t *testing.T) {
	t.Parallel()
	w := &web{}
	s, _ := start(t, startWeb(t, w))
	works(t, s)
	for round := range 12 {
		link := present(t, s)
		w.forget()
		if _, err := link.Call(t.Context(), tool("write", "{}"), upstream.CallOptions{}); err != nil {
			t.Fatalf("call %d failed: %v", round, err)
		}
	}
	if st := s.Status(); w.called("write") != 12 || st.Faults != 0 || st.Breaker != upstream.Closed {
		t.Errorf("%d calls were executed, %d are faults, the breaker is %s", w.called("write"), st.Faults, st.Breaker)
	}
}

func TestASessionThatAServerDeniesWith400IsOpenedAnew(t *testing.T) {
	t.Parallel()
	for denial, renewed := range map[string]bool{
		"Bad Request: No valid session ID provided": true,
		"Session not found":                         true,
		"invalid session ID":                        true,
		"the page has no session":                   false,
	} {
		t.Run(denial, func(t *testing.T) {
			t.Parallel()
			w := &web{denial: denial}
			s, _ := start(t, startWeb(t, w))
			works(t, s)
			link := present(t, s)
			w.forget()
			resp, err := link.Call(t.Context(), tool("write", "{}"), upstream.CallOptions{})
			if err != nil || (resp.Error == nil) != renewed || (w.called("write") == 1) != renewed {
				t.Errorf("the call was executed %d times: %+v, %v", w.called("write"), resp, err)
			}
			if st := s.Status(); st.Faults != 0 {
				t.Errorf("it is a fault: %+v", st)
			}
		})
	}
}

// forgetfulServer is an MCP server that does not know the session of any tool call, not even of one that it has just
// opened.
type forgetfulServer struct{ web }

func (a *forgetfulServer) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		rw.WriteHeader(http.StatusBadRequest)
		return
	}
	if bytes.Contains(body, []byte("tools/call")) {
		a.forget()
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	a.web.ServeHTTP(rw, r)
}

// A server that forgets each session at the next call is at fault: its breaker opens. Each call is sent at most twice.
func TestAServerThatForgetsEverySessionIsAtFault(t *testing.T) {
	t.Parallel()
	a := &forgetfulServer{}
	a.live = map[string]bool{}
	back := httptest.NewServer(a)
	t.Cleanup(func() {
		back.CloseClientConnections()
		back.Close()
	})
	s, _ := start(t, upstream.Spec{
		Name:     "fake",
		Enabled:  true,
		Protocol: upstream.HTTP,
		URL:      back.URL,
		Headers:  map[string]string{"Authorization": "Bearer configured"},
		Timeout:  patience,
	})
	var failed error
	for range 4 {
		failed = once(t.Context(), s)
		if failed == nil {
			t.Fatal("a call succeeded")
		}
	}
	if codeOf(failed) != mcpproxy.CodeCircuitOpen {
		t.Errorf("the last call failed with %v", failed)
	}
}

// If a session is lost during several calls, the server may have executed those that it did not refuse.
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
	m.behaviour.Store("broken")
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
	// The link may not have noticed yet that it is broken.
	if _, err := link.Call(upstream.Repeatable(t.Context()), tool("echo", "{}"), upstream.CallOptions{}); err != nil {
		t.Error(err)
	}
}
