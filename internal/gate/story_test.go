package gate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/state/memory"
)

const (
	gitToken = "ghp_" + "8Kd93jfLs02mZqPx71VbTnWc4YhUe5RgAo6i"
	awsKey   = "kT9vQ2xLm4Zr8WbYd1HsN6fJc3PgUe5RaXo7iMq0"
	summary  = "Revenue grew eleven percent in the southern region, driven by renewals."
)

// Spec-027, story 1, scenario 1.
// Shows: FR-022, RFC-21, story 1.
func TestTheftIsDenied(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	h.reads("github", "get_file", "# deploy\nGITHUB_TOKEN="+gitToken+"\n")
	c := call("slack", "post_message", `{"channel":"#general","text":"look: `+gitToken+`"}`)
	v, sent := h.does(c)
	if sent {
		t.Error("the call was sent")
	}
	if v.Decision != mcpproxy.Deny || v.RiskLevel != mcpproxy.RiskCritical || v.ID != c.ID || c.ID == "" {
		t.Errorf("verdict %s, risk %s, id %q of call %q", v.Decision, v.RiskLevel, v.ID, c.ID)
	}
	want := "Sensitive data (api_token) flowing from internal source (github) to external destination (slack)."
	if v.Reason != want {
		t.Errorf("reason\n%s\nwant\n%s", v.Reason, want)
	}
	if v.Rule != "security.flow_policy.sensitive_data_external" {
		t.Errorf("rule %s", v.Rule)
	}
	r := h.stored(v.ID)
	if r == nil {
		t.Fatal("no record in the file")
	}
	if r.Type != mcpproxy.RecordPolicyDecision || r.Status != mcpproxy.StatusBlocked || r.Decision != mcpproxy.Deny ||
		r.FlowType != mcpproxy.InternalToExternal || r.RiskLevel != mcpproxy.RiskCritical || r.CoverageMode != mcpproxy.CoverageProxyOnly ||
		r.SessionID != "mcp-1" || r.FlowSessionID != "flow-1" || r.Principal != "alice" || len(r.Metadata.Edges) == 0 {
		t.Errorf("the record: %+v", r)
	}
	if n := h.published(journal.EventFlowAlert); n != 1 {
		t.Errorf("%d flow alerts, want 1", n)
	}
}

// The same with the secret of the specification's own example. An attacker leaves out the words that identify the
// key.
// Shows: FR-061.
func TestTheftOfAnAWSKeyIsDenied(t *testing.T) {
	for name, text := range map[string]string{
		"with the words around it": "aws_secret_access_key = " + awsKey,
		"without them":             "psst " + awsKey,
		"alone":                    awsKey,
	} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t, t.TempDir(), defaults())
			h.reads("github", "get_file", "[default]\naws_secret_access_key = "+awsKey+"\n")
			v, sent := h.does(call("slack", "post_message", object("text", text)))
			if sent || v.Decision != mcpproxy.Deny || v.RiskLevel != mcpproxy.RiskCritical {
				t.Errorf("sent %v, verdict %s, risk %s", sent, v.Decision, v.RiskLevel)
			}
			h.log.Close()
			if r := h.stored(v.ID); r == nil || strings.Contains(string(r.Arguments), awsKey) {
				t.Errorf("the key is in the log: %+v", r)
			}
		})
	}
}

// Scenario 2, and the edge case that nobody can be asked.
// Shows: FR-060.
func TestInternalDataToOutsideIsAsked(t *testing.T) {
	for name, c := range map[string]struct {
		channel  mcpproxy.Channel
		decision mcpproxy.Decision
		asked    bool
	}{
		"plain MCP has nobody to ask, so ask becomes warn": {mcpproxy.ChannelMCP, mcpproxy.Warn, true},
		"a hook can ask":                {mcpproxy.ChannelHook, mcpproxy.Ask, false},
		"a script's call waits as well": {mcpproxy.ChannelCode, mcpproxy.Ask, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t, t.TempDir(), defaults())
			h.reads("postgres-db", "query", summary)
			out := call("webhook", "post_event", object("body", summary))
			out.Channel = c.channel
			v, sent := h.does(out)
			if v.Decision != c.decision || v.Asked != c.asked || v.RiskLevel != mcpproxy.RiskMedium ||
				sent == c.decision.Stops() {
				t.Errorf("sent %v, verdict %s, asked %v, risk %s", sent, v.Decision, v.Asked, v.RiskLevel)
			}
			if len(v.Edges) != 1 || v.Edges[0].Type != mcpproxy.InternalToExternal ||
				v.Edges[0].Risk != mcpproxy.RiskMedium {
				t.Errorf("edges %+v", v.Edges)
			}
			want := "Data flowing from internal source (postgres-db) to external destination (webhook)."
			if v.Reason != want {
				t.Errorf("reason %q", v.Reason)
			}
			if n := h.published(journal.EventFlowAlert); c.asked && n != 1 {
				t.Errorf("%d flow alerts, want 1", n)
			}
			h.log.Close()
			r := h.stored(v.ID)
			if r == nil || r.Decision != c.decision || r.RiskLevel != mcpproxy.RiskMedium ||
				r.FlowType != mcpproxy.InternalToExternal {
				t.Errorf("the record: %+v", r)
			}
		})
	}
}

