package upstream_test

import (
	"context"
	"encoding/json"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

func TestAPingKeepsNoCallAlive(t *testing.T) {
	t.Parallel()
	spec := stdioSpec(t, "plain")
	spec.Timeout = time.Second
	s, _ := start(t, spec)
	works(t, s)
	asked := 0
	begin := time.Now()
	_, err := askWith(t, s, tool("ping", "{}"), func(m *wire.Message) { asked++ })
	if took := time.Since(begin); mcpproxy.CodeOf(err) != mcpproxy.CodeTimeout || took > patience/2 {
		t.Errorf("after %s: %v", took, err)
	}
	if asked != 0 {
		t.Errorf("the client was asked %d times", asked)
	}
}

func TestSignsOfLifeDoNotKeepACallAliveForEver(t *testing.T) {
	t.Parallel()
	spec := stdioSpec(t, "plain")
	spec.Timeout = 200 * time.Millisecond
	s, _ := start(t, spec)
	works(t, s)
	begin := time.Now()
	req := wire.NewRequest(
		[]byte("1"),
		"tools/call",
		[]byte(`{"name":"busy","arguments":{},"_meta":{"progressToken":1}}`),
	)
	_, err := askWith(t, s, req, func(*wire.Message) {})
	if took := time.Since(begin); mcpproxy.CodeOf(err) != mcpproxy.CodeTimeout || took < 10*spec.Timeout {
		t.Errorf("after %s: %v", took, err)
	}
}

func TestAPingDuringAListIsAnswered(t *testing.T) {
	t.Parallel()
	s, _ := start(t, stdioSpec(t, "pinging"))
	if tools, err := s.ListTools(t.Context()); err != nil || len(tools) != 1 {
		t.Errorf("%d tools, %v", len(tools), err)
	}
}

func TestAServerThatReadsNoAnswersCostsLittle(t *testing.T) {
	spec := stdioSpec(t, "plain")
	s, _ := start(t, spec)
	works(t, s)
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	link, err := s.Shared(ctx)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = link.Call(ctx, tool("ping-flood", "{}"), upstream.CallOptions{})
	if more := runtime.NumGoroutine() - before; more > 100 {
		t.Errorf("%d goroutines more", more)
	}
}

// Clients of a shared link choose their progress tokens independently of each other.
func TestProgressReachesItsCall(t *testing.T) {
	t.Parallel()
	s, _ := start(t, stdioSpec(t, "plain"))
	hello := upstream.Hello([]byte(`{"roots":{}}`), wire.Stateful)
	hello.Common = true
	link, _, err := s.Own(t.Context(), upstream.Owner{Principal: "p"}, hello, func(*upstream.Link, *wire.Message) {})
	if err == nil {
		err = link.Initialized(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	call := func(name string, events func(*wire.Message)) {
		params := `{"name":"` + name + `","arguments":{},"_meta":{"progressToken":1}}`
		_, _ = link.Call(t.Context(), wire.NewRequest([]byte("1"), "tools/call", []byte(params)), upstream.CallOptions{Events: events})
	}
	waiting, stop := context.WithCancel(t.Context())
	wrong := make(chan string, 8)
	go func() {
		_, _ = link.Call(
			waiting,
			wire.NewRequest(
				[]byte("1"),
				"tools/call",
				[]byte(`{"name":"hang","arguments":{},"_meta":{"progressToken":1}}`),
			),
			upstream.CallOptions{Events: func(m *wire.Message) { wrong <- string(m.Raw) }},
		)
	}()
	defer stop()
	time.Sleep(50 * time.Millisecond)
	for range 5 {
		came := 0
		call("progress", func(m *wire.Message) {
			if wire.String(m.Params, "progressToken") == "" && string(wire.Member(m.Params, "progressToken")) == "1" {
				came++
			}
		})
		if came != 3 {
			t.Errorf("%d of 3 came", came)
		}
	}
	select {
	case m := <-wrong:
		t.Errorf("another call heard %s", m)
	default:
	}
}

func TestAServerThatExitsAfterItsHandshakeIsRestartedWithPauses(t *testing.T) {
	t.Parallel()
	s, _ := start(t, stdioSpec(t, "greets and dies"))
	time.Sleep(4 * time.Second)
	starts := 0
	for _, line := range s.Logs() {
		if strings.HasPrefix(line.Text, "started") {
			starts++
		}
	}
	if starts < 2 || starts > 4 {
		t.Errorf("it was started %d times in 4 s", starts)
	}
}

func TestAReloadLetsCallsEnd(t *testing.T) {
	t.Parallel()
	spec := stdioSpec(t, "plain")
	s, m := start(t, spec)
	works(t, s)
	came := make(chan error, 1)
	go func() {
		_, err := ask(t, s, "slow")
		came <- err
	}()
	time.Sleep(100 * time.Millisecond)
	changed := spec
	changed.Timeout = patience + time.Second
	m.Apply([]upstream.Spec{changed})
	if err := <-came; err != nil {
		t.Errorf("the call ended with %v", err)
	}
}

// Closing the manager also waits for servers that a reload removed. A change of state must be reported before the
// receiver, such as the activity log, is closed.
func TestNoChangeIsReportedAfterTheManagerIsClosed(t *testing.T) {
	t.Parallel()
	var closed, late atomic.Bool
	reporting := make(chan struct{}, 100)
	m := upstream.NewManager(func(*upstream.Server) {
		reporting <- struct{}{}
		time.Sleep(20 * time.Millisecond) // like a slow disk
		if closed.Load() {
			late.Store(true)
		}
	}, func(*upstream.Server, *wire.Message) {})
	w := &web{}
	w.stuck.Store(true)
	m.Apply([]upstream.Spec{startWeb(t, w)})
	s, _ := m.Get("fake")
	<-reporting
	m.Close(t.Context())
	closed.Store(true)
	if _, err := s.SharedLink(t.Context()); err == nil {
		t.Error("a closed manager connects")
	}
	time.Sleep(50 * time.Millisecond)
	if late.Load() || s.Status().State == upstream.Failed {
		t.Errorf("a change was reported after the end; the state is %s", s.Status().State)
	}
}

func TestNothingOutlivesTheManager(t *testing.T) {
	t.Parallel()
	s, m := start(t, stdioSpec(t, "stubborn"))
	works(t, s)
	resp, err := ask(t, s, "spawn")
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ PIDs []int }
	if err := json.Unmarshal(resp.Result, &got); err != nil {
		t.Fatal(err)
	}
	m.Apply(nil)
	m.Close(t.Context())
	for _, pid := range got.PIDs {
		if alive(pid) {
			t.Errorf("process %d lives on", pid)
		}
	}
}
