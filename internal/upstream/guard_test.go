package upstream_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// scriptedServer is an MCP server over HTTP whose tools behave as the test specifies.
type scriptedServer struct {
	behaviour atomic.Value // string: the present behaviour
	calls     atomic.Int64
	release   chan struct{} // the behaviour "wait" waits for it
}

func startMoody(t *testing.T, l upstream.Limits) (*scriptedServer, *upstream.Server) {
	t.Helper()
	m := &scriptedServer{release: make(chan struct{})}
	m.behaviour.Store("well")
	back := httptest.NewServer(m)
	t.Cleanup(func() {
		back.CloseClientConnections()
		back.Close()
	})
	s, _ := start(t, upstream.Spec{
		Name:     "moody",
		Enabled:  true,
		Protocol: upstream.HTTP,
		URL:      back.URL,
		Timeout:  patience,
		Limits:   l,
	})
	if _, err := s.Shared(t.Context()); err != nil {
		t.Fatal(err)
	}
	return m, s
}

func (m *scriptedServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req request
	if r.Method != http.MethodPost || readJSON(r, &req) != nil || req.Method == "server/discover" {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	switch {
	case req.ID == nil:
		w.WriteHeader(http.StatusAccepted)
		return
	case req.Method == "initialize":
		answerJSON(
			w,
			200,
			req,
			`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"moody","version":"1"}}`,
		)
		return
	}
	n := m.calls.Add(1)
	switch behaviour := m.behaviour.Load().(string); behaviour {
	case "broken":
		panic(http.ErrAbortHandler)
	case "broken once":
		if n == 1 {
			panic(http.ErrAbortHandler)
		}
	case "busy":
		w.WriteHeader(http.StatusTooManyRequests)
		return
	case "unavailable":
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case "forbidden":
		w.WriteHeader(http.StatusForbidden)
		return
	case "unhappy":
		answerJSON(w, 200, req, `{"content":[{"type":"text","text":"no such file"}],"isError":true}`)
		return
	case "refusing":
		refuse(w, 200, req.ID, -32602, "no such tool")
		return
	case "wait":
		<-m.release
	}
	answerJSON(w, 200, req, `{"content":[]}`)
}

// calling calls a tool once and returns the error code, or "".
func calling(t *testing.T, s *upstream.Server) mcpproxy.Code {
	t.Helper()
	return codeOf(once(t.Context(), s))
}

func codeOf(err error) mcpproxy.Code {
	if err == nil {
		return ""
	}
	return mcpproxy.CodeOf(err)
}

func once(ctx context.Context, s *upstream.Server) error {
	link, err := s.Shared(ctx)
	if err == nil {
		_, err = link.Call(ctx, tool("any", "{}"), upstream.CallOptions{})
	}
	return err
}

// Shows: GW-11.
func TestWhatOpensTheBreaker(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		behaviours string // behaviours of the server, in one call each
		want       upstream.BreakerState
	}{
		"three broken connections in a row do":              {"broken broken broken", upstream.Open},
		"three gateway errors in a row do":                  {"unavailable unavailable unavailable", upstream.Open},
		"two do not":                                        {"broken broken", upstream.Closed},
		"a success between them starts the count anew":      {"broken broken well broken broken", upstream.Closed},
		"a tool's own error does not count":                 {"unhappy unhappy unhappy unhappy", upstream.Closed},
		"a tool's own error does not start the count anew":  {"broken broken unhappy broken", upstream.Open},
		"an error of the protocol neither counts nor helps": {"refusing refusing refusing broken broken refusing broken", upstream.Open},
		"a refused login does not count":                    {"forbidden forbidden forbidden forbidden", upstream.Closed},
		"a server that is busy is not broken":               {"busy busy busy busy", upstream.Closed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, s := startMoody(t, upstream.Limits{Recovery: time.Hour})
			for behaviour := range strings.FieldsSeq(c.behaviours) {
				m.behaviour.Store(behaviour)
				_ = calling(t, s)
			}
			if got := s.Status().Breaker; got != c.want {
				t.Errorf("the breaker is %s, want %s", got, c.want)
			}
		})
	}
}

