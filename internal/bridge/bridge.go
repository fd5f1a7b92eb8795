// Package bridge connects an agent that speaks MCP over stdio to the proxy's HTTP endpoint. It passes messages on
// unchanged, in both protocol eras. If the daemon restarts meanwhile, the bridge opens the session again by itself.
package bridge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"sync"
	"time"

	"mcpproxy/internal/wire"
)

const (
	maxMessage = 16 << 20
	lastWait   = 15 * time.Second // wait for running requests after the agent has closed its output
	retryWait  = time.Second      // between attempts to open the standing stream
)

// Bridge is the connection of one agent.
type Bridge struct {
	HTTP    *http.Client
	URL     string // address of the MCP endpoint
	Key     string // sent as X-API-Key, unless empty
	Session string // sent as X-Mcpproxy-Session, unless empty
	Folder  string // folder in which the agent works; sent as X-Mcpproxy-Folder, unless empty

	out  io.Writer
	outs sync.Mutex // held while a line is written

	reopening sync.Mutex // held while a lost session is opened again

	mu         sync.Mutex
	id         string        // Mcp-Session-Id
	version    string        // negotiated protocol revision, in the stateful era
	initialize *wire.Message // the agent's initialize request, to open the session again
	cancels    map[string]context.CancelFunc
	running    sync.WaitGroup
}

// Run passes messages on until in or ctx ends.
func (b *Bridge) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b.out, b.cancels = out, map[string]context.CancelFunc{}
	lines := make(chan []byte)
	failed := make(chan error, 1)
	go func() { failed <- b.readLines(ctx, in, lines) }()
	for {
		select {
		case line := <-lines:
			b.take(ctx, line)
		case err := <-failed:
			b.finish()
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		case <-ctx.Done():
			b.finish()
			return nil
		}
	}
}

func (b *Bridge) readLines(ctx context.Context, in io.Reader, lines chan<- []byte) error {
	r := wire.NewLineReader(in, maxMessage)
	for {
		line, err := r.Next()
		if e, ok := errors.AsType[*wire.TooLargeError](err); ok {
			b.write(wire.NewError(e.ID(), &wire.RPCError{Code: wire.CodeInvalidRequest, Message: e.Error()}))
			continue
		}
		if err != nil {
			return err
		}
		select {
		case lines <- line:
		case <-ctx.Done():
			return io.EOF
		}
	}
}

// take handles one message of the agent. Requests run concurrently. Notifications, and messages that open the session,
// are handled in order.
func (b *Bridge) take(ctx context.Context, line []byte) {
	m, err := wire.Parse(line)
	if err != nil {
		b.write(wire.NewError(nil, &wire.RPCError{Code: wire.CodeParse, Message: "parse error: " + err.Error()}))
		return
	}
	switch {
	case m.IsRequest() && m.Method != "initialize":
		ctx, cancel := context.WithCancel(ctx)
		b.mu.Lock()
		b.cancels[string(m.ID)] = cancel
		b.mu.Unlock()
		b.running.Go(func() {
			defer cancel()
			b.exchange(ctx, m)
			b.mu.Lock()
			delete(b.cancels, string(m.ID))
			b.mu.Unlock()
		})
	case m.Method == "notifications/cancelled" && b.stateless():
		b.mu.Lock()
		if cancel := b.cancels[string(wire.Member(m.Params, "requestId"))]; cancel != nil {
			cancel() // in this era, the client cancels a request by closing its connection
		}
		b.mu.Unlock()
	default:
		b.exchange(ctx, m)
		if m.Method == "notifications/initialized" {
			b.running.Go(func() { b.listen(ctx) })
		}
	}
}

func (b *Bridge) stateless() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.id == ""
}

// exchange posts m and writes the response. A request always gets an answer.
func (b *Bridge) exchange(ctx context.Context, m *wire.Message) {
	err := b.post(ctx, m)
	if lost, ok := errors.AsType[*forgottenError](err); ok && b.reopen(ctx, lost.session) == nil {
		err = b.post(ctx, m)
	}
	if err != nil && m.IsRequest() && ctx.Err() == nil {
		b.write(
			wire.NewError(
				m.ID,
				&wire.RPCError{
					Code:    wire.CodeInternal,
					Message: "mcpproxy cannot be reached: is `mcpproxy serve` running? (" + err.Error() + ")",
				},
			),
		)
	}
}

// forgottenError says that the daemon does not know the session.
type forgottenError struct{ session string }

func (e *forgottenError) Error() string { return "the session is unknown" }

func (b *Bridge) post(ctx context.Context, m *wire.Message) error {
	req, err := b.request(ctx, http.MethodPost, m.Raw)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if wire.Member(m.Params, "_meta", wire.MetaVersion) != nil {
		wire.SetHeaders(req.Header, m)
		req.Header.Set(wire.HeaderVersion, wire.String(m.Params, "_meta", wire.MetaVersion))
	}
	resp, err := b.HTTP.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if session := req.Header.Get(wire.HeaderSession); resp.StatusCode == http.StatusNotFound && session != "" {
		return &forgottenError{session}
	}
	if m.Method == "initialize" {
		b.opened(m, resp)
	}
	return b.copy(resp, m)
}

