package api_test

import (
	"net/http"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/text"
)

// theft makes a session read a key and send it.
func (r *rig) theft(session string) {
	r.t.Helper()
	document := func(raw, root string) *text.Document {
		doc, err := text.Parse([]byte(raw), root)
		if err != nil {
			r.t.Fatal(err)
		}
		return doc
	}
	const key = "q7Rk2vXw9LmZt4BcYd8HsN3f"
	r.flows.Record(flow.Transfer{
		Call: &mcpproxy.Call{
			ID:          "read",
			Server:      "vault",
			Tool:        "read_secret",
			FlowSession: session,
			Principal:   "local",
		},
		Class:   mcpproxy.Class{Side: mcpproxy.Internal},
		Doc:     document(`{"value":"key `+key+`"}`, "response"),
		Secrets: []flow.Secret{{Value: key, Category: "api_token"}},
	})
	r.flows.Check(flow.Transfer{
		Call: &mcpproxy.Call{
			ID:          "post",
			Server:      "chat",
			Tool:        "post_message",
			FlowSession: session,
			Principal:   "local",
		},
		Class: mcpproxy.Class{
			Side:          mcpproxy.External,
			CanExfiltrate: true,
		},
		Doc: document(`{"text":"look: `+key+`"}`, "arguments"),
	})
}

func TestTheFlowsOfASessionAreShown(t *testing.T) {
	r := newRig(t)
	r.theft("mcp:local:/mcp")
	r.flows.Join("mcp:local:/mcp", flow.HookKey("h1"))
	for name, path := range map[string]string{
		"by its own name":              "/api/v1/sessions/hook:h1/flow",
		"by the name of a linked one":  "/api/v1/sessions/mcp:local:%2Fmcp/flow",
		"with every character escaped": "/api/v1/sessions/hook%3Ah1/flow",
	} {
		var got api.SessionFlow
		r.ask(path, nil).data(t, &got)
		if got.ID != "hook:h1" || len(got.Origins) != 1 || got.Origins[0].Server != "vault" ||
			got.Origins[0].Side != "internal" {
			t.Errorf("%s: origins %+v of %q", name, got.Origins, got.ID)
		}
		if len(got.Moves) != 1 || got.Moves[0].CallID != "post" || got.Moves[0].From.CallID != "read" ||
			got.Moves[0].Path != "arguments.text" ||
			got.Moves[0].Match == "" {
			t.Errorf("%s: edges %+v", name, got.Moves)
		}
		s := got.Summary
		if s.Edges != 1 || s.Origins != 1 || len(s.Linked) != 1 || s.Linked[0] != "mcp:local:/mcp" || s.Bytes == 0 {
			t.Errorf("%s: summary %+v", name, s)
		}
	}
}

func TestAnUnknownSessionIsReported(t *testing.T) {
	r := newRig(t)
	for _, id := range []string{"nothing", "principal:local", "mcp:local:on"} {
		if a := r.ask("/api/v1/sessions/"+id+"/flow", nil); a.status != http.StatusNotFound {
			t.Errorf("%s: %d %s", id, a.status, a.body)
		} else {
			a.failure(t)
		}
	}
}
