package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpproxy/internal/auth"
	"mcpproxy/internal/wire"
)

// ServeHTTP serves all MCP endpoints. The caller must check Host and Origin first; see [Guard].
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, ok := g.admit(w, r)
	if !ok {
		return
	}
	if err := g.peers.MayCall(r.Context()); err != nil {
		refuse(w, http.StatusForbidden, err.Error())
		return
	}
	r, leave, refusal := g.auth.Bind(r, id)
	defer leave()
	if refusal != nil {
		g.turnAway(w, r, refusal)
		return
	}
	t, ok := g.endpoint(r.URL.Path)
	if !ok {
		const why = "no such MCP endpoint: use /mcp, /mcp/all or /mcp/s/<server> with a configured server"
		g.refusedEndpoint(r, id.Principal, why)
		refuse(w, http.StatusNotFound, why)
		return
	}
	if _, private := g.audits[strings.TrimSuffix(r.URL.Path, "/")]; g.router != nil && !private {
		var here bool
		if w, here = g.router.Route(w, r, id.Principal); !here {
			return
		}
	}
	switch r.Method {
	case http.MethodPost:
		g.post(w, r, t, id)
	case http.MethodGet:
		g.get(w, r, id)
	case http.MethodDelete:
		s, refused := g.known(r, id)
		if refused != nil {
			refused.write(w)
			return
		}
		g.endSession(s)
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		refuse(w, http.StatusMethodNotAllowed, "use GET, POST or DELETE")
	}
}

// Router finds the replica that serves a principal.
type Router interface {
	// Route reports whether this replica serves a request, and returns the writer for its answer.
	// If Route returns false, it has answered the request.
	Route(w http.ResponseWriter, r *http.Request, principal string) (out http.ResponseWriter, here bool)
}

// UseRouter makes r choose the replica for each request. It must be called before requests are
// served.
func (g *Gateway) UseRouter(r Router) { g.router = r }

// refuse answers a request whose JSON-RPC id could not be read.
func refuse(w http.ResponseWriter, status int, message string) {
	refuseWith(w, status, wire.CodeInvalidRequest, message)
}

// refusal says why a request was not served.
type refusal struct {
	status, code int
	message      string
}

func (f *refusal) write(w http.ResponseWriter) { refuseWith(w, f.status, f.code, f.message) }

// invalidRequest returns a refusal with the code for an invalid request.
func invalidRequest(status int, message string) *refusal {
	return &refusal{status, wire.CodeInvalidRequest, message}
}

// noMessage refuses a body that is not a JSON-RPC message.
func noMessage(err error) *refusal {
	if errors.Is(err, wire.ErrSyntax) {
		return &refusal{http.StatusBadRequest, wire.CodeParse, "parse error: " + err.Error()}
	}
	return invalidRequest(http.StatusBadRequest, "invalid request: "+err.Error())
}

func refuseWith(w http.ResponseWriter, status, code int, message string) {
	refuseRequest(w, nil, status, code, message)
}

// refuseRequest refuses the request with the given id.
func refuseRequest(w http.ResponseWriter, id []byte, status, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(wire.NewError(id, &wire.RPCError{Code: code, Message: message}).Raw)
}

func (g *Gateway) post(w http.ResponseWriter, r *http.Request, t endpoint, id auth.Identity) {
	body, refused := readBody(w, r)
	if refused == nil && body == nil {
		return // the client has disconnected
	}
	if trimmed := bytes.TrimSpace(body); refused == nil && len(trimmed) > 0 && trimmed[0] == '[' {
		g.batch(w, r, t, id, trimmed)
		return
	}
	var m *wire.Message
	if refused == nil {
		var err error
		if m, err = readMessage(body); err != nil {
			refused = noMessage(err)
		}
	}
	if refused != nil {
		g.refusedBody(t, g.callerOfRefused(r, id.Principal), body, refused.message)
		refused.write(w)
		return
	}
	c := &caller{
		principal: id.Principal,
		grants:    id.Grants,
		near:      id.Principal == auth.Owner || id.Local,
		keyless:   id.Keyless,
		endpoint:  strings.TrimSuffix(r.URL.Path, "/"),
		header:    r.Header,
	}
	switch {
	case stateless(r, m):
		c.era = wire.Stateless
		g.serveStateless(w, r, t, c, m)
	case m.Method == "initialize" && m.IsRequest():
		g.serveInitialize(w, r, t, c, m)
	default:
		s, refused := g.known(r, id)
		if refused != nil {
			g.refused(t, c, m, refused.message)
			refused.write(w)
			return
		}
		g.serveSession(w, r, s, []*wire.Message{m})
	}
}

