package api_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/api"
	"mcpproxy/internal/auth"
	"mcpproxy/internal/hook/evaluate"
)

// post sends a body with the key, unless headers contain another one.
func (r *rig) post(path, body string, header map[string]string) answer {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.url+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("X-API-Key", key)
	for k, v := range header {
		req.Header.Set(k, v)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(got)}
}

const evaluatePath = "/api/v1/hooks/evaluate"

// Shows: FR-040.
func TestAHookIsAnsweredInTheEnvelope(t *testing.T) {
	r := newRig(t)
	a := r.post(evaluatePath+"?agent=codex&event=PreToolUse&async=true", `{"tool_name": "Read"}`, nil)
	const want = `{"success":true,"data":{"decision":"ask","reason":"why","risk_level":"medium","activity_id":"01A","output":{"stdout":"{}\n","exit_code":2}}}`
	if a.status != http.StatusOK || a.body != want {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a.header.Get("Content-Length") == "" || a.header.Get("Content-Type") != "application/json" {
		t.Errorf("the header is %v", a.header)
	}
	asked := []evaluate.Question{{
		Agent:     "codex",
		Event:     "PreToolUse",
		Async:     true,
		Body:      []byte(`{"tool_name": "Read"}`),
		Principal: "local",
	}}
	if diff := cmp.Diff(asked, r.hooks.asked, cmp.AllowUnexported(evaluate.Question{})); diff != "" {
		t.Error(diff)
	}
}

// The hook client recognizes an answer without output by its first and last bytes.
func TestAnAnswerWithoutOutputHasTheFormThatTheClientExpects(t *testing.T) {
	out, err := json.Marshal(evaluate.Answer{Decision: "allow", Reason: "why", ActivityID: "01A"})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(string(out), `,"output":{"stdout":"","exit_code":0}}`) {
		t.Error(string(out))
	}
}

func TestAHookCanRequestAReportThatItsDaemonIsWorking(t *testing.T) {
	r := newRig(t)
	for prefer, want := range map[string]int{"processing": http.StatusProcessing, "": 0} {
		got := 0
		ctx := httptrace.WithClientTrace(
			t.Context(),
			&httptrace.ClientTrace{
				Got1xxResponse: func(code int, _ textproto.MIMEHeader) error { got = code; return nil },
			},
		)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+evaluatePath, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-API-Key", key)
		req.Header.Set("Prefer", prefer)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got != want || resp.StatusCode != http.StatusOK {
			t.Errorf("%q: %d, then %d", prefer, got, resp.StatusCode)
		}
	}
}

func TestAHookGetsRepeatedReportsThatItsDaemonIsWorking(t *testing.T) {
	r := newRig(t)
	payload, rest := io.Pipe()
	heard := 0
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		Got1xxResponse: func(code int, _ textproto.MIMEHeader) error {
			if heard++; heard == 3 {
				rest.Close()
			}
			return nil
		},
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+evaluatePath, payload)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", key)
	req.Header["Prefer"] = []string{"processing", "repeated-processing"}
	go func() { _, _ = io.WriteString(rest, "{}") }()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if heard < 3 || resp.StatusCode != http.StatusOK {
		t.Errorf("heard %d times, then %d", heard, resp.StatusCode)
	}
}

func TestAHookNeedsTheKeyOrTheSocket(t *testing.T) {
	r := newRig(t)
	for name, c := range map[string]struct {
		header map[string]string
		want   int
	}{
		"with the key":     {nil, 200},
		"with another key": {map[string]string{"X-API-Key": "no"}, 401},
		"over the socket":  {map[string]string{"X-API-Key": "", "X-Test-Socket": "1"}, 200},
		"from a web page":  {map[string]string{"Origin": "https://evil.example"}, 403},
	} {
		if a := r.post(evaluatePath, `{}`, c.header); a.status != c.want {
			t.Errorf("%s: %d", name, a.status)
		}
	}
}

func TestEveryPayloadOfAHookReachesTheEvaluator(t *testing.T) {
	r := newRig(t)
	for _, body := range []string{"", "null", "\xff{{", `{"a":1}`, strings.Repeat("x", 2<<20)} {
		if a := r.post(evaluatePath, body, nil); a.status != http.StatusOK {
			t.Errorf("%.20q: %d", body, a.status)
		}
		if got := r.hooks.asked[len(r.hooks.asked)-1].Body; string(got) != body {
			t.Errorf("%.20q arrived as %.20q", body, got)
		}
	}
	r.post(evaluatePath, strings.Repeat("x", 17<<20), nil)
	if got := len(r.hooks.asked[len(r.hooks.asked)-1].Body); got != 16<<20 {
		t.Errorf("of 17 MB %d bytes are read", got)
	}
}

