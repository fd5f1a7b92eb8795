package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/approval"
	"mcpproxy/internal/eventually"
)

// waits starts a call that waits for an answer. It returns the open question, and a channel for the answer that the
// call will get.
func (r *rig) waits(arguments string) (approval.Request, chan approval.Answer) {
	r.t.Helper()
	rec := &mcpproxy.Record{
		ID:        "01CALL",
		Source:    "mcp",
		ToolName:  "post_message",
		Rule:      "security.tool_policy.write",
		Arguments: []byte(arguments),
	}
	q := approval.About(rec, approval.Binding{
		Principal: "local",
		Server:    "chat",
		Tool:      "post_message",
		Arguments: approval.Digest([]byte(arguments)),
	}, nil)
	heard := make(chan approval.Answer, 1)
	before := len(r.desk.Pending())
	go func() { heard <- r.desk.Ask(r.t.Context(), q) }()
	eventually.True(r.t, "the question is open", func() bool { return len(r.desk.Pending()) > before })
	all := r.desk.Pending()
	return all[len(all)-1], heard
}

func TestAQuestionIsListedAndAnswered(t *testing.T) {
	r := newRig(t)
	for name, c := range map[string]struct {
		path, body string
		want       approval.Outcome
	}{
		"approved by its address": {"/api/v1/approvals/ID/approve", "{}", approval.Approved},
		"denied by its address":   {"/api/v1/approvals/ID/deny", "{}", approval.Declined},
		"approved in a body":      {"/api/v1/approvals", `{"id":"ID","approve":true}`, approval.Approved},
		"denied in a body":        {"/api/v1/approvals", `{"id":"ID","approve":false}`, approval.Declined},
	} {
		t.Run(name, func(t *testing.T) {
			q, heard := r.waits(`{"text":"` + name + `"}`)
			var listed []approval.Request
			r.ask("/api/v1/approvals", nil).data(t, &listed)
			if len(listed) != 1 || listed[0].ID != q.ID || listed[0].ToolName != "post_message" ||
				!strings.Contains(listed[0].Text, name) {
				t.Fatalf("listed: %+v", listed)
			}
			var st api.Overview
			if r.ask("/api/v1/status", nil).data(t, &st); st.Waiting != 1 {
				t.Errorf("the status counts %d questions", st.Waiting)
			}
			var out api.Decided
			r.post(strings.Replace(c.path, "ID", q.ID, 1), strings.Replace(c.body, "ID", q.ID, 1), nil).data(t, &out)
			if a := <-heard; a.Outcome != c.want || a.By != "holder of the API key" || out.ID != q.ID {
				t.Errorf("the call hears %+v, the owner %+v", a, out)
			}
			if a := r.post(
				"/api/v1/approvals/"+q.ID+"/approve",
				"{}",
				nil,
			); a.status != http.StatusNotFound ||
				a.failure(t) == "" {
				t.Errorf("answered twice: %d %s", a.status, a.body)
			}
		})
	}
}

// A sender with neither the key nor the socket, such as an agent, cannot make decisions.
func TestOnlyTheOwnerAnswersAndTurnsTheKillSwitch(t *testing.T) {
	r := newRig(t)
	q, _ := r.waits(`{}`)
	for name, header := range map[string]map[string]string{
		"without a key": {"X-API-Key": ""}, "with a wrong key": {"X-API-Key": "other"},
		"from another site": {"Origin": "https://evil.example"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{"/api/v1/approvals/" + q.ID + "/approve", "/api/v1/kill"} {
				a := r.post(path, `{"on":true}`, header)
				if a.status != http.StatusUnauthorized && a.status != http.StatusForbidden {
					t.Errorf("%s: %d %s", path, a.status, a.body)
				}
			}
			if a := r.post(
				"/api/v1/approvals",
				`{"id":"`+q.ID+`","approve":true}`,
				header,
			); a.status != http.StatusUnauthorized &&
				a.status != http.StatusForbidden {
				t.Errorf("%d %s", a.status, a.body)
			}
		})
	}
	if all := r.desk.Pending(); len(all) != 1 || all[0].Approved || r.kill.State().On {
		t.Errorf("something was decided: %+v, %+v", all, r.kill.State())
	}
}

