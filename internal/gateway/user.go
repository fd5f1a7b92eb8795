package gateway

import (
	"context"
	"encoding/json"

	"mcpproxy"
	"mcpproxy/internal/approval"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/wire"
)

// noForm is the schema of a yes-or-no question.
const noForm = `{"type":"object","properties":{}}`

// spanNames describe the durations of an answer.
var spanNames = map[mcpproxy.Remembered]string{
	mcpproxy.RememberedOnce:    "This call only",
	mcpproxy.RememberedSession: "In this session",
	mcpproxy.RememberedAlways:  "Always",
}

// form returns the schema of a question. If the answer can be remembered, the person may choose for
// how long. A client that sends no choice agrees to this call only.
func form(offers []mcpproxy.Remembered) []byte {
	if len(offers) < 2 {
		return []byte(noForm)
	}
	names := make([]string, len(offers))
	for i, o := range offers {
		names[i] = spanNames[o]
	}
	raw, err := json.Marshal(map[string]any{
		"type": "object",
		"properties": map[string]any{"remember": map[string]any{
			"type":        "string",
			"title":       "If you agree, for how long?",
			"description": "Calls that do the same, to the same destination, with the same kinds of data",
			"enum":        offers,
			"enumNames":   names,
			"default":     mcpproxy.RememberedOnce,
		}},
	})
	if err != nil {
		return []byte(noForm)
	}
	return raw
}

// user returns the person behind the caller, or nil if the caller cannot ask. A client without a
// key is treated as having no user: any program on this machine could call without a key and accept
// its own question. In the stateful era a question is a request on the client's stream. In the
// stateless era it is an input_required result, and only a retry of this request can resume it.
func (c *caller) user() gate.User {
	if c.ask == nil || c.keyless || !c.elicits() {
		return nil
	}
	return func(ctx context.Context, q approval.Prompt) (approval.Reply, error) {
		params := wire.Set(wire.Set(nil, wire.Quote(q.Text), "message"), form(q.Offers), "requestedSchema")
		resp, err := c.ask(ctx, wire.NewRequest([]byte("0"), "elicitation/create", params))
		if err != nil {
			return approval.Reply{}, err
		}
		if resp.Result == nil {
			return approval.Reply{}, mcpproxy.Errorf(
				mcpproxy.CodeCancelled,
				nil,
				"the client did not ask: %s",
				wire.String(resp.Error, "message"),
			)
		}
		return approval.Reply{
			Action: wire.String(resp.Result, "action"),
			For:    mcpproxy.Remembered(wire.String(resp.Result, "content", "remember")),
		}, nil
	}
}

// waiting returns a client that waits for a call of the HTTP request of ctx. Its user is the person
// behind the client.
func waiting(ctx context.Context, user gate.User) gate.Caller {
	return gate.Caller{User: user, Work: func() (end func()) { return Holding(ctx) }}
}

// elicits reports whether the caller can ask its user a form question while it waits for this
// request. A client that only supports URL elicitation cannot.
func (c *caller) elicits() bool {
	declared := wire.Member(c.hello, "capabilities", "elicitation")
	if len(declared) == 0 || declared[0] != '{' || c.era == wire.Stateless && !c.suspends {
		return false
	}
	return wire.Member(declared, "url") == nil || wire.Member(declared, "form") != nil
}