// Shows: GW-10.
func TestAnOpenBreakerKeepsCallsAwayAndSaysForHowLong(t *testing.T) {
	t.Parallel()
	m, s := startMoody(t, upstream.Limits{Failures: 2, Recovery: time.Hour})
	m.behaviour.Store("broken")
	_, _ = calling(t, s), calling(t, s)
	before := m.calls.Load()
	link := present(t, s)
	for _, call := range []func() error{
		func() error { return once(t.Context(), s) },
		func() error {
			_, _, err := s.Own(t.Context(), upstream.Owner{}, upstream.Hello(nil, wire.Stateful), nil)
			return err
		},
		func() error {
			_, err := link.Call(t.Context(), wire.NewRequest([]byte("1"), "resources/read", []byte(`{"uri":"a:b"}`)), upstream.CallOptions{})
			return err
		},
		func() error {
			_, err := link.Call(t.Context(), wire.NewRequest([]byte("1"), "prompts/get", []byte(`{"name":"p"}`)), upstream.CallOptions{})
			return err
		},
	} {
		err := call()
		e, ok := errors.AsType[*mcpproxy.Error](err)
		if !ok || e.Code != mcpproxy.CodeCircuitOpen || !e.Retryable || !strings.Contains(e.Message, "1h0m0s") ||
			!strings.Contains(e.Fix, "try again in") {
			t.Errorf("got %#v", err)
		}
	}
	if m.calls.Load() != before {
		t.Error("a call reached the server")
	}
	st := s.Status()
	if st.Faults != 2 || st.LastFault == nil || st.LastFault.Code != mcpproxy.CodeUpstream ||
		time.Since(st.LastFault.Time) > patience {
		t.Errorf("the status says %d faults, last %+v", st.Faults, st.LastFault)
	}
}

// present returns the shared link, even if the breaker is open.
func present(t *testing.T, s *upstream.Server) *upstream.Link {
	t.Helper()
	link, err := s.SharedLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return link
}

// Shows: GW-10.
func TestHalfOpenLetsExactlyOneCallTry(t *testing.T) {
	t.Parallel()
	m, s := startMoody(t, upstream.Limits{Failures: 1, Recovery: 50 * time.Millisecond})
	m.behaviour.Store("broken")
	if calling(t, s) != mcpproxy.CodeUpstream {
		t.Fatal("a broken connection is no error")
	}
	m.behaviour.Store("wait")
	before := m.calls.Load()
	eventually.True(t, "the breaker is half open", func() bool { return s.Status().Breaker == upstream.HalfOpen })
	link := present(t, s)
	var wg sync.WaitGroup
	var passed, refused atomic.Int64
	for range 20 {
		wg.Go(func() {
			switch _, err := link.Call(t.Context(), tool("any", "{}"), upstream.CallOptions{}); codeOf(err) {
			case "":
				passed.Add(1)
			case mcpproxy.CodeCircuitOpen:
				refused.Add(1)
			}
		})
	}
	eventually.True(t, "all but the one are refused", func() bool { return refused.Load() == 19 })
	eventually.True(t, "the one is at the server", func() bool { return m.calls.Load() > before })
	if s.Status().Breaker != upstream.HalfOpen || m.calls.Load() != before+1 {
		t.Errorf("%s, %d calls", s.Status().Breaker, m.calls.Load()-before)
	}
	close(m.release)
	wg.Wait()
	if passed.Load() != 1 || s.Status().Breaker != upstream.Closed {
		t.Errorf("%d passed, the breaker is %s", passed.Load(), s.Status().Breaker)
	}
}

