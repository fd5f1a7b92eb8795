package alert_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcpproxy"
	"mcpproxy/internal/alert"
	"mcpproxy/internal/eventually"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	goleak.VerifyTestMain(m)
}

// post is a request that a receiver got.
type post struct {
	alert     alert.Alert
	body      []byte
	signature string
}

// receiver answers the n-th request, counted from 0, with the result of answer.
type receiver struct {
	*httptest.Server
	mu    sync.Mutex
	posts []post
	tries atomic.Int32
}

func newReceiver(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request) (taken bool)) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		n := int(r.tries.Add(1)) - 1
		body, _ := io.ReadAll(req.Body)
		if !answer(n, w, req) {
			return
		}
		var a alert.Alert
		if err := json.Unmarshal(body, &a); err != nil {
			t.Errorf("the body is no alert: %v", err)
		}
		r.mu.Lock()
		r.posts = append(r.posts, post{a, body, req.Header.Get(alert.SignatureHeader)})
		r.mu.Unlock()
	}))
	t.Cleanup(r.Close)
	return r
}

func takes(int, http.ResponseWriter, *http.Request) bool { return true }

func (r *receiver) got() []post {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]post(nil), r.posts...)
}

// wait waits until n alerts were received.
func (r *receiver) wait(t *testing.T, n int) []post {
	t.Helper()
	eventually.TrueWithin(t, soon, fmt.Sprintf("%d alerts are taken", n), func() bool { return len(r.got()) >= n })
	return r.got()
}

// soon is how long a test waits for an alert.
const soon = 20 * time.Second

var quick = alert.Timing{Window: time.Hour, Backoff: time.Millisecond, Timeout: 10 * time.Second}

func newSender(t *testing.T, s alert.Settings, timing alert.Timing) *alert.Sender {
	t.Helper()
	out := alert.New(s, timing)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		out.Close(ctx)
	})
	return out
}

// stop returns the record of a stopped call. Each n gives a different call.
func stop(n int) *mcpproxy.Record {
	return &mcpproxy.Record{
		ID:            fmt.Sprintf("01J%023d", n),
		Type:          mcpproxy.RecordPolicyDecision,
		Timestamp:     time.Unix(1_800_000_000, 0).UTC(),
		ServerName:    "chat",
		ToolName:      "post_message",
		FlowSessionID: "mcp:local:abc",
		Principal:     "local",
		Status:        mcpproxy.StatusBlocked,
		Decision:      mcpproxy.Deny,
		Rule:          "security.flow_policy.sensitive_data_external",
		RiskLevel:     mcpproxy.RiskCritical,
		RiskScore:     99,
		Metadata: mcpproxy.Metadata{
			Facts: mcpproxy.Facts{
				Edges: []mcpproxy.Edge{{
					From:      mcpproxy.Origin{Server: "vault"},
					To:        "chat",
					Type:      mcpproxy.InternalToExternal,
					Risk:      mcpproxy.RiskCritical,
					Sensitive: []string{"api_token"},
				}},
			},
			Reason: "Sensitive data flows out.",
		},
	}
}

func TestAStopIsPostedWithWhatAPersonNeeds(t *testing.T) {
	r := newReceiver(t, takes)
	s := newSender(t, alert.Settings{URL: r.URL, Secret: "s"}, quick)
	s.Hear("activity.policy_decision", stop(1))
	p := r.wait(t, 1)[0]
	want := alert.Alert{
		Event:      "activity.policy_decision",
		ActivityID: stop(1).ID,
		Server:     "chat",
		Tool:       "post_message",
		Decision:   mcpproxy.Deny,
	}
	a := p.alert
	if a.Event != want.Event || a.ActivityID != want.ActivityID || a.Server != want.Server || a.Tool != want.Tool ||
		a.Decision != want.Decision ||
		a.Count != 1 ||
		a.ID == "" ||
		len(a.Flows) != 1 ||
		a.Flows[0].From != "vault" {
		t.Errorf("got %s", p.body)
	}
	if a.Text != "mcpproxy: deny chat:post_message (critical risk): Sensitive data flows out." {
		t.Errorf("text %q", a.Text)
	}
	if strings.Contains(string(p.body), "abc") {
		t.Errorf("the id of a session is a way into it: %s", p.body)
	}
	var at int64
	_, err := fmt.Sscanf(p.signature, "t=%d,v1=", &at)
	if err != nil || p.signature != alert.Sign("s", time.Unix(at, 0), p.body) {
		t.Errorf("the signature %q does not hold", p.signature)
	}
	// The alert counts as sent only when the receiver has answered.
	eventually.TrueWithin(t, soon, "the alert is counted as sent", func() bool {
		return s.Stats().Sent == 1
	})
	if st := s.Stats(); st.LastError != "" || !st.Configured {
		t.Errorf("%+v", st)
	}
}

