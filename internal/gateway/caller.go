package gateway

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"

	"mcpproxy/internal/wire"
)

// caller is the agent's end of one request or notification.
type caller struct {
	era        wire.Era
	principal  string
	grants     []string    // see [auth.Identity]
	near       bool        // has no token, or uses the owner's socket: may name its hook session
	keyless    bool        // came over the network without a key; see [auth.Identity]
	endpoint   string      // path of the endpoint
	flow       string      // session in which its data is tracked; "" for its own session
	evaluation string      // id of the hook evaluation that announced this request; "" if unknown
	header     http.Header // headers of the HTTP request
	session    *session    // nil for a client of the stateless revision
	hello      []byte      // initialize params, or the equivalent from _meta
	suspends   bool        // the request may be answered with a question (stateless era)
	judged     atomic.Bool // the gate has seen the request and records it
	logLevel   string      // minimum level of log messages; "" for no log messages (stateless era)

	// notify sends a notification that belongs to the request.
	notify func(*wire.Message)
	// ask sends a server's own request to the client and waits for the answer.
	ask func(context.Context, *wire.Message) (*wire.Message, error)
}

// protocolSession returns the id of the protocol session, or "".
func (c *caller) protocolSession() string {
	if c.session != nil {
		return c.session.id
	}
	return ""
}

func (c *caller) clientName() string {
	name := wire.String(c.hello, "clientInfo", "name")
	return name[:min(len(name), 128)]
}

// helloOf converts the client information of a stateless request to the form of initialize params.
func helloOf(params []byte) []byte {
	hello := map[string]json.RawMessage{"capabilities": wire.Member(params, "_meta", wire.MetaCapabilities)}
	if info := wire.Member(params, "_meta", wire.MetaClientInfo); info != nil {
		hello["clientInfo"] = info
	}
	if hello["capabilities"] == nil {
		hello["capabilities"] = json.RawMessage("{}")
	}
	return wire.MustJSON(hello)
}

// complete adds the members that revision 2026-07-28 requires in every result.
func complete(c *caller, resp *wire.Message, serverInfo []byte) *wire.Message {
	if c.era != wire.Stateless || resp.Result == nil || resp.Result[0] != '{' {
		return resp
	}
	result := resp.Result
	if wire.Member(result, "resultType") == nil {
		result = wire.Set(result, []byte(`"complete"`), "resultType")
	}
	if serverInfo != nil && wire.Member(result, "_meta", wire.MetaServerInfo) == nil {
		result = wire.Set(result, serverInfo, "_meta", wire.MetaServerInfo)
	}
	return resp.WithResult(result)
}

// uncached adds the caching hints that revision 2026-07-28 requires in lists and reads. A result
// that passed the gate is valid for this caller only and may change at any time.
func uncached(resp *wire.Message) *wire.Message {
	if resp.Result == nil || resp.Result[0] != '{' {
		return resp
	}
	result := resp.Result
	if wire.Member(result, "ttlMs") == nil {
		result = wire.Set(result, []byte("0"), "ttlMs")
	}
	return resp.WithResult(wire.Set(result, []byte(`"private"`), "cacheScope"))
}
