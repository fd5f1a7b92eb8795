package upstream_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/upstream"
)

// testCredentials is an implementation of Credentials with tokens that a test sets.
type testCredentials struct {
	mu      sync.Mutex
	token   string
	next    string // the return value of Refused
	err     error
	refused []upstream.Refusal
}

func (p *testCredentials) Bearer(context.Context) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.token, p.err
}

func (p *testCredentials) Refused(_ context.Context, r upstream.Refusal) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused = append(p.refused, r)
	if r.Again {
		return "", nil
	}
	p.token = p.next
	return p.next, p.err
}

func (p *testCredentials) set(token string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.token, p.err = token, err
}

func (p *testCredentials) refusals() []upstream.Refusal {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refused
}

// signed returns a server that requires "Bearer configured", reached with credentials.
func signed(t *testing.T, p *testCredentials) (*upstream.Server, *upstream.Manager) {
	t.Helper()
	spec := startWeb(t, &web{})
	spec.Headers, spec.Credentials = nil, p
	return start(t, spec)
}

func TestATokenGoesWithEveryRequest(t *testing.T) {
	t.Parallel()
	p := &testCredentials{token: "configured"}
	s, _ := signed(t, p)
	works(t, s)
	if len(p.refusals()) != 0 {
		t.Error("a request went without it")
	}
}

func TestARefusedRequestIsRepeatedOnceWithAnotherToken(t *testing.T) {
	t.Parallel()
	p := &testCredentials{token: "old", next: "configured"}
	s, _ := signed(t, p)
	works(t, s)
	if r := p.refusals(); len(r) != 1 || r[0].Token != "old" || r[0].Status != http.StatusUnauthorized || r[0].Again {
		t.Errorf("the refusals were %+v", r)
	}
	bad := &testCredentials{token: "old", next: "worse"}
	s, _ = signed(t, bad)
	if _, err := s.Shared(t.Context()); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("got %v", err)
	}
	for i, r := range bad.refusals() {
		if r.Again != (i%2 == 1) {
			t.Errorf("refusal %d: %+v", i, r)
		}
	}
}

func TestARequiredLoginIsReportedAndNotAFault(t *testing.T) {
	t.Parallel()
	login := &upstream.LoginError{Command: "mcpproxy upstream login fake", Reason: "because"}
	p := &testCredentials{err: mcpproxy.Errorf(mcpproxy.CodeUpstream, login, "log in first")}
	s, m := signed(t, p)
	for range 5 { // more failures than open a breaker
		_, err := s.Shared(t.Context())
		if !errors.Is(err, error(login)) || mcpproxy.AgentMessage(err) != "log in first" {
			t.Fatalf("got %v", err)
		}
	}
	eventually.True(t, "the status says so", func() bool {
		st := s.Status()
		return st.Login == login.Command && st.Error == login.Error() && st.Faults == 0 && st.Breaker == upstream.Closed
	})
	eventually.True(t, "the next attempt is far away", func() bool {
		return time.Until(s.Status().Retry) > 2*time.Second
	})
	p.set("configured", nil)
	m.Reopen("fake")
	eventually.True(
		t,
		"the server is ready",
		func() bool { return s.Status().State == upstream.Ready && s.Status().Login == "" },
	)
	works(t, s)

	p.set("", mcpproxy.Errorf(mcpproxy.CodeUpstream, login, "log in first"))
	if err := once(t.Context(), s); !errors.Is(err, error(login)) {
		t.Errorf("a call without a token: %v", err)
	}
	eventually.True(t, "the server waits for a login", func() bool { return s.Status().Login != "" })
}