func TestASignatureDependsOnSecretTimeAndBody(t *testing.T) {
	at := time.Unix(1_800_000_000, 0)
	// Computed with: printf '1800000000.{}' | openssl dgst -sha256 -hmac key
	got, want := alert.Sign(
		"key",
		at,
		[]byte("{}"),
	), "t=1800000000,v1=7321475872b03ff21bdc2dfd86ea2d99ec29c479fbe4a77aa6acf4509505493f"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	one := alert.Sign("key", at, []byte("{}"))
	for _, other := range []string{alert.Sign("kez", at, []byte("{}")), alert.Sign("key", at.Add(time.Second), []byte("{}")), alert.Sign("key", at, []byte("[]"))} {
		if one[len("t=1800000000,"):] == other[len("t=1800000000,"):] {
			t.Error("two signatures are the same")
		}
	}
}

func TestSensitiveDataIsReportedByItsKind(t *testing.T) {
	a := alert.Of("sensitive_data.detected", &mcpproxy.Record{
		ServerName: "vault",
		ToolName:   "read",
		Decision:   mcpproxy.Allow,
		RiskLevel:  mcpproxy.RiskNone,
		Metadata: mcpproxy.Metadata{
			Sensitive: &mcpproxy.SensitiveData{
				Detections: []mcpproxy.Detection{
					{Category: "personal"},
					{Category: "api_token"},
					{Category: "api_token"},
					{Category: "card", IsLikelyExample: true},
				},
			},
		},
	})
	if a.Text != "mcpproxy: allow vault:read: sensitive data was seen (api_token, personal)" ||
		a.Sensitive["api_token"] != 2 {
		t.Errorf("%q %v", a.Text, a.Sensitive)
	}
}

func TestTheKillSwitchIsAnAlert(t *testing.T) {
	a := alert.Of(
		alert.EventKill,
		&mcpproxy.Record{
			Type:     mcpproxy.RecordConfigChange,
			Metadata: mcpproxy.Metadata{Detail: map[string]any{"kill_switch": true, "by": "local"}},
		},
	)
	if a.Text != "mcpproxy: the kill switch is now on" || a.Change["by"] != "local" {
		t.Errorf("%q %v", a.Text, a.Change)
	}
}