// readBody reads the body of a POST. If the body is too large, it returns the beginning. It returns
// neither a body nor a refusal if the client has disconnected.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, *refusal) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return nil, invalidRequest(http.StatusUnsupportedMediaType, "the content type must be application/json")
	}
	body, err := readWhole(w, r)
	if err == nil {
		return body, nil
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return body, invalidRequest(http.StatusRequestEntityTooLarge, "the request is larger than 16 MB")
	}
	if status, message, ok := BodyFailure(w, err); ok {
		return body, invalidRequest(status, message)
	}
	return nil, nil
}

// readWhole reads a request body. It allocates little more memory than the bytes that have arrived,
// whatever length was announced. With an error it returns the bytes read so far.
func readWhole(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	in := http.MaxBytesReader(w, r.Body, maxRequest)
	out := make([]byte, 0, min(max(r.ContentLength, 0), smallBody)+bytes.MinRead)
	for {
		if len(out) == cap(out) {
			size := 2 * int64(cap(out))
			if r.ContentLength >= int64(len(out)) {
				size = min(size, r.ContentLength+bytes.MinRead)
			}
			out = append(make([]byte, 0, size), out...)
		}
		n, err := in.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
	}
}

// stateless reports whether a message is of revision 2026-07-28 or names an unknown revision. Only
// that era names the revision in each message.
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
func (g *Gateway) batch(w http.ResponseWriter, r *http.Request, t endpoint, id auth.Identity, body []byte) {
	s, messages, refused, about := g.readBatch(r, id, body)
	if refused != nil {
		g.refusedBody(t, g.callerOfRefused(r, id.Principal), about, refused.message)
		refused.write(w)
		return
	}
	g.serveSession(w, r, s, messages)
}

// readBatch reads a batch of a session's messages. If it refuses the batch because of one message,
// about is that message.
func (g *Gateway) readBatch(
	r *http.Request,
	id auth.Identity,
	body []byte,
) (s *session, messages []*wire.Message, refused *refusal, about []byte) {
	if r.Header.Get(wire.HeaderSession) == "" {
		return nil, nil, invalidRequest(
			http.StatusBadRequest,
			"batches are not supported: send one message per request",
		), nil
	}
	if s, refused = g.known(r, id); refused != nil {
		return nil, nil, refused, nil
	}
	if s.version != wire.FirstBatch {
		return nil, nil, invalidRequest(
			http.StatusBadRequest,
			"batches are not part of protocol version "+s.version,
		), nil
	}
	var raws []json.RawMessage
	if err := json.Unmarshal(body, &raws); err != nil || len(raws) == 0 {
		return nil, nil, &refusal{http.StatusBadRequest, wire.CodeParse, "parse error: an empty or invalid batch"}, nil
	}
	if len(raws) > maxBatch {
		return nil, nil, invalidRequest(
			http.StatusRequestEntityTooLarge,
			fmt.Sprintf("a batch has at most %d messages", maxBatch),
		), nil
	}
	for _, raw := range raws {
		m, err := readMessage(raw)
		if err != nil {
			return nil, nil, noMessage(err), raw
		}
		messages = append(messages, m)
	}
	return s, messages, nil, nil
}

// readMessage reads a client's message. It removes members that JSON-RPC does not define and limits
// the length of the id, because the gate sees neither of them. The gate inspects everything else
// that is sent to a server.
func readMessage(raw []byte) (*wire.Message, error) {
	m, err := wire.Parse(raw)
	switch {
	case err != nil:
		return nil, err
	case m.Method != "" && !validMethod(m.Method):
		return nil, fmt.Errorf("method must be 1 to %d of the characters a-z, A-Z, 0-9, _ / . $ and -", maxMethod)
	case len(m.ID) > maxRequestID:
		return nil, fmt.Errorf("id must be at most %d bytes long", maxRequestID)
	}
	return m.Defined(), nil
}