// A failure of the authorization server does not count as a fault of the MCP server.
func TestAMissingTokenIsReportedAndNotAFault(t *testing.T) {
	t.Parallel()
	p := &testCredentials{token: "configured"}
	s, m := signed(t, p)
	works(t, s)
	link := present(t, s)
	p.set("", mcpproxy.Errorf(mcpproxy.CodeUpstream, errors.New("HTTP status 503"), "auth.example gives no token"))
	for range 5 { // more failures than open a breaker
		_, err := link.Call(t.Context(), tool("any", "{}"), upstream.CallOptions{})
		if codeOf(err) != mcpproxy.CodeUpstream || mcpproxy.AgentMessage(err) != "auth.example gives no token" ||
			!strings.Contains(err.Error(), "HTTP status 503") {
			t.Fatalf("a call failed with %v", err)
		}
	}
	if st := s.Status(); st.Faults != 0 || st.Breaker != upstream.Closed || st.State != upstream.Ready || st.Login != "" {
		t.Errorf("after calls: %+v", st)
	}
	m.Reopen("fake")
	for range 5 {
		if _, err := s.Shared(t.Context()); mcpproxy.AgentMessage(err) != "auth.example gives no token" {
			t.Fatalf("connecting failed with %v", err)
		}
	}
	if st := s.Status(); st.Faults != 0 || st.Breaker != upstream.Closed || st.Login != "" {
		t.Errorf("after attempts to connect: %+v", st)
	}
	p.set("configured", nil)
	works(t, s)
}

// blockingCredentials is an implementation of Credentials that never provides a token.
type blockingCredentials struct{}

func (blockingCredentials) Bearer(ctx context.Context) (string, error) {
	<-ctx.Done()
	return "", mcpproxy.Errorf(mcpproxy.CodeUpstream, nil, "auth.example does not answer")
}

func (blockingCredentials) Refused(context.Context, upstream.Refusal) (string, error) { return "", nil }

