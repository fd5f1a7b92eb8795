package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/policy/replay"
)

// ruled returns records of calls that the policy has allowed.
func ruled(n int) []*mcpproxy.Record {
	var out []*mcpproxy.Record
	for i := range n {
		r := &mcpproxy.Record{
			ID:         fmt.Sprintf("01JZ%022d", i),
			Type:       mcpproxy.RecordToolCall,
			Source:     "mcp",
			Timestamp:  start.Add(time.Duration(i) * time.Minute),
			ServerName: "notes",
			ToolName:   "wipe",
			Status:     mcpproxy.StatusSuccess,
			Decision:   mcpproxy.Allow,
			Arguments:  json.RawMessage(`{}`),
			Metadata: mcpproxy.Metadata{
				Facts: mcpproxy.Facts{
					Operation:      mcpproxy.Destructive,
					Classification: &mcpproxy.Class{Side: mcpproxy.Internal},
				},
				Kind:  mcpproxy.KindTool,
				Ruled: &mcpproxy.Ruled{Decision: mcpproxy.Allow},
			},
		}
		out = append(out, r)
	}
	return out
}

// simulate posts a simulation.
func (r *rig) simulate(body string) (int, string) {
	r.t.Helper()
	req, err := http.NewRequest(http.MethodPost, r.url+"/api/v1/policies/simulate", strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("X-API-Key", key)
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

func TestASimulationListsTheNewestAndCountsAll(t *testing.T) {
	r := newRig(t, ruled(130)...)
	for body, want := range map[string]struct{ calls, listed int }{
		`{"policy": {}}`:             {130, 100},
		`{"policy": {}, "limit": 0}`: {130, 130},
		`{"policy": {}, "limit": 1, "since": "2026-03-01T13:00:00Z"}`:                                {70, 1},
		`{"policy": {}, "since": "2026-03-01T12:10:00Z", "until": "2026-03-01T12:19:30Z"}`:           {10, 10},
		`{"policy": {}, "since": "1s"}`:                                                              {0, 0},
		`{"policy": {"security": {"risk_assessment": {"enabled": false}}}, "limit": 2, "until": ""}`: {130, 2},
	} {
		status, raw := r.simulate(body)
		var out struct{ Data api.Simulation }
		if err := json.Unmarshal([]byte(raw), &out); err != nil || status != 200 {
			t.Fatalf("%s: %d %v %s", body, status, err, raw)
		}
		got := out.Data
		if got.Calls != want.calls || got.Changed != want.calls || len(got.Changes) != want.listed {
			t.Errorf("%s: %d calls, %d changed, %d listed", body, got.Calls, got.Changed, len(got.Changes))
		}
		if len(got.Changes) > 1 && !got.Changes[0].Time.After(got.Changes[1].Time) || len(got.Notes) == 0 {
			t.Errorf("%s: the newest stand first: %+v", body, got.Changes[:2])
		}
	}
}

func TestAnInvalidSimulationIsRefused(t *testing.T) {
	r := newRig(t)
	for body, says := range map[string]string{
		``:                                "cannot be read",
		`{}`:                              "policy",
		`{"policy": []}`:                  "must be an object",
		`{"policy": {}, "sinse": "7d"}`:   "sinse",
		`{"policy": {}, "since": "soon"}`: "since",
		`{"policy": {}, "until": "-3d"}`:  "until",
		`{"policy": {}, "limit": -1}`:     "limit",
		`{"policy": {"a": "${file:/x}"}}`: "references",
		`{"policy": {"a": "wrong"}}`:      "security.policies: wrong",
		`{"policy": {"a": "` + strings.Repeat("x", 1<<20) + `"}}`: "cannot be read",
	} {
		if status, raw := r.simulate(body); status != 400 || !strings.Contains(raw, says) {
			t.Errorf("%.60s: %d %s", body, status, raw)
		}
	}
}

func TestSuggestionsNameRulesThatDecideNothing(t *testing.T) {
	r := newRig(t, ruled(3)...)
	var got struct{ Data []replay.Suggestion }
	req, err := http.NewRequest(http.MethodGet, r.url+"/api/v1/policies/suggestions?since=2026-01-01T00:00:00Z", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", key)
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).
		Decode(&got); err != nil || len(got.Data) != 1 ||
		got.Data[0].Rule != "security.policies.idle" {
		t.Errorf("%+v %v", got, err)
	}
}
