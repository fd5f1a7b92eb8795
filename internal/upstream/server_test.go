package upstream_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

func TestBothErasAreSpoken(t *testing.T) {
	t.Parallel()
	for mode, c := range map[string]struct {
		era     wire.Era
		version string
	}{
		"plain":     {wire.Stateful, wire.LatestStateful},
		"stateless": {wire.Stateless, wire.Latest},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s, _ := start(t, stdioSpec(t, mode))
			link, err := s.Shared(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if link.Era != c.era || link.Version != c.version || link.Hello == nil {
				t.Errorf("era %d, version %s, hello %s", link.Era, link.Version, link.Hello)
			}
			works(t, s)
			eventually.True(t, "the server is ready", func() bool { return s.Status().State == upstream.Ready })
			if got := s.Status(); got.Version != c.version || got.Error != "" {
				t.Errorf("status %+v", got)
			}
			tools, err := s.ListTools(t.Context())
			if err != nil || fmt.Sprintf("%s", tools) != `[{"name":"a"} {"name":"b","big":12345678901234567890}]` {
				t.Errorf("tools %s, %v", tools, err)
			}
		})
	}
}

func TestAServerOfAnUnknownRevisionIsRefused(t *testing.T) {
	t.Parallel()
	s, _ := start(t, stdioSpec(t, "ancient"))
	if _, err := s.Shared(t.Context()); err == nil || !strings.Contains(err.Error(), "2023-01-01") {
		t.Errorf("got %v", err)
	}
}

func TestAListWithoutEndEnds(t *testing.T) {
	t.Parallel()
	s, _ := start(t, stdioSpec(t, "endless"))
	if _, err := s.ListTools(t.Context()); mcpproxy.CodeOf(err) != mcpproxy.CodeMalformed {
		t.Errorf("got %v", err)
	}
}

func TestTheStatusSaysWhyToolsCannotBeListedUntilTheyCan(t *testing.T) {
	t.Parallel()
	s, _ := start(t, stdioSpec(t, "forgetful"))
	if _, err := s.ListTools(t.Context()); err == nil {
		t.Fatal("the first list came")
	}
	const want = `its tools cannot be listed: server "fake" refused to list its tools: not yet`
	if st := s.Status(); st.State != upstream.Ready || st.Error != want {
		t.Errorf("the status is %s, %q; want %q", st.State, st.Error, want)
	}
	if _, err := s.ListTools(t.Context()); err != nil {
		t.Fatal(err)
	}
	if st := s.Status(); st.State != upstream.Ready || st.Error != "" {
		t.Errorf("the status is %s, %q", st.State, st.Error)
	}
}

// Shows: GW-12.
func TestAHangingCallDelaysNoOther(t *testing.T) {
	t.Parallel()
	s, _ := start(t, stdioSpec(t, "plain"))
	works(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	link, err := s.Shared(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if _, err := link.Call(ctx, tool("hang", "{}"), upstream.CallOptions{}); mcpproxy.CodeOf(err) != mcpproxy.CodeCancelled {
				t.Errorf("the hanging call ended with %v", err)
			}
		})
	}
	begin := time.Now()
	for range 20 {
		if _, err := ask(t, s, "echo"); err != nil {
			t.Error(err)
		}
	}
	if d := time.Since(begin); d > patience/2 {
		t.Errorf("beside hanging calls, 20 others took %s", d)
	}
	cancel()
	wg.Wait()
}

// Each of many concurrent calls gets its own answer.
func TestConcurrentCallsGetTheirOwnAnswers(t *testing.T) {
	t.Parallel()
	s, _ := start(t, stdioSpec(t, "plain"))
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			want := fmt.Sprintf(`{"i":%d}`, i)
			resp, err := askWith(t, s, tool("echo", want), nil)
			if err != nil {
				t.Error(err)
			} else if got := wire.Member(resp.Result, "params", "arguments"); string(got) != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	wg.Wait()
}