// validMethod reports whether a method's name is well-formed. A longer name or other characters
// could carry data past the gate.
func validMethod(name string) bool {
	return len(name) <= maxMethod && strings.Trim(name, methodCharacters) == ""
}

const methodCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/.$-"

// known returns the session that a request names, or a refusal. A request without a key cannot use
// a session that was opened with one, because it could answer the questions put to that session. A
// person whose grants have changed cannot use a session that was opened with the old grants.
func (g *Gateway) known(r *http.Request, id auth.Identity) (*session, *refusal) {
	name := r.Header.Get(wire.HeaderSession)
	if name == "" {
		return nil, invalidRequest(
			http.StatusBadRequest,
			"no Mcp-Session-Id header: send initialize first, or speak revision "+wire.Latest,
		)
	}
	s, ok := g.session(name)
	if !ok || s.principal != id.Principal || s.keyless != id.Keyless || !slices.Equal(s.grants, id.Grants) ||
		s.endpoint != strings.TrimSuffix(r.URL.Path, "/") {
		return nil, invalidRequest(http.StatusNotFound, "unknown session: it has ended; send initialize again")
	}
	if v := r.Header.Get(wire.HeaderVersion); v != "" && !wire.KnownVersion(v) {
		return nil, invalidRequest(http.StatusBadRequest, "unsupported protocol version "+v)
	}
	return s, nil
}

// serveInitialize opens a session.
func (g *Gateway) serveInitialize(w http.ResponseWriter, r *http.Request, t endpoint, c *caller, m *wire.Message) {
	hello := orEmpty(m.Params)
	if len(hello) > maxHello {
		refuseRequest(w, m.ID, http.StatusRequestEntityTooLarge, wire.CodeInvalidParams, greetingTooLarge)
		return
	}
	s := g.newSession(c, t, hello)
	if s == nil {
		w.Header().Set("Retry-After", strconv.Itoa(int(activeFor/time.Second)))
		refuseRequest(w, m.ID, http.StatusServiceUnavailable, wire.CodeInternal, noRoom)
		return
	}
	defer s.opened()
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

// caller returns the session's client. Its messages go to st.
func (s *session) caller(h http.Header, st *stream) *caller {
	c := &caller{
		era:       wire.Stateful,
		principal: s.principal,
		grants:    s.grants,
		near:      s.near,
		keyless:   s.keyless,
		endpoint:  s.endpoint,
		header:    h,
		session:   s,
		hello:     s.hello,
	}
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

// serveSession serves a POST of a stateful client.
func (g *Gateway) serveSession(w http.ResponseWriter, r *http.Request, s *session, messages []*wire.Message) {
	requests := 0
	for _, m := range messages {
		if m.IsRequest() {
			requests++
		}
	}
	st := newStream(w, r, wire.Stateful, requests)
	// A stateful client that disconnects has not cancelled: the call continues.
	ctx := context.WithoutCancel(r.Context())
	for _, m := range messages {
		switch {
		case m.IsRequest():
			end := Holding(ctx)
			go func() {
				defer end()
				g.serveRequest(ctx, s, r.Header, st, m)
			}()
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
	c := s.caller(h, st)
	if !s.begin(m, st, cancel) {
		const why = "a request with this id is still running"
		g.refused(s.target, c, m, why)
		st.respond(wire.NewError(m.ID, &wire.RPCError{Code: wire.CodeInvalidRequest, Message: why}))
		return
	}
	resp := g.withRefusals(ctx, s.target, c, m, func() *wire.Message {
		return s.target.handle(ctx, g.followed(c, m), m)
	})
	s.finish(m.ID, st)
	st.respond(resp)
}

// get opens a session's GET stream.
func (g *Gateway) get(w http.ResponseWriter, r *http.Request, id auth.Identity) {
	if r.Header.Get(wire.HeaderSession) == "" {
		w.Header().Set("Allow", "POST")
		refuse(w, http.StatusMethodNotAllowed, "GET opens the stream of a session: send its Mcp-Session-Id")
		return
	}
	s, refused := g.known(r, id)
	if refused != nil {
		refused.write(w)
		return
	}
	st := newStream(w, r, wire.Stateful, 1)
	if !st.eager {
		refuse(w, http.StatusNotAcceptable, "the client must accept text/event-stream")
		return
	}
	s.setStanding(st)
	s.askRoots()
	st.run(r.Context(), true)
	s.clearStanding(st)
}
