package upstream

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
	"sync"
	"time"

	"mcpproxy/internal/wire"
)

// streamable is the streamable HTTP transport: every message is a POST, and
// answers come back as JSON or as server-sent events.
type streamable struct {
	client  *http.Client
	url     string
	headers map[string]string
	link    *Link
	ctx     context.Context // context of the GET stream; ends with close
	cancel  context.CancelFunc
	ended   chan struct{}
	once    sync.Once
	stands  chan struct{} // closed when the GET stream is open or unavailable
	stood   sync.Once

	mu   sync.Mutex
	said conversation
}

// conversation holds the protocol era, revision and session that each request of a link sends.
type conversation struct {
	era     wire.Era
	version string // "" until it is negotiated
	session string // Mcp-Session-Id; "" without a session
}

// httpTransport is shared by all links, for its connection pool.
var httpTransport = &http.Transport{
	Proxy:                 http.ProxyFromEnvironment,
	DialContext:           dial,
	ForceAttemptHTTP2:     true,
	MaxIdleConnsPerHost:   64,
	IdleConnTimeout:       90 * time.Second,
	ResponseHeaderTimeout: 0,
	TLSHandshakeTimeout:   10 * time.Second,
	DisableCompression:    true,
}

func (s *Server) dialHTTP(l *Link) error {
	client, err := s.web()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	l.transport = &streamable{
		client:  client,
		url:     s.spec.URL,
		headers: s.spec.Headers,
		link:    l,
		ctx:     ctx,
		cancel:  cancel,
		stands:  make(chan struct{}),
		ended:   make(chan struct{}),
	}
	return nil
}

// sameOrigin refuses redirects to another host, which would receive credentials and data without
// being configured.
func sameOrigin(req *http.Request, via []*http.Request) error {
	first := via[0].URL
	if req.URL.Host != first.Host || req.URL.Scheme != first.Scheme || len(via) > 5 {
		return fmt.Errorf("refusing a redirect to %s", req.URL.Host)
	}
	return nil
}

// speak sets the era and revision of later requests.
func (t *streamable) speak(era wire.Era, version string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.said.era, t.said.version = era, version
}

// now returns the current conversation.
func (t *streamable) now() conversation {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.said
}

func (t *streamable) request(ctx context.Context, in conversation, method string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, t.url, bytes.NewReader(body))
	if err != nil {
		return nil, unaddressed(err)
	}
	for k, v := range t.headers {
		req.Header.Set(k, v)
	}
	if in.session != "" {
		req.Header.Set(wire.HeaderSession, in.session)
	}
	if in.version != "" {
		req.Header.Set(wire.HeaderVersion, in.version)
	}
	setTraceparent(ctx, req.Header)
	return req, nil
}

func (t *streamable) send(ctx context.Context, msg *wire.Message, from *call) error {
	exchange, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, end) // until the response arrives, the request ends with the caller
	in := t.now()
	req, err := t.request(exchange, in, http.MethodPost, msg.Raw)
	if err != nil {
		end()
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if in.era == wire.Stateless {
		wire.SetHeaders(req.Header, msg)
	}
	resp, err := post(t.client, req)
	if err != nil {
		end()
		return err
	}
	defer func() {
		stop()
		go release(resp.Body, end)
	}()
	if id := resp.Header.Get(wire.HeaderSession); id != "" && in.era == wire.Stateful {
		t.mu.Lock()
		t.said.session = id
		t.mu.Unlock()
	}
	if from == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
		if resp.StatusCode >= 400 {
			return &statusError{resp.StatusCode, resp.Status}
		}
		return nil
	}
	return t.answer(resp, from)
}

// statusError is a response with an HTTP status and no message. Its text comes from the server and
// is shown only to the operator.
type statusError struct {
	code  int
	words string
}

func (e *statusError) Error() string { return "HTTP status " + e.words }

// release lets the rest of a response arrive, so that the server does not see an aborted request
// and the connection can be reused.
func release(body io.ReadCloser, end context.CancelFunc) {
	late := time.AfterFunc(endGrace, end)
	_, _ = io.CopyN(io.Discard, body, 64<<10)
	body.Close()
	late.Stop()
	end()
}

