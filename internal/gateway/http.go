package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"mcpproxy/internal/door"
	"mcpproxy/internal/wire"
)

// ServeHTTP serves all MCP endpoints. The caller has checked Host and Origin
// (see [Guard]).
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, ok := g.admit(w, r)
	if !ok {
		return
	}
	r, leave, refusal := g.door.Visit(r, id)
	defer leave()
	if refusal != nil {
		refuse(w, refusal.Status, refusal.Message)
		return
	}
	t, ok := g.target(r.URL.Path)
	if !ok {
		refuse(w, http.StatusNotFound, "no such MCP endpoint: use /mcp, /mcp/all or /mcp/s/<server> with a configured server")
		return
	}
	switch r.Method {
	case http.MethodPost:
		g.post(w, r, t, id)
	case http.MethodGet:
		g.get(w, r, id.Principal)
	case http.MethodDelete:
		if s, ok := g.known(w, r, id.Principal); ok {
			g.endSession(s)
			w.WriteHeader(http.StatusNoContent)
		}
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		refuse(w, http.StatusMethodNotAllowed, "use GET, POST or DELETE")
	}
}

// refuse answers a request in which no JSON-RPC id could be read.
func refuse(w http.ResponseWriter, status int, message string) {
	refuseWith(w, status, wire.CodeInvalidRequest, message)
}

// refuseMessage answers a body that is no message.
func refuseMessage(w http.ResponseWriter, err error) {
	if errors.Is(err, wire.ErrSyntax) {
		refuseWith(w, http.StatusBadRequest, wire.CodeParse, "parse error: "+err.Error())
		return
	}
	refuseWith(w, http.StatusBadRequest, wire.CodeInvalidRequest, "invalid request: "+err.Error())
}

func refuseWith(w http.ResponseWriter, status, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(wire.NewError(nil, &wire.RPCError{Code: code, Message: message}).Raw)
}

func (g *Gateway) post(w http.ResponseWriter, r *http.Request, t target, id door.Identity) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		refuse(w, http.StatusUnsupportedMediaType, "the content type must be application/json")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			refuse(w, http.StatusRequestEntityTooLarge, "the request is larger than 16 MB")
			return
		}
		return // the client left
	}
	if trimmed := bytes.TrimSpace(body); len(trimmed) > 0 && trimmed[0] == '[' {
		g.batch(w, r, id.Principal, trimmed)
		return
	}
	m, err := wire.Parse(body)
	if err != nil {
		refuseMessage(w, err)
		return
	}
	c := &caller{principal: id.Principal, near: id.IsOwner() || id.Local, endpoint: strings.TrimSuffix(r.URL.Path, "/"), header: r.Header}
	switch {
	case stateless(r, m):
		c.era = wire.Stateless
		g.serveStateless(w, r, t, c, m)
	case m.Method == "initialize" && m.IsRequest():
		g.serveInitialize(w, r, t, c, m)
	default:
		if s, ok := g.known(w, r, id.Principal); ok {
			g.serveSession(w, r, s, []*wire.Message{m})
		}
	}
}

// stateless reports whether a message is of revision 2026-07-28 or claims to be
// of one that is not known: only that era names the version in each message.
func stateless(r *http.Request, m *wire.Message) bool {
	if r.Header.Get(wire.HeaderSession) != "" {
		return false
	}
	header := r.Header.Get(wire.HeaderVersion)
	if header != "" && !slices.Contains(wire.StatefulVersions, header) {
		return true
	}
	return wire.Member(m.Params, "_meta", wire.MetaVersion) != nil
}

// batch serves a JSON-RPC batch, which only revision 2025-03-26 has.
func (g *Gateway) batch(w http.ResponseWriter, r *http.Request, principal string, body []byte) {
	if r.Header.Get(wire.HeaderSession) == "" {
		refuse(w, http.StatusBadRequest, "batches are not supported: send one message a request")
		return
	}
	s, ok := g.known(w, r, principal)
	if !ok {
		return
	}
	if s.version != wire.FirstBatch {
		refuse(w, http.StatusBadRequest, "batches are not part of protocol version "+s.version)
		return
	}
	var raws []json.RawMessage
	if err := json.Unmarshal(body, &raws); err != nil || len(raws) == 0 {
		refuseWith(w, http.StatusBadRequest, wire.CodeParse, "parse error: an empty or invalid batch")
		return
	}
	messages := make([]*wire.Message, len(raws))
	for i, raw := range raws {
		m, err := wire.Parse(raw)
		if err != nil {
			refuseMessage(w, err)
			return
		}
		messages[i] = m
	}
	g.serveSession(w, r, s, messages)
}