func TestATrialThatFailsOpensTheBreakerAgain(t *testing.T) {
	t.Parallel()
	m, s := startMoody(t, upstream.Limits{Failures: 1, Recovery: 50 * time.Millisecond})
	m.behaviour.Store("broken")
	for range 3 {
		eventually.True(t, "a call is let through", func() bool { return calling(t, s) == mcpproxy.CodeUpstream })
		if got := calling(t, s); got != mcpproxy.CodeCircuitOpen && got != mcpproxy.CodeUpstream {
			t.Errorf("got %q", got)
		}
	}
	m.behaviour.Store("well")
	eventually.True(t, "the server is well again", func() bool { return calling(t, s) == "" })
	if s.Status().Breaker != upstream.Closed {
		t.Error(s.Status().Breaker)
	}
}

// A call that began before the breaker opened says nothing about the present state of the server.
func TestALateSuccessDoesNotCloseTheBreaker(t *testing.T) {
	t.Parallel()
	m, s := startMoody(t, upstream.Limits{Failures: 1, Recovery: time.Hour})
	m.behaviour.Store("wait")
	late := make(chan error, 1)
	go func() { late <- once(t.Context(), s) }()
	eventually.True(t, "the call is under way", func() bool { return m.calls.Load() == 1 })
	m.behaviour.Store("broken")
	_ = calling(t, s)
	close(m.release)
	if err := <-late; err != nil {
		t.Fatal(err)
	}
	if s.Status().Breaker != upstream.Open {
		t.Error(s.Status().Breaker)
	}
}

func TestACallerThatGivesUpIsNotAFaultOfTheServer(t *testing.T) {
	t.Parallel()
	m, s := startMoody(t, upstream.Limits{Failures: 1, Recovery: time.Hour})
	m.behaviour.Store("wait")
	for _, end := range []func() (context.Context, context.CancelFunc){
		func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(t.Context(), 100*time.Millisecond)
		},
		func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(100*time.Millisecond, cancel)
			return ctx, cancel
		},
	} {
		ctx, cancel := end()
		if once(ctx, s) == nil {
			t.Error("the call succeeded")
		}
		cancel()
	}
	close(m.release)
	if st := s.Status(); st.Breaker != upstream.Closed || st.Faults != 0 {
		t.Errorf("%+v", st)
	}
}

// If the server crashes during many calls, the breaker counts one fault.
func TestACrashUnderManyCallsCountsOnce(t *testing.T) {
	t.Parallel()
	spec := stdioSpec(t, "plain")
	spec.Limits = upstream.Limits{Failures: 2, Recovery: time.Hour}
	s, _ := start(t, spec)
	works(t, s)
	link := present(t, s)
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() { _, _ = link.Call(t.Context(), tool("hang", "{}"), upstream.CallOptions{}) })
	}
	eventually.True(t, "the calls are under way", func() bool { return s.Status().InFlight == 10 })
	_, _ = link.Call(t.Context(), tool("die", "{}"), upstream.CallOptions{})
	wg.Wait()
	if st := s.Status(); st.Breaker != upstream.Closed {
		t.Errorf("%+v", st)
	}
	works(t, s)
}

func TestAServerThatCannotBeReachedOpensItsBreaker(t *testing.T) {
	t.Parallel()
	s, _ := start(t, upstream.Spec{
		Name:     "gone",
		Enabled:  true,
		Protocol: upstream.HTTP,
		URL:      "http://127.0.0.1:1/mcp",
		Limits:   upstream.Limits{Recovery: time.Hour},
	})
	for range 3 {
		_ = calling(t, s)
	}
	eventually.True(t, "the breaker opens", func() bool { return calling(t, s) == mcpproxy.CodeCircuitOpen })
}