// Shows: FR-029, FR-084, story 9.
func TestCoverageFollowsTheHooks(t *testing.T) {
	r := newRig(t)
	for _, active := range []bool{false, true} {
		r.hooks.active = active
		var st api.Overview
		r.ask("/api/v1/status", nil).data(t, &st)
		var d api.Diagnostics
		r.ask("/api/v1/diagnostics", nil).data(t, &d)
		if st.Hooks != active || (st.Coverage == "full") != active || len(st.Agents) > 0 != active ||
			d.Coverage.Active != active ||
			d.Mode != st.Coverage {
			t.Errorf("active %t: %+v %+v", active, st, d)
		}
		if advised := len(d.Recommendations) > 0; advised == active {
			t.Errorf("active %t: %+v", active, d.Recommendations)
		}
		if !d.Log.Readable || len(d.Servers) != 1 {
			t.Errorf("%+v", d)
		}
	}
}

// If hooks are installed but quiet, the advice is not to install them but how to make them work.
// Shows: FR-084.
func TestQuietHooksAreNotReportedAsMissing(t *testing.T) {
	r := newRig(t)
	r.hooked = []string{"claude-code", "codex"}
	var d api.Diagnostics
	r.ask("/api/v1/diagnostics", nil).data(t, &d)
	if len(d.Recommendations) != 1 {
		t.Fatalf("%+v", d.Recommendations)
	}
	got := d.Recommendations[0]
	if got.ID != "use_hooks" || got.Command != "mcpproxy hook status" ||
		!strings.Contains(got.Message, "installed for claude-code, codex") {
		t.Errorf("%+v", got)
	}
	r.hooks.active = true
	r.ask("/api/v1/diagnostics", nil).data(t, &d)
	if len(d.Recommendations) != 0 {
		t.Errorf("while they are active: %+v", d.Recommendations)
	}
}

// The text is that of spec-027, story 9.2 and FR-081.
// Shows: FR-081.
func TestTheRecommendationHasTheSpecifiedText(t *testing.T) {
	want := api.Recommendation{
		ID:      "install_hooks",
		Command: "mcpproxy hook install --agent claude-code",
		Message: "Install agent hooks for improved security coverage. Hooks provide visibility into agent-internal tools (Read, Bash, WebFetch). Without hooks, flow detection is limited to MCP-proxied tool calls. Run `mcpproxy hook install --agent claude-code` to enable.",
		Why:     "Hooks provide visibility into agent-internal tools like Read, Bash, WebFetch. Without hooks, flow detection is limited to MCP-proxied tool calls.",
	}
	if diff := cmp.Diff(want, api.InstallHooks); diff != "" {
		t.Error(diff)
	}
}

// stuck evaluates an event for as long as the test wants.
type stuck struct {
	hooks
	began, end chan struct{}
}

func (s *stuck) Evaluate(context.Context, evaluate.Question) evaluate.Answer {
	select {
	case s.began <- struct{}{}:
		<-s.end
	case <-s.end:
	}
	return evaluate.Answer{}
}

// A hook that gives up while it waits for other evaluations leaves nothing behind.
func TestAHookThatGivesUpOccupiesNothing(t *testing.T) {
	s := &stuck{began: make(chan struct{}), end: make(chan struct{})}
	h := api.Handler(api.Sources{Auth: auth.New(func() string { return key }, nil), Hooks: s})
	send := func(ctx context.Context) string {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/api/v1/hooks/evaluate", strings.NewReader("{}"))
		r.Header.Set("X-API-Key", key)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Body.String()
	}
	var all sync.WaitGroup
	defer all.Wait()
	defer close(s.end)
	for range max(2, runtime.NumCPU()) {
		all.Go(func() { send(t.Context()) })
		<-s.began
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	answer := make(chan string, 1)
	all.Go(func() { answer <- send(gone) })
	select {
	case got := <-answer:
		if got != "" {
			t.Errorf("it gave up and is answered with %q", got)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it gave up and waits for its turn")
	}
	if len(s.refused) != 1 || !strings.Contains(s.refused[0], "gave up") {
		t.Errorf("that it gave up is written down as %q", s.refused)
	}
}