func (b *Bridge) request(ctx context.Context, method string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, b.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	b.mu.Lock()
	defer b.mu.Unlock()
	for name, value := range map[string]string{
		"X-API-Key":          b.Key,
		"X-Mcpproxy-Session": b.Session,
		wire.HeaderFolder:    url.PathEscape(b.Folder),
		wire.HeaderSession:   b.id,
		wire.HeaderVersion:   b.version,
	} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	return req, nil
}

func (b *Bridge) opened(m *wire.Message, resp *http.Response) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.id, b.initialize = resp.Header.Get(wire.HeaderSession), m
}

// copy writes the messages of a response to the agent. If the response does not answer the request, copy returns an
// error.
func (b *Bridge) copy(resp *http.Response, m *wire.Message) error {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case kind == "text/event-stream":
		answered, err := b.copyEvents(resp.Body, m.ID)
		if answered || !m.IsRequest() {
			return nil
		}
		return fmt.Errorf("the stream ended without an answer: %w", err)
	case !m.IsRequest():
		return nil
	case kind != "application/json" || resp.StatusCode == http.StatusAccepted:
		return fmt.Errorf("HTTP status %s", resp.Status)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxMessage))
	if err != nil {
		return err
	}
	answer, err := wire.Parse(body)
	if err != nil || !answer.IsResponse() { // an error without an id must still end the request
		reason := wire.String(body, "error", "message")
		if reason == "" {
			reason = "HTTP status " + resp.Status
		}
		answer = wire.NewError(m.ID, &wire.RPCError{Code: wire.CodeInvalidRequest, Message: reason})
	}
	if m.Method == "initialize" {
		b.mu.Lock()
		b.version = wire.String(answer.Result, "protocolVersion")
		b.mu.Unlock()
	}
	b.write(answer)
	return nil
}

// copyEvents writes the messages of a stream to the agent until it has written the answer to id.
func (b *Bridge) copyEvents(r io.Reader, id []byte) (answered bool, err error) {
	events := wire.NewEventReader(r, maxMessage)
	for {
		ev, err := events.Next()
		if err != nil {
			return false, err
		}
		m, err := wire.Parse(ev.Data)
		if err != nil {
			continue
		}
		b.write(m)
		if id != nil && m.IsResponse() && bytes.Equal(m.ID, id) {
			return true, nil
		}
	}
}

// write sends one message to the agent, as one line.
func (b *Bridge) write(m *wire.Message) {
	line := bytes.ReplaceAll(bytes.ReplaceAll(m.Raw, []byte("\n"), []byte(" ")), []byte("\r"), []byte(" "))
	b.outs.Lock()
	defer b.outs.Unlock()
	_, _ = b.out.Write(append(line, '\n'))
}

// reopen opens a lost session again with the agent's own initialize request. The agent does not notice. If several
// requests find that the session is lost, the first opens the new session and the others use it.
func (b *Bridge) reopen(ctx context.Context, lost string) error {
	b.reopening.Lock()
	defer b.reopening.Unlock()
	b.mu.Lock()
	m, id := b.initialize, b.id
	b.mu.Unlock()
	if id != lost {
		return nil
	}
	if m == nil {
		return &forgottenError{lost}
	}
	for _, msg := range []*wire.Message{m, wire.NewNotification("notifications/initialized", nil)} {
		req, err := b.request(ctx, http.MethodPost, msg.Raw)
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		if msg == m {
			req.Header.Del(wire.HeaderSession)
		}
		resp, err := b.HTTP.Do(req)
		if err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxMessage))
		resp.Body.Close()
		if msg == m {
			b.opened(m, resp)
		}
	}
	return nil
}

// listen keeps the standing stream of the session open.
func (b *Bridge) listen(ctx context.Context) {
	for ctx.Err() == nil {
		req, err := b.request(ctx, http.MethodGet, nil)
		if err != nil {
			return
		}
		resp, err := b.HTTP.Do(req)
		if err == nil {
			switch resp.StatusCode {
			case http.StatusOK:
				_, _ = b.copyEvents(resp.Body, nil)
			case http.StatusMethodNotAllowed:
				resp.Body.Close()
				return
			case http.StatusNotFound:
				_ = b.reopen(ctx, req.Header.Get(wire.HeaderSession))
			}
			resp.Body.Close()
		}
		select {
		case <-time.After(retryWait):
		case <-ctx.Done():
		}
	}
}

// finish waits for running requests, for a limited time, and ends the session.
func (b *Bridge) finish() {
	b.mu.Lock()
	id := b.id
	b.mu.Unlock()
	deadline := time.Now().Add(lastWait)
	for time.Now().Before(deadline) {
		b.mu.Lock()
		left := len(b.cancels)
		b.mu.Unlock()
		if left == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if req, err := b.request(ctx, http.MethodDelete, nil); err == nil {
		if resp, err := b.HTTP.Do(req); err == nil {
			resp.Body.Close()
		}
	}
}
