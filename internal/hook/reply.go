package hook

import (
	"bytes"
	"encoding/json"

	"mcpproxy"
)

// Reply is the output of the hook's process and its exit code. The zero Reply raises no objection.
type Reply struct {
	Stdout []byte
	Stderr string
	Exit   int
}

// ReplyOptions are the user's settings for replies.
type ReplyOptions struct {
	ExplicitAllow bool              // print allow instead of nothing; the agent then does not ask its user
	AskFallback   mcpproxy.Decision // for agents that cannot ask: Deny, or Warn to let the call pass; "" means Deny
}

// Settle returns the decision for the agent: allow, ask or deny. Decisions that let a call pass
// become allow. An ask becomes o.AskFallback if canAsk is false.
func Settle(d mcpproxy.Decision, canAsk bool, o ReplyOptions) mcpproxy.Decision {
	switch d {
	case mcpproxy.Allow, mcpproxy.Warn:
		return mcpproxy.Allow
	case mcpproxy.Ask, mcpproxy.Redact:
		if canAsk {
			return mcpproxy.Ask
		}
		if o.AskFallback == mcpproxy.Warn || o.AskFallback == mcpproxy.Allow {
			return mcpproxy.Allow
		}
	}
	return mcpproxy.Deny
}

// say returns a reply of one line of JSON.
func say(v any) Reply {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // people and models read the output
	if err := enc.Encode(v); err != nil {
		panic("hook: " + err.Error()) // cannot fail: v is one of the structs of this package
	}
	return Reply{Stdout: out.Bytes()}
}

// permission is the reply of the agents that follow Claude Code.
type permission struct {
	Decision mcpproxy.Decision `json:"permissionDecision,omitempty"`
	Reason   string            `json:"permissionDecisionReason,omitempty"`
	Nested   *nested           `json:"hookSpecificOutput,omitempty"`
}

type nested struct {
	Event    string            `json:"hookEventName"`
	Decision mcpproxy.Decision `json:"permissionDecision"`
	Reason   string            `json:"permissionDecisionReason,omitempty"`
}

// permissionReply writes a decision into an object that names the event, or at the top level for
// agents that read it there.
func permissionReply(e Event, d mcpproxy.Decision, reason string) Reply {
	if e.flat {
		return say(permission{Decision: d, Reason: reason})
	}
	return say(permission{Nested: &nested{Event: e.Name, Decision: d, Reason: reason}})
}

// decisionReply writes a decision under the names that several agents share.
func decisionReply(decision, reason string) Reply {
	return say(struct {
		Decision string `json:"decision"`
		Reason   string `json:"reason,omitempty"`
	}{decision, reason})
}