func TestWhichEventsAreAlerts(t *testing.T) {
	level := func(l mcpproxy.RiskLevel) *mcpproxy.Record {
		return &mcpproxy.Record{RiskLevel: l, Decision: mcpproxy.Warn}
	}
	for name, c := range map[string]struct {
		event string
		r     *mcpproxy.Record
		pii   bool
		want  bool
	}{
		"a critical flow":                   {"flow.alert", level(mcpproxy.RiskCritical), false, true},
		"a high flow":                       {"flow.alert", level(mcpproxy.RiskHigh), false, true},
		"a medium flow":                     {"flow.alert", level(mcpproxy.RiskMedium), false, false},
		"a stop":                            {"activity.policy_decision", stop(1), false, true},
		"a question":                        {"activity.policy_decision", &mcpproxy.Record{Decision: mcpproxy.Ask}, false, true},
		"a warning":                         {"activity.policy_decision", level(mcpproxy.RiskHigh), false, false},
		"a definition that changes state":   {"activity.quarantine_change", level(""), false, true},
		"a definition that is approved":     {"activity.quarantine_change", &mcpproxy.Record{Metadata: mcpproxy.Metadata{Detail: map[string]any{"to": "approved"}}}, false, false},
		"something that is not what it was": {"security.integrity_alert", level(""), false, true},
		"the kill switch":                   {"security.kill_switch", level(""), false, true},
		"data, when wanted":                 {"sensitive_data.detected", level(""), true, true},
		"data, when not":                    {"sensitive_data.detected", level(""), false, false},
		"a call":                            {"activity.tool_call.completed", stop(1), true, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := alert.Wanted(c.event, c.r, c.pii); got != c.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

func TestTheSameAlertIsCounted(t *testing.T) {
	r := newReceiver(t, takes)
	s := newSender(
		t,
		alert.Settings{URL: r.URL},
		alert.Timing{Window: 300 * time.Millisecond, Backoff: time.Millisecond},
	)
	s.Hear("flow.alert", stop(1))
	s.Hear("activity.policy_decision", stop(1)) // the same call
	for n := range 5 {
		s.Hear("activity.policy_decision", stop(n+2))
	}
	other := stop(9)
	other.ToolName = "send_mail"
	s.Hear("activity.policy_decision", other)
	posts := r.wait(t, 3)
	if posts[0].alert.Event != "flow.alert" || posts[0].alert.Count != 1 || posts[1].alert.Tool != "send_mail" {
		t.Errorf("the first two are %s and %s", posts[0].body, posts[1].body)
	}
	sum := posts[2].alert
	if sum.Count != 5 || sum.ActivityID != stop(6).ID || !strings.HasSuffix(sum.Text, "(5 times)") ||
		sum.First.IsZero() ||
		sum.ID == posts[0].alert.ID {
		t.Errorf("the sum is %s", posts[2].body)
	}
	if st := s.Stats(); st.Merged != 5 {
		t.Errorf("%+v", st)
	}
}

func TestAReceiverThatFailsIsTriedAgain(t *testing.T) {
	status := func(codes ...int) func(int, http.ResponseWriter, *http.Request) bool {
		return func(n int, w http.ResponseWriter, _ *http.Request) bool {
			if n < len(codes) {
				w.WriteHeader(codes[n])
				return codes[n] < 300
			}
			return true
		}
	}
	for name, c := range map[string]struct {
		answer func(int, http.ResponseWriter, *http.Request) bool
		tries  int32
		sent   uint64
		says   string
	}{
		"500 twice":    {status(500, 502), 3, 1, ""},
		"429 once":     {status(429), 2, 1, ""},
		"500 for ever": {status(500, 500, 500, 500, 500, 500, 500, 500), 6, 0, "status 500"},
		"404":          {status(404), 1, 0, "refuses the alert with HTTP status 404"},
		"a redirect": {func(_ int, w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "/other", http.StatusTemporaryRedirect)
			return false
		}, 1, 0, "redirect"},
		"a lost connection": {func(n int, w http.ResponseWriter, _ *http.Request) bool {
			if n > 0 {
				return true
			}
			c, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				c.Close()
			}
			return false
		}, 2, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReceiver(t, c.answer)
			s := newSender(t, alert.Settings{URL: r.URL + "/s3cret"}, quick)
			s.Hear("activity.policy_decision", stop(1))
			eventually.TrueWithin(t, soon, "the alert is counted as sent or failed", func() bool {
				st := s.Stats()
				return st.Sent+st.Failed == 1
			})
			st := s.Stats()
			if st.Sent != c.sent || r.tries.Load() != c.tries || !strings.Contains(st.LastError, c.says) ||
				strings.Contains(st.LastError, "s3cret") {
				t.Errorf("%d tries, %+v", r.tries.Load(), st)
			}
		})
	}
}