// Scenario 3.
// Shows: FR-024.
func TestInternalToInternalIsAllowed(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	h.reads("github", "get_file", summary)
	v, sent := h.does(call("jira", "create_issue", object("description", summary)))
	if !sent || v.Decision != mcpproxy.Allow || v.RiskLevel != mcpproxy.RiskNone || v.RiskScore != 0 {
		t.Errorf("sent %v, verdict %+v", sent, v)
	}
	if len(v.Edges) != 1 || v.Edges[0].Type != mcpproxy.InternalToInternal || v.Edges[0].Risk != mcpproxy.RiskNone {
		t.Errorf("edges %+v", v.Edges)
	}
	if n := h.published(journal.EventFlowAlert); n != 0 {
		t.Errorf("%d flow alerts", n)
	}
	h.log.Close()
	r := h.stored(v.ID)
	if r == nil || r.FlowType != mcpproxy.InternalToInternal || r.Status != mcpproxy.StatusSuccess {
		t.Errorf("the record: %+v", r)
	}
}

// Story 9, scenario 1: results of reads are origins, arguments of writes and
// destructive calls are checked against them.
// Shows: FR-021.
func TestReadsAreOriginsAndEveryOtherCallIsChecked(t *testing.T) {
	for _, c := range []struct {
		server, tool string
		op           mcpproxy.Operation
	}{
		{"slack", "post_message", mcpproxy.Write},
		{"slack", "delete_message", mcpproxy.Destructive},
		{"slack", "search_messages", mcpproxy.Read},
	} {
		t.Run(c.tool, func(t *testing.T) {
			h := newRig(t, t.TempDir(), defaults())
			before, _ := h.does(call(c.server, c.tool, object("text", summary)))
			if len(before.Edges) != 0 {
				t.Errorf("edges before anything was read: %+v", before.Edges)
			}
			// The result of the previous call is "ok"; only this one contains the text.
			h.reads("github", "get_file", summary)
			after, _ := h.does(call(c.server, c.tool, object("text", summary)))
			if len(after.Edges) != 1 || after.Edges[0].From.Server != "github" || after.Decision == mcpproxy.Allow {
				t.Errorf("verdict %s, edges %+v", after.Decision, after.Edges)
			}
			h.log.Close()
			if r := h.stored(after.ID); r == nil || r.Metadata.Operation != c.op {
				t.Errorf("the record: %+v", r)
			}
		})
	}
}

func TestAStoppedCallIsInTheFileWhenDecideReturns(t *testing.T) {
	for name, c := range map[string]*mcpproxy.Call{
		"a secret from nowhere to outside": call("slack", "post_message", object("text", gitToken)),
		"a suspicious endpoint":            call("web", "fetch", object("url", "https://webhook.site/x")),
		"a destructive tool":               call("github", "delete_repo", `{}`),
		"arguments that cannot be read":    call("github", "get_file", `{"a":1,"a":2}`),
	} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t, t.TempDir(), defaults())
			ctx, cancel := context.WithCancel(t.Context())
			cancel() // the record is written even if the caller is gone
			p := h.gate.Decides(ctx, c)
			r := h.stored(c.ID)
			if !p.Stopped() || r == nil {
				t.Fatalf("stopped %v, record %v", p.Stopped(), r)
			}
			if r.Rule == "" || r.Rule != p.Verdict.Rule || r.Metadata.Reason == "" ||
				r.ErrorMessage != p.Verdict.Reason {
				t.Errorf("rule %q, reason %q, message %q", r.Rule, r.Metadata.Reason, r.ErrorMessage)
			}
			explained := journal.Explain(p.Verdict)
			if !strings.Contains(explained, p.Verdict.Rule) || !strings.Contains(explained, c.ID) {
				t.Errorf("the agent is told neither rule nor id: %s", explained)
			}
		})
	}
}

func ExampleGate_Do() {
	sessions := memory.New(0, func(string) *flow.Session { return flow.NewSession() }, nil)
	tracker := flow.New(sessions, flow.Limits{
		Enabled:    true,
		MaxOrigins: 10_000,
		MinLength:  20,
		MaxBytes:   65536,
	})
	g := gate.New(tracker, ledgertest.Discard{}, nil, defaults())

	ctx := context.Background()
	g.Do(ctx, call("github", "get_file", `{"path":".env"}`), answer(content("TOKEN="+gitToken)))
	result, verdict := g.Do(ctx, call("slack", "post_message", object("text", gitToken)), answer(content("posted")))
	fmt.Println(result == nil, verdict.Decision)
	fmt.Println(verdict.Reason)
	// Output:
	// true deny
	// Sensitive data (api_token) flowing from internal source (github) to external destination (slack).
}
