package gateway

import (
	"context"

	"mcpproxy"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/wire"
)

// noForm is the schema of a question that wants a yes or a no and nothing else.
const noForm = `{"type":"object","properties":{}}`

// user is the person behind the caller, nil where the caller cannot ask. In the
// stateful era a question is a request on the client's stream; in the stateless
// one it is an input_required result, whose state only this very request can take
// up again.
func (c *caller) user() gate.User {
	if c.ask == nil || !c.elicits() {
		return nil
	}
	return func(ctx context.Context, text string) (string, error) {
		params := wire.Set(wire.Set(nil, wire.Quote(text), "message"), []byte(noForm), "requestedSchema")
		resp, err := c.ask(ctx, wire.NewRequest([]byte("0"), "elicitation/create", params))
		if err != nil {
			return "", err
		}
		if resp.Result == nil {
			return "", mcpproxy.Errorf(mcpproxy.CodeCancelled, nil, "the client did not ask: %s", wire.String(resp.Error, "message"))
		}
		return wire.String(resp.Result, "action"), nil
	}
}

// elicits reports whether the caller can put a question to its user while it waits
// for this request. A client that opens addresses only has no use for a question.
func (c *caller) elicits() bool {
	declared := wire.Member(c.hello, "capabilities", "elicitation")
	if len(declared) == 0 || declared[0] != '{' || c.era == wire.Stateless && !c.suspends {
		return false
	}
	return wire.Member(declared, "url") == nil || wire.Member(declared, "form") != nil
}