// A receiver that hangs delays only its own alerts, and is given up.
func TestAReceiverThatHangs(t *testing.T) {
	free := make(chan struct{})
	r := newReceiver(t, func(n int, _ http.ResponseWriter, req *http.Request) bool {
		if n > 0 {
			return true
		}
		select {
		case <-free:
		case <-req.Context().Done():
		}
		return false
	})
	defer close(free)
	s := newSender(
		t,
		alert.Settings{URL: r.URL},
		alert.Timing{Window: time.Hour, Backoff: time.Millisecond, Timeout: 200 * time.Millisecond},
	)
	s.Hear("activity.policy_decision", stop(1))
	r.wait(t, 1)
	if r.tries.Load() != 2 {
		t.Errorf("%d tries", r.tries.Load())
	}
}

func TestAlertsBeyondTheQueueAreDroppedAndCounted(t *testing.T) {
	free := make(chan struct{})
	r := newReceiver(t, func(_ int, _ http.ResponseWriter, req *http.Request) bool {
		select {
		case <-free:
			return true
		case <-req.Context().Done():
			return false
		}
	})
	s := newSender(t, alert.Settings{URL: r.URL}, quick)
	const heard = 400
	for n := range heard {
		a := stop(n)
		a.ToolName = fmt.Sprint("tool", n)
		s.Hear("activity.policy_decision", a)
	}
	if st := s.Stats(); st.Dropped < heard-256-1 || st.Waiting < 200 {
		t.Errorf("%+v", st)
	}
	close(free)
	eventually.TrueWithin(t, soon, "what was heard is sent or dropped", func() bool {
		st := s.Stats()
		return st.Sent+st.Dropped == heard
	})
}

func TestClosingPostsWaitingAlertsForALimitedTime(t *testing.T) {
	r := newReceiver(t, takes)
	s := alert.New(alert.Settings{URL: r.URL}, alert.Timing{Window: time.Hour})
	for n := range 4 {
		s.Hear("activity.policy_decision", stop(n))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	s.Close(ctx)
	if got := r.got(); len(got) != 2 || got[1].alert.Count != 3 {
		t.Errorf("%d posts", len(got))
	}
	s.Hear("activity.policy_decision", stop(7)) // must not panic

	stuck := newReceiver(
		t,
		func(_ int, _ http.ResponseWriter, req *http.Request) bool { <-req.Context().Done(); return false },
	)
	s = alert.New(
		alert.Settings{URL: stuck.URL},
		alert.Timing{Window: time.Hour, Timeout: time.Hour, Backoff: time.Hour},
	)
	s.Hear("activity.policy_decision", stop(1))
	eventually.TrueWithin(t, soon, "the receiver that is stuck is tried", func() bool {
		return stuck.tries.Load() == 1
	})
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	s.Close(ctx) // must return
	if st := s.Stats(); st.Failed != 1 {
		t.Errorf("%+v", st)
	}
}

func TestAlertsCanBeSwitchedOnAndOff(t *testing.T) {
	r := newReceiver(t, takes)
	s := newSender(t, alert.Settings{}, quick)
	s.Hear("activity.policy_decision", stop(1))
	s.Configure(alert.Settings{URL: r.URL})
	s.Hear("activity.policy_decision", stop(2))
	if got := r.wait(t, 1); got[0].alert.ActivityID != stop(2).ID || got[0].signature != "" {
		t.Errorf("got %s", got[0].body)
	}
	s.Configure(alert.Settings{})
	s.Hear("activity.policy_decision", stop(3))
	if st := s.Stats(); st.Configured || st.Merged != 0 {
		t.Errorf("%+v", st)
	}
}

func TestAWorseCaseIsNotCountedWithAMilderOne(t *testing.T) {
	r := newReceiver(t, takes)
	s := newSender(t, alert.Settings{URL: r.URL}, alert.Timing{Window: time.Minute, Backoff: time.Millisecond})
	milder, worse := stop(1), stop(2)
	milder.RiskLevel, worse.RiskLevel = mcpproxy.RiskHigh, mcpproxy.RiskCritical
	s.Hear("activity.policy_decision", milder)
	s.Hear("activity.policy_decision", worse)
	if posts := r.wait(t, 2); posts[1].alert.RiskLevel != mcpproxy.RiskCritical {
		t.Errorf("got %s", posts[1].body)
	}
}