// answer reads the response to a request.
func (t *streamable) answer(resp *http.Response, from *call) error {
	if t.lost(resp, from) {
		return ErrBroken
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch kind {
	case "text/event-stream":
		return t.events(resp.Body, from)
	case "application/json":
		limit := t.link.server.sizes.frame()
		body, err := readAll(io.LimitReader(resp.Body, int64(limit)+1), min(resp.ContentLength, int64(limit)))
		if err != nil {
			return err
		}
		if len(body) > limit {
			return &wire.TooLargeError{Limit: limit}
		}
		if resp.StatusCode == http.StatusBadRequest && t.now().session != "" && deniesSession(body) {
			t.forgotten(resp, from)
			return ErrBroken
		}
		t.link.inbound(body, from, resp.StatusCode)
		return t.unanswered(from, resp)
	}
	return &statusError{resp.StatusCode, resp.Status + " and content type " + strconv.Quote(kind)}
}

// longBody is how many bytes of a body must have arrived before its announced length is believed. It
// is also the size of a piece of a body whose length is unknown.
const longBody = 1 << 20

// readAll reads a body of announced bytes; -1 if the length is unknown. It fails if the body ends
// too early.
//
// Many long answers may be read at the same time. So a body of unknown length is read in pieces of
// one size: a buffer that doubles takes up to three times the body's size.
func readAll(in io.Reader, announced int64) ([]byte, error) {
	var start bytes.Buffer
	if _, err := io.CopyN(&start, in, longBody); err != nil {
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return start.Bytes(), err
	}
	if announced > longBody {
		start.Grow(int(announced) - longBody + bytes.MinRead)
		_, err := start.ReadFrom(in)
		if body := start.Bytes(); cap(body)-len(body) <= len(body)/8 {
			return body, err
		}
		return bytes.Clone(start.Bytes()), err
	}
	pieces := [][]byte{start.Bytes()}
	size := start.Len()
	for {
		piece := bytes.NewBuffer(make([]byte, 0, longBody+bytes.MinRead))
		_, err := io.CopyN(piece, in, longBody)
		pieces = append(pieces, piece.Bytes())
		size += piece.Len()
		switch {
		case errors.Is(err, io.EOF):
			// slices.Concat allocates the size twice under the race detector, which the test runs with.
			body := make([]byte, 0, size)
			for _, piece := range pieces {
				body = append(body, piece...)
			}
			return body, nil
		case err != nil:
			return nil, err
		}
	}
}

// unanswered returns the error for an exchange that ended without an answer.
func (t *streamable) unanswered(from *call, resp *http.Response) error {
	select {
	case <-from.done:
		return nil
	default:
	}
	if resp != nil && resp.StatusCode >= 400 {
		return &statusError{resp.StatusCode, resp.Status}
	}
	return errors.New("the server closed the exchange without an answer")
}

// lost handles an answer which says that the server no longer knows the session, and reports whether this is one.
func (t *streamable) lost(resp *http.Response, from *call) bool {
	if resp.StatusCode != http.StatusNotFound || t.now().session == "" {
		return false
	}
	t.forgotten(resp, from)
	return true
}

// forgotten breaks a link whose session the server does not know, so that the next call opens another one. The call
// that got this answer was not executed. Other calls on the link may have been, and so may a call that was redirected.
func (t *streamable) forgotten(resp *http.Response, from *call) {
	if resp.Request.Response == nil {
		from.finish(nil, unsentError{errForgotten})
	}
	t.link.fail(errForgotten)
}

// sessionDenials are texts that servers send with status 400, instead of 404, if they do not know a session. The first
// one is in the examples of MCP's SDKs for TypeScript and Python, from which many servers are made.
var sessionDenials = []string{"no valid session id", "session not found", "invalid session id"}

// deniesSession reports whether the body of an answer with HTTP status 400 says that the session is
// unknown.
func deniesSession(body []byte) bool {
	const serverError, invalidRequest = -32000, -32600
	var answer struct {
		Error struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if len(body) > 4<<10 || json.Unmarshal(body, &answer) != nil {
		return false
	}
	said := strings.ToLower(answer.Error.Message)
	return (answer.Error.Code == serverError || answer.Error.Code == invalidRequest) &&
		slices.ContainsFunc(sessionDenials, func(words string) bool { return strings.Contains(said, words) })
}

// events reads a stream until the call it belongs to is answered. From is nil
// for the standing stream.
func (t *streamable) events(body io.Reader, from *call) error {
	events := wire.NewEventReader(t.link.pace(body), t.link.server.sizes.frame())
	for {
		ev, err := events.Next()
		switch {
		case err == nil:
			t.link.inbound(ev.Data, from, 0)
		case t.link.oversized(err, from):
		case from == nil:
			return err
		case errors.Is(err, io.EOF):
			return t.unanswered(from, nil)
		default:
			return err
		}
		if from != nil {
			select {
			case <-from.done:
				return nil
			default:
			}
		}
	}
}

// ready opens the GET stream of the stateful era, on which the server sends messages that belong to
// no call. Servers need not offer one.
func (t *streamable) ready() {
	if t.now().era == wire.Stateful {
		go t.listen()
		return
	}
	t.stood.Do(func() { close(t.stands) })
}

func (t *streamable) listening() <-chan struct{} { return t.stands }

func (t *streamable) listen() {
	for wait := minBackoff; ; wait = min(wait*2, maxBackoff) {
		started := time.Now()
		if again := t.listenOnce(); !again {
			return
		}
		if time.Since(started) > maxBackoff {
			wait = minBackoff
		}
		select {
		case <-time.After(wait):
		case <-t.ctx.Done():
			return
		}
	}
}

func (t *streamable) listenOnce() (again bool) {
	req, err := t.request(t.ctx, t.now(), http.MethodGet, nil)
	if err != nil {
		return false
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := do(t.client, req)
	t.stood.Do(func() { close(t.stands) })
	if err != nil {
		return true
	}
	defer resp.Body.Close()
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode != http.StatusOK || kind != "text/event-stream" {
		return false
	}
	_ = t.events(resp.Body, nil)
	return true
}

func (t *streamable) associates() bool { return true }

func (t *streamable) hangsUp() bool { return t.now().era == wire.Stateless }

// close ends the GET stream and the session, if any.
func (t *streamable) close() {
	t.once.Do(func() {
		t.cancel()
		go func() {
			defer close(t.ended)
			in := t.now()
			if in.session == "" {
				return
			}
			ctx, cancel := context.WithTimeout(context.Background(), endGrace)
			defer cancel()
			if req, err := t.request(ctx, in, http.MethodDelete, nil); err == nil {
				if resp, err := do(t.client, req); err == nil {
					resp.Body.Close()
				}
			}
		}()
	})
}

func (t *streamable) gone() <-chan struct{} { return t.ended }
