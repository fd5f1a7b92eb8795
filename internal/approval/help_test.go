package approval_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/approval"
)

// rules are the rules of most tests: calls wait in the queue, and clients are asked.
var rules = approval.Rules{
	Elicitation: true,
	Wait:        time.Minute,
	Expiry:      10 * time.Minute,
	Policy:      "p1",
}

// office is a desk that keeps the events it has reported.
type office struct {
	*approval.Desk
	mu     sync.Mutex
	events []approval.Event
}

func newOffice(r approval.Rules) *office {
	o := &office{}
	o.Desk = approval.New(r, func(e approval.Event) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.events = append(o.events, e)
	})
	return o
}

// answers returns the recorded answers in order: who answered, and what.
func (o *office) answers() (out []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, e := range o.events {
		if e.Name == approval.EventResolved {
			out = append(
				out,
				e.Record.Metadata.Detail["answer"].(string)+" by "+e.Record.Metadata.Detail["by"].(string),
			)
		}
	}
	return out
}

// about returns a request about a call with the given arguments.
func about(arguments string) approval.Request {
	rec := &mcpproxy.Record{
		ID:        "01CALL",
		Source:    "mcp",
		ToolName:  "post_message",
		Rule:      "security.tool_policy.write",
		RiskLevel: mcpproxy.RiskMedium,
		Arguments: []byte(arguments),
		Metadata:  mcpproxy.Metadata{Facts: mcpproxy.Facts{Operation: mcpproxy.Write}, Reason: "It writes."},
	}
	return approval.About(rec, approval.Binding{
		Principal:   "local",
		Session:     "s",
		FlowSession: "mcp:local:s",
		Kind:        mcpproxy.KindTool,
		Server:      "chat",
		Tool:        "post_message",
		Arguments:   approval.Digest([]byte(arguments)),
		Policy:      "p1",
		Ruling:      "r",
	}, nil)
}

// asks asks about r in the background, and returns a channel for the answer.
func (o *office) asks(ctx context.Context, r approval.Request) chan approval.Answer {
	heard := make(chan approval.Answer, 1)
	go func() { heard <- o.Ask(ctx, r) }()
	return heard
}

// the returns the only open request.
func (o *office) the(t *testing.T) approval.Request {
	t.Helper()
	all := o.Pending()
	if len(all) != 1 {
		t.Fatalf("%d requests are open, want 1", len(all))
	}
	return all[0]
}

func outcome(t *testing.T, got approval.Answer, want approval.Outcome) {
	t.Helper()
	if got.Outcome != want {
		t.Errorf("the call hears %q (%s), want %q", got.Outcome, got.Reason(), want)
	}
}