func TestALateTokenIsNotAFaultOfTheServer(t *testing.T) {
	t.Parallel()
	spec := startWeb(t, &web{})
	spec.Headers, spec.Credentials = nil, blockingCredentials{}
	spec.Timeout = 100 * time.Millisecond
	s, _ := start(t, spec)
	for range 5 {
		if _, err := s.Shared(t.Context()); mcpproxy.AgentMessage(err) != "auth.example does not answer" {
			t.Fatalf("connecting failed with %v", err)
		}
	}
	if st := s.Status(); st.Faults != 0 || st.Breaker != upstream.Closed {
		t.Errorf("the server is blamed: %+v", st)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Shared(gone); err == nil {
		t.Error("a caller that has gone got a link")
	}
}

// If the token lacks rights for one call, the other calls go on.
func TestALoginForOneCallLeavesTheLinkAlone(t *testing.T) {
	t.Parallel()
	p := &testCredentials{token: "configured"}
	s, _ := signed(t, p)
	link, err := s.Shared(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.set(
		"",
		mcpproxy.Errorf(
			mcpproxy.CodeUpstream,
			&upstream.LoginError{Command: "x", Scopes: []string{"more"}},
			"more rights",
		),
	)
	if err := once(t.Context(), s); err == nil {
		t.Error("the call passed")
	}
	p.set("configured", nil)
	if again, err := s.Shared(t.Context()); err != nil || again != link || s.Status().Faults != 0 {
		t.Errorf("the link is another one, %v, %+v", err, s.Status())
	}
}

func TestReopeningEndsEveryConversation(t *testing.T) {
	t.Parallel()
	s, m := signed(t, &testCredentials{token: "configured"})
	link, err := s.Shared(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m.Reopen("fake")
	m.Reopen("nobody")
	select {
	case <-link.Done():
	case <-time.After(patience):
		t.Fatal("it goes on")
	}
	works(t, s)
}

// A call does not fail if the login changes while the call waits for a link, or before it is sent.
func TestAnUnsentCallSurvivesAReopening(t *testing.T) {
	t.Parallel()
	t.Run("it waits for the link", func(t *testing.T) {
		t.Parallel()
		w := &web{}
		w.stuck.Store(true)
		s, m := start(t, startWeb(t, w))
		failed := make(chan error, 1)
		go func() { failed <- once(t.Context(), s) }()
		eventually.True(t, "the server is greeted", func() bool { return !w.stuck.Load() })
		m.Reopen("fake")
		if err := <-failed; err != nil || w.called("any") != 1 {
			t.Errorf("got %v after %d calls", err, w.called("any"))
		}
	})
	t.Run("it has the link", func(t *testing.T) {
		t.Parallel()
		w := &web{}
		s, m := start(t, startWeb(t, w))
		link := present(t, s)
		m.Reopen("fake")
		_, err := link.Call(t.Context(), tool("any", "{}"), upstream.CallOptions{})
		if err != nil || w.called("any") != 1 || s.Status().Faults != 0 {
			t.Errorf("got %v after %d calls, %+v", err, w.called("any"), s.Status())
		}
	})
}

// A call may be sent to the server that replaced its own server, but not to another address.
func TestASuccessorMustBeAtTheSameAddress(t *testing.T) {
	t.Parallel()
	spec := startWeb(t, &web{})
	s, m := start(t, spec)
	if next, ok := m.Successor(s); ok {
		t.Errorf("a server that is in use has the successor %p of %p", next, s)
	}
	spec.Timeout *= 2
	m.Apply([]upstream.Spec{spec})
	now, _ := m.Get("fake")
	if next, ok := m.Successor(s); !ok || next != now {
		t.Errorf("got %p, want %p", next, now)
	}
	for name, change := range map[string]func(*upstream.Spec){
		"at another address": func(s *upstream.Spec) { s.URL += "/other" },
		"switched off":       func(s *upstream.Spec) { s.Enabled = false },
		"under another name": func(s *upstream.Spec) { s.Name = "other" },
	} {
		other := spec
		change(&other)
		m.Apply([]upstream.Spec{other})
		if _, ok := m.Successor(s); ok {
			t.Errorf("a server %s is a successor", name)
		}
	}
}

// Two specs with the same Credentials are equal, whatever tokens these hold.
func TestTheSameCredentialsKeepTheConnection(t *testing.T) {
	t.Parallel()
	spec := startWeb(t, &web{})
	p := &testCredentials{token: "configured"}
	spec.Headers, spec.Credentials = nil, p
	s, m := start(t, spec)
	works(t, s)
	m.Apply([]upstream.Spec{spec})
	if same, _ := m.Get("fake"); same != s {
		t.Error("the server was replaced")
	}
	spec.Credentials = &testCredentials{token: "configured"}
	m.Apply([]upstream.Spec{spec})
	if same, _ := m.Get("fake"); same == s {
		t.Error("the server kept another's credentials")
	}
}

// A token is sent only to the server's own origin.
func TestATokenGoesToNoOtherHost(t *testing.T) {
	t.Parallel()
	var seen sync.Map
	other := httptest.NewServer(
		http.HandlerFunc(
			func(_ http.ResponseWriter, r *http.Request) { seen.Store(r.Header.Get("Authorization"), true) },
		),
	)
	t.Cleanup(other.Close)
	back := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(back.Close)
	s, _ := start(t, upstream.Spec{
		Name:        "fake",
		Enabled:     true,
		Protocol:    upstream.HTTP,
		URL:         back.URL,
		Credentials: &testCredentials{token: "configured"},
	})
	if _, err := s.Shared(t.Context()); err == nil {
		t.Error("connected")
	}
	seen.Range(func(k, _ any) bool { t.Errorf("the other host got %q", k); return true })
	plain, _ := start(t, upstream.Spec{
		Name:        "fake",
		Enabled:     true,
		Protocol:    upstream.HTTP,
		URL:         "http://192.0.2.1/mcp",
		Credentials: &testCredentials{token: "configured"},
	})
	if _, err := plain.Shared(t.Context()); err == nil || !strings.Contains(err.Error(), "without encryption") {
		t.Errorf("in the clear: %v", err)
	}
}
