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
	near       bool        // has no token, or is on the owner's socket: may name the hook session that it belongs to
	keyless    bool        // came over the network without a key; see [auth.Identity]
	endpoint   string      // path
	flow       string      // session in which its data is followed; "" while that is its own
	evaluation string      // id of the hook evaluation of this very request; "" for none
	header     http.Header // of the HTTP request
	session    *session    // nil in the stateless era
	hello      []byte      // initialize params, or what _meta says in their form
	suspends   bool        // the request may be answered with a question (stateless era)
	judged     atomic.Bool // the gate has seen the request, and writes down what becomes of it
	logLevel   string      // the least severe log message wanted; "" for none (stateless era)

	// notify sends a notification that belongs to the request.
	notify func(*wire.Message)
	// ask puts a server's own request to the client and waits for the answer.
	ask func(context.Context, *wire.Message) (*wire.Message, error)
}

// protocolSession is the id of the protocol session, if there is one.
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

// helloOf puts what a stateless request says about its client into the form of
// initialize params.
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

// complete adds what revision 2026-07-28 wants in every result.
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

// uncached adds the caching hints that lists and reads must carry: what passed
// a gate is for this caller only, and may change at any time.
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
