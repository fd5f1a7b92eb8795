package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/approval"
)

// waits has a call wait for an answer, and returns the request and what the call
// will hear.
func (r *rig) waits(arguments string) (approval.Request, chan approval.Answer) {
	r.t.Helper()
	rec := &mcpproxy.Record{ID: "01CALL", Source: "mcp", ToolName: "post_message", Rule: "security.tool_policy.write", Arguments: []byte(arguments)}
	q := approval.About(rec, approval.Binding{Principal: "local", Server: "chat", Tool: "post_message", Arguments: approval.Digest([]byte(arguments))}, nil)
	heard := make(chan approval.Answer, 1)
	before := len(r.desk.Pending())
	go func() { heard <- r.desk.Ask(r.t.Context(), q) }()
	for len(r.desk.Pending()) == before {
		time.Sleep(time.Millisecond)
	}
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
			if len(listed) != 1 || listed[0].ID != q.ID || listed[0].ToolName != "post_message" || !strings.Contains(listed[0].Text, name) {
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
			if a := r.post("/api/v1/approvals/"+q.ID+"/approve", "{}", nil); a.status != http.StatusNotFound || a.failure(t) == "" {
				t.Errorf("answered twice: %d %s", a.status, a.body)
			}
		})
	}
}

// Whoever has neither the key nor the socket, such as an agent, decides nothing.
func TestNobodyButTheOwnerAnswersOrTurnsTheKillSwitch(t *testing.T) {
	r := newRig(t)
	q, _ := r.waits(`{}`)
	for name, header := range map[string]map[string]string{
		"without a key": {"X-API-Key": ""}, "with a wrong key": {"X-API-Key": "other"},
		"from another site": {"Origin": "https://evil.example"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{"/api/v1/approvals/" + q.ID + "/approve", "/api/v1/kill"} {
				if a := r.post(path, `{"on":true}`, header); a.status != http.StatusUnauthorized && a.status != http.StatusForbidden {
					t.Errorf("%s: %d %s", path, a.status, a.body)
				}
			}
			if a := r.post("/api/v1/approvals", `{"id":"`+q.ID+`","approve":true}`, header); a.status != http.StatusUnauthorized && a.status != http.StatusForbidden {
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
		body := map[bool]string{true: `{"on":true}`, false: `{"on":false}`}[on]
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