func TestWithoutABreakerEveryCallIsTried(t *testing.T) {
	t.Parallel()
	m, s := startMoody(t, upstream.Limits{NoBreaker: true})
	m.behaviour.Store("broken")
	for range 10 {
		if got := calling(t, s); got != mcpproxy.CodeUpstream {
			t.Errorf("got %q", got)
		}
	}
	if st := s.Status(); st.Breaker != "" || m.calls.Load() != 10 {
		t.Errorf("%+v after %d calls", st, m.calls.Load())
	}
}

func TestEveryCallIsCounted(t *testing.T) {
	t.Parallel()
	m := &scriptedServer{}
	m.behaviour.Store("well")
	back := httptest.NewServer(m)
	defer back.Close()
	s, manager := start(t, upstream.Spec{
		Name:     "moody",
		Enabled:  true,
		Protocol: upstream.HTTP,
		URL:      back.URL,
		Limits:   upstream.Limits{Failures: 1, Recovery: time.Hour},
	})
	var mu sync.Mutex
	var seen []string
	manager.Observe(func(s upstream.Sample) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, fmt.Sprintf("%s %q %t", s.Server, s.Code, s.Retried))
	})
	link := present(t, s)
	_, _ = link.Call(t.Context(), tool("any", "{}"), upstream.CallOptions{})
	m.behaviour.Store("broken")
	_, _ = link.Call(t.Context(), tool("any", "{}"), upstream.CallOptions{})
	_, _ = link.Call(t.Context(), tool("any", "{}"), upstream.CallOptions{})
	want := `moody "" false, moody "UPSTREAM_ERROR" false, moody "CIRCUIT_OPEN" false`
	if got := strings.Join(seen, ", "); got != want {
		t.Errorf("got %s", got)
	}
}

// A caller with a shorter time limit than the server's ends the call as a timeout. The breaker counts it if the server
// had at least a second.
// Shows: GW-11.
func TestAnImpatientCallerEndsACallAsATimeoutOfTheServer(t *testing.T) {
	t.Parallel()
	m, s := startMoody(t, upstream.Limits{Failures: 1, Recovery: time.Hour})
	m.behaviour.Store("wait")
	defer close(m.release)
	link := present(t, s)
	for _, c := range []struct {
		patience time.Duration
		says     string
		breaker  upstream.BreakerState
	}{
		{50 * time.Millisecond, "did not answer within 50ms", upstream.Closed},
		{1100 * time.Millisecond, "did not answer within 1.1s", upstream.Open},
	} {
		_, err := link.Call(upstream.WithPatience(t.Context(), c.patience), tool("any", "{}"), upstream.CallOptions{})
		if codeOf(err) != mcpproxy.CodeTimeout || !strings.Contains(err.Error(), c.says) || s.Status().Breaker != c.breaker {
			t.Errorf("after %v: %v, the breaker is %s", c.patience, err, s.Status().Breaker)
		}
	}
}

// Time before a call is sent, such as the start of a program, counts against the caller's time limit. The call ends
// when that limit is used up, and not at a later deadline of which the breaker would not learn.
func TestTimeBeforeACallIsSentCountsAgainstTheCallersLimit(t *testing.T) {
	t.Parallel()
	m, s := startMoody(t, upstream.Limits{Failures: 1, Recovery: time.Hour})
	m.behaviour.Store("wait")
	defer close(m.release)
	link := present(t, s)
	ctx := upstream.WithPatience(t.Context(), 1700*time.Millisecond)
	time.Sleep(500 * time.Millisecond)
	began := time.Now()
	_, err := link.Call(ctx, tool("any", "{}"), upstream.CallOptions{})
	if codeOf(err) != mcpproxy.CodeTimeout || !strings.Contains(err.Error(), "did not answer within 1.") {
		t.Errorf("%v", err)
	}
	if took := time.Since(began); took > 1500*time.Millisecond {
		t.Errorf("the call waited %v of 1.2 s that were left", took)
	}
	if breaker := s.Status().Breaker; breaker != upstream.Open {
		t.Errorf("the breaker is %s", breaker)
	}
}