// known finds the session that a request names.
func (g *Gateway) known(w http.ResponseWriter, r *http.Request, principal string) (*session, bool) {
	id := r.Header.Get(wire.HeaderSession)
	if id == "" {
		refuse(w, http.StatusBadRequest, "no Mcp-Session-Id header: send initialize first, or speak revision "+wire.Latest)
		return nil, false
	}
	s, ok := g.session(id)
	if !ok || s.principal != principal || s.endpoint != strings.TrimSuffix(r.URL.Path, "/") {
		refuse(w, http.StatusNotFound, "unknown session: it has ended; send initialize again")
		return nil, false
	}
	if v := r.Header.Get(wire.HeaderVersion); v != "" && !wire.KnownVersion(v) {
		refuse(w, http.StatusBadRequest, "unsupported protocol version "+v)
		return nil, false
	}
	return s, true
}

// serveInitialize opens a session.
func (g *Gateway) serveInitialize(w http.ResponseWriter, r *http.Request, t target, c *caller, m *wire.Message) {
	s := g.newSession(c, t, orEmpty(m.Params))
	st := newStream(w, r, wire.Stateful, 1)
	resp := guarded(m, func() *wire.Message { return t.handle(r.Context(), g.followed(s.caller(c.header, st), m), m) })
	if resp.Result == nil {
		g.endSession(s)
	} else {
		s.version = wire.String(resp.Result, "protocolVersion")
		w.Header().Set(wire.HeaderSession, s.id)
	}
	st.respond(resp)
	st.run(r.Context(), false)
}

// caller is the session's client, answering on st.
func (s *session) caller(h http.Header, st *stream) *caller {
	c := &caller{era: wire.Stateful, principal: s.principal, near: s.near, endpoint: s.endpoint, header: h, session: s, hello: s.hello}
	c.notify = func(m *wire.Message) {
		if !st.event(m) {
			s.deliver(m)
		}
	}
	c.ask = func(ctx context.Context, m *wire.Message) (*wire.Message, error) {
		if err := c.mayAsk(m.Method); err != nil {
			return nil, err
		}
		return s.ask(ctx, st, m)
	}
	return c
}

// serveSession serves what a client of the stateful era posts.
func (g *Gateway) serveSession(w http.ResponseWriter, r *http.Request, s *session, messages []*wire.Message) {
	requests := 0
	for _, m := range messages {
		if m.IsRequest() {
			requests++
		}
	}
	st := newStream(w, r, wire.Stateful, requests)
	// A client of this era that hangs up has not cancelled: the call runs on.
	ctx := context.WithoutCancel(r.Context())
	for _, m := range messages {
		switch {
		case m.IsRequest():
			go g.serveRequest(ctx, s, r.Header, st, m)
		case m.IsResponse():
			s.answered(m)
		case m.Method == "notifications/cancelled":
			s.cancel(wire.Member(m.Params, "requestId"))
		default:
			s.target.notified(ctx, g.followed(s.caller(r.Header, st), m), m)
		}
	}
	if requests == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	st.run(r.Context(), false)
}

func (g *Gateway) serveRequest(ctx context.Context, s *session, h http.Header, st *stream, m *wire.Message) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !s.begin(m.ID, st, cancel) {
		st.respond(wire.NewError(m.ID, &wire.RPCError{Code: wire.CodeInvalidRequest, Message: "a request with this id is still running"}))
		return
	}
	resp := guarded(m, func() *wire.Message { return s.target.handle(ctx, g.followed(s.caller(h, st), m), m) })
	s.finish(m.ID, st)
	st.respond(resp)
}

// get opens a session's standing stream.
func (g *Gateway) get(w http.ResponseWriter, r *http.Request, principal string) {
	if r.Header.Get(wire.HeaderSession) == "" {
		w.Header().Set("Allow", "POST")
		refuse(w, http.StatusMethodNotAllowed, "GET opens the stream of a session: send its Mcp-Session-Id")
		return
	}
	s, ok := g.known(w, r, principal)
	if !ok {
		return
	}
	st := newStream(w, r, wire.Stateful, 1)
	if !st.eager {
		refuse(w, http.StatusNotAcceptable, "the client must accept text/event-stream")
		return
	}
	s.stand(st)
	st.run(r.Context(), true)
	s.unstand(st)
}
