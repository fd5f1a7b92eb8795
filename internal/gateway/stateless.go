package gateway

import (
	"context"
	"fmt"
	"net/http"

	"mcpproxy"
	"mcpproxy/internal/wire"
)

// serveStateless serves one message of revision 2026-07-28.
func (g *Gateway) serveStateless(w http.ResponseWriter, r *http.Request, t endpoint, c *caller, m *wire.Message) {
	if !m.IsRequest() {
		// A client cancels by closing the stream. This era has no other notification that a server
		// must handle.
		w.WriteHeader(http.StatusAccepted)
		return
	}
	st := newStream(w, r, wire.Stateless, 1)
	if e := checkHeaders(r.Header, m); e != nil {
		g.refused(t, c, m, e.Message)
		st.respond(wire.NewError(m.ID, e))
		st.run(r.Context(), false)
		return
	}
	if e := g.checkParams(r, t, m); e != nil {
		g.refused(t, c, m, e.Message)
		st.respond(wire.NewError(m.ID, e))
		st.run(r.Context(), false)
		return
	}
	if c.hello = helloOf(m.Params); len(c.hello) > maxHello {
		st.respond(
			wire.NewError(
				m.ID,
				&wire.RPCError{Code: wire.CodeInvalidParams, Status: http.StatusBadRequest, Message: greetingTooLarge},
			),
		)
		st.run(r.Context(), false)
		return
	}
	c.logLevel = wire.String(m.Params, "_meta", wire.MetaLogLevel)
	c.notify = func(n *wire.Message) {
		if n.Method == "notifications/message" && c.logLevel == "" {
			return // this client did not ask for log messages
		}
		st.event(n)
	}
	end := Holding(r.Context())
	go func() {
		defer end()
		ctx := r.Context()
		st.respond(g.withRefusals(ctx, t, c, m, func() *wire.Message {
			return g.serveSuspendable(ctx, t, g.followed(c, m), m)
		}))
	}()
	st.run(r.Context(), false)
}

// checkHeaders compares the headers of revision 2026-07-28 with the body. The body decides. A
// mismatch is refused, because an intermediary that reads only the headers would see a different
// request.
func checkHeaders(h http.Header, m *wire.Message) *wire.RPCError {
	version := wire.String(m.Params, "_meta", wire.MetaVersion)
	header := h.Get(wire.HeaderVersion)
	switch {
	case version == "":
		return &wire.RPCError{
			Code:    wire.CodeInvalidParams,
			Status:  http.StatusBadRequest,
			Message: fmt.Sprintf("missing or invalid _meta field %q", wire.MetaVersion),
		}
	case wire.Member(m.Params, "_meta", wire.MetaCapabilities) == nil:
		return &wire.RPCError{
			Code:    wire.CodeInvalidParams,
			Status:  http.StatusBadRequest,
			Message: fmt.Sprintf("missing _meta field %q", wire.MetaCapabilities),
		}
	case header != version:
		return mismatch(wire.HeaderVersion, header, version)
	case version != wire.Latest:
		return &wire.RPCError{
			Code:    wire.CodeUnsupported,
			Message: "protocol version " + version + " is not supported",
			Data: map[string]any{
				"supported": append([]string{wire.Latest}, wire.StatefulVersions...),
				"requested": version,
			},
		}
	}
	if got := h.Get(wire.HeaderMethod); got != m.Method {
		return mismatch(wire.HeaderMethod, got, m.Method)
	}
	if name := wire.NameOf(m.Method, m.Params); name != "" {
		if got, ok := wire.DecodeHeader(h.Get(wire.HeaderName)); !ok || got != name {
			return mismatch(wire.HeaderName, h.Get(wire.HeaderName), name)
		}
	}
	return nil
}

func mismatch(header, got, want string) *wire.RPCError {
	return &wire.RPCError{
		Code: wire.CodeHeaderMismatch,
		Message: fmt.Sprintf(
			"the header %s contains %q, but the body %q",
			header,
			got[:min(len(got), 200)],
			want[:min(len(want), 200)],
		),
	}
}

// checkParams compares mirrored parameters with the body, for a tool that has its server's own
// name.
func (g *Gateway) checkParams(r *http.Request, t endpoint, m *wire.Message) *wire.RPCError {
	p, ok := t.(*serverEndpoint)
	if !ok || m.Method != "tools/call" {
		return nil
	}
	def, ok := g.catalog.Tool(p.server, wire.String(m.Params, "name"))
	if !ok {
		return nil
	}
	if header, ok := wire.CheckParamHeaders(r.Header, def.InputSchema, wire.Member(m.Params, "arguments")); !ok {
		return &wire.RPCError{
			Code:    wire.CodeHeaderMismatch,
			Message: "the header " + header + " does not match the body",
		}
	}
	return nil
}

// noServer says that a server is not or no longer configured.
func noServer(name string) error {
	return mcpproxy.Errorf(mcpproxy.CodeServerNotFound, nil, "there is no server %q", name)
}

// detached returns ctx without its cancellation. The returned function cancels the new context.
func detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithCancel(context.WithoutCancel(ctx))
}