// A caller waits for a connection no longer than its own time limit.
func TestAServerThatConnectsForeverBlocksNoCaller(t *testing.T) {
	t.Parallel()
	s, _ := start(t, stdioSpec(t, "mute"))
	eventually.True(t, "the server is being greeted", func() bool { return len(s.Logs()) > 0 })
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if _, err := s.Shared(ctx); err == nil {
		t.Error("connected to a server that says nothing")
	}
	if d := time.Since(begin); d > patience/4 {
		t.Errorf("a caller that wanted to wait 300ms waited %s", d)
	}
}

func TestCloseEndsTheServerAndItsChildren(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("asks /proc")
	}
	t.Parallel()
	for _, mode := range []string{"plain", "stubborn"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s, m := start(t, stdioSpec(t, mode))
			pids := spawned(t, s)
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			m.Close(ctx)
			eventually.True(
				t,
				"the server and its child are gone",
				func() bool { return !alive(pids[0]) && !alive(pids[1]) },
			)
		})
	}
}

func TestAServerThatDiesLeavesNoChildren(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("asks /proc")
	}
	t.Parallel()
	s, _ := start(t, stdioSpec(t, "plain"))
	pids := spawned(t, s)
	if _, err := ask(t, s, "die"); err == nil {
		t.Fatal("the server answered its own death")
	}
	eventually.True(t, "the child is gone", func() bool { return !alive(pids[1]) })
}

// spawned makes the server start a child process, and returns the pids of both.
func spawned(t *testing.T, s *upstream.Server) []int {
	t.Helper()
	var got struct{ Pids []int }
	resp, err := ask(t, s, "spawn")
	decode(t, resp, err, &got)
	if len(got.Pids) != 2 || !alive(got.Pids[0]) || !alive(got.Pids[1]) {
		t.Fatalf("not running: %v", got.Pids)
	}
	return got.Pids
}

// alive reports whether a process runs. A zombie does not count.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}

func TestAClosedServerStaysClosed(t *testing.T) {
	t.Parallel()
	s, m := start(t, stdioSpec(t, "plain"))
	link, err := s.Shared(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m.Apply(nil) // removed by a reload while a caller still uses it
	if _, ok := m.Get("fake"); ok {
		t.Error("the manager still knows the server")
	}
	select {
	case <-link.Done():
	case <-time.After(patience):
		t.Fatal("its link stays open")
	}
	if link, err := s.Shared(t.Context()); err == nil {
		link.Close()
		t.Error("the removed server was started again for its shared link")
	}
	if link, _, err := s.Own(
		t.Context(),
		upstream.Owner{Principal: "p"},
		upstream.Hello(nil, wire.Stateful),
		nil,
	); err == nil {
		link.Close()
		t.Error("the removed server was started again for a link of its own")
	}
}

func TestAnUnchangedServerKeepsItsConnection(t *testing.T) {
	t.Parallel()
	spec := stdioSpec(t, "plain")
	s, m := start(t, spec)
	link, err := s.Shared(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m.Apply([]upstream.Spec{spec})
	if same, _ := m.Get("fake"); same != s {
		t.Error("an unchanged server was replaced")
	}
	changed := stdioSpec(t, "plain")
	changed.Timeout++
	m.Apply([]upstream.Spec{changed})
	if other, _ := m.Get("fake"); other == s {
		t.Error("a changed server was kept")
	}
	select {
	case <-link.Done():
	case <-time.After(patience):
		t.Error("the old server's link was not closed")
	}
}

func TestADisabledServerIsNotStarted(t *testing.T) {
	t.Parallel()
	spec := stdioSpec(t, "plain")
	spec.Enabled = false
	s, _ := start(t, spec)
	if _, err := s.Shared(t.Context()); mcpproxy.CodeOf(err) != mcpproxy.CodeServerNotFound {
		t.Errorf("got %v", err)
	}
	if _, _, err := s.Own(
		t.Context(),
		upstream.Owner{Principal: "p"},
		upstream.Hello(nil, wire.Stateful),
		nil,
	); mcpproxy.CodeOf(
		err,
	) != mcpproxy.CodeServerNotFound {
		t.Errorf("got %v", err)
	}
	if got := s.Status().State; got != upstream.Disabled {
		t.Errorf("state %s", got)
	}
}