func TestTheKillSwitchIsTurnedAndShown(t *testing.T) {
	r := newRig(t)
	var s api.KillState
	for _, on := range []bool{true, false} {
		body := fmt.Sprintf(`{"on":%t}`, on)
		r.post("/api/v1/kill", body, map[string]string{"X-Test-Socket": "1"}).data(t, &s)
		if s.On != on || s.By != "local user" {
			t.Errorf("turned: %+v", s)
		}
		if r.ask("/api/v1/kill", nil).data(t, &s); s.On != on {
			t.Errorf("read: %+v", s)
		}
		var st api.Overview
		if r.ask("/api/v1/status", nil).data(t, &st); st.Kill.On != on {
			t.Errorf("the status says %+v", st.Kill)
		}
	}
	if a := r.post("/api/v1/kill", `{}`, nil); a.status != http.StatusBadRequest {
		t.Errorf("no word about on or off: %d %s", a.status, a.body)
	}
}

// A rule is made only from the recorded question about a call.
func TestAnAnswerBecomesARuleThatCanBeRevoked(t *testing.T) {
	r := newRig(t)
	boundary := &mcpproxy.Boundary{
		Principal:    "local",
		Server:       "chat",
		Tool:         "post_message",
		Effect:       mcpproxy.EffectSend,
		Destinations: []string{"channel #x"},
		Rules:        []string{"security.tool_policy.write"},
	}
	secret := boundary.Clone()
	secret.Once = "it carries a secret"
	for id, b := range map[string]*mcpproxy.Boundary{
		"01JQ8Z3M5K7N9P2R4T6V8X0Y1A": boundary,
		"01JQ8Z3M5K7N9P2R4T6V8X0Y1B": &secret,
		"01JQ8Z3M5K7N9P2R4T6V8X0Y1C": nil,
	} {
		rec := &mcpproxy.Record{ID: id, Type: mcpproxy.RecordPolicyDecision, Metadata: mcpproxy.Metadata{Boundary: b}}
		if err := r.store.Append(t.Context(), []*mcpproxy.Record{rec}); err != nil {
			t.Fatal(err)
		}
	}
	const path = "/api/v1/approvals/rules"
	for id, want := range map[string]int{
		"01JQ8Z3M5K7N9P2R4T6V8X0Y1B": http.StatusConflict,
		"01JQ8Z3M5K7N9P2R4T6V8X0Y1C": http.StatusConflict,
		"01JQ8Z3M5K7N9P2R4T6V8X0Y1D": http.StatusNotFound,
	} {
		if a := r.post(path, `{"activity_id":"`+id+`"}`, nil); a.status != want {
			t.Errorf("%s: %d %s, want %d", id, a.status, a.body, want)
		}
	}
	var kept api.ApprovalRule
	r.post(path, `{"activity_id":"01JQ8Z3M5K7N9P2R4T6V8X0Y1A"}`, nil).data(t, &kept)
	if kept.Boundary.Key() != boundary.Key() || kept.By != "holder of the API key" ||
		!strings.Contains(kept.Within, "to channel #x alone") {
		t.Errorf("%+v", kept)
	}
	var all []api.ApprovalRule
	if r.ask(path, nil).data(t, &all); len(all) != 1 || all[0].ID != kept.ID {
		t.Errorf("%+v", all)
	}
	if a := r.post(path+"/"+kept.ID+"/revoke", "{}", nil); a.status != http.StatusOK {
		t.Errorf("revoked: %d %s", a.status, a.body)
	}
	if a := r.post(path+"/"+kept.ID+"/revoke", "{}", nil); a.status != http.StatusNotFound {
		t.Errorf("revoked twice: %d %s", a.status, a.body)
	}
}

// An answer to a question without a boundary is valid for its call only.
func TestADurationThatWasNotOfferedIsRefused(t *testing.T) {
	r := newRig(t)
	q, heard := r.waits(`{"text":"a"}`)
	for body, want := range map[string]int{
		`{"for":"always"}`:  http.StatusConflict,
		`{"for":"forever"}`: http.StatusBadRequest,
	} {
		if a := r.post("/api/v1/approvals/"+q.ID+"/approve", body, nil); a.status != want {
			t.Errorf("%s: %d %s, want %d", body, a.status, a.body, want)
		}
	}
	r.post("/api/v1/approvals/"+q.ID+"/approve", `{"for":"once"}`, nil)
	if a := <-heard; a.Outcome != approval.Approved {
		t.Errorf("%+v", a)
	}
}
