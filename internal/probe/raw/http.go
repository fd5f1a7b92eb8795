package raw

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	"mcpproxy/internal/wire"
)

// maxBody is the number of bytes kept of an HTTP response that is not a message.
const maxBody = 4 << 10

// exchange is streamable HTTP: every frame is a separate POST.
type exchange struct{ conn *Conn }

func (e *exchange) exchanges() bool { return true }
func (e *exchange) close()          {}

func (e *exchange) send(ctx context.Context, frame []byte, header http.Header) (Answer, error) {
	c := e.conn
	return c.post(ctx, c.target.URL, frame, header)
}

// post sends a frame and receives all messages in the response.
func (c *Conn) post(ctx context.Context, address string, frame []byte, header http.Header) (Answer, error) {
	h := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	for k, v := range header {
		h[k] = v
	}
	resp, err := c.do(ctx, http.MethodPost, address, frame, h)
	if err != nil {
		return Answer{}, reached(ctx, err)
	}
	defer resp.Body.Close()
	a := Answer{Status: resp.StatusCode, Header: resp.Header}
	if resp.StatusCode >= 300 {
		c.watch(false, fmt.Appendf(nil, "HTTP status %d", resp.StatusCode))
	}
	if id := resp.Header.Get(wire.HeaderSession); id != "" && c.Version == "" {
		c.mu.Lock()
		c.session = id
		c.mu.Unlock()
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind == "text/event-stream" {
		return a, reached(ctx, c.events(resp.Body))
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxMessage+1))
	switch {
	case err != nil:
		return a, reached(ctx, err)
	case len(body) > maxMessage:
		c.oversized(&wire.TooLargeError{Limit: maxMessage, Head: body[:512]})
		return a, ErrUnreadable
	case kind == "application/json" && len(body) > 0 && (resp.StatusCode < 300 || wire.Member(body, "jsonrpc") != nil):
		c.receive(body)
	}
	a.Body = body[:min(len(body), maxBody)]
	return a, nil
}

// events receives the messages of a stream until it ends.
func (c *Conn) events(body io.Reader) error {
	events := wire.NewEventReader(body, maxMessage)
	for {
		ev, err := events.Next()
		switch {
		case c.Broken() != nil:
			return c.Broken()
		case err == nil:
			c.receive(bytes.Clone(ev.Data))
		case c.oversized(err):
		case errors.Is(err, io.EOF):
			return nil
		default:
			return err
		}
	}
}

// do sends a request with the target's headers. The entries of header take precedence; an empty
// value removes a header. "Host" sets the host name of the request.
func (c *Conn) do(
	ctx context.Context,
	method, address string,
	body []byte,
	header http.Header,
) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for k, v := range c.target.Headers {
		req.Header.Set(k, v)
	}
	for k, v := range header {
		if req.Header.Del(k); len(v) == 0 || v[0] == "" {
			continue
		}
		if req.Header[http.CanonicalHeaderKey(k)] = v; k == "Host" {
			req.Host = v[0]
		}
	}
	return c.client.Do(req)
}

// HTTP sends an invalid HTTP request to the target's address and reads the response. Of a stream it reads only the
// beginning. It does not receive the messages in the response.
func (c *Conn) HTTP(ctx context.Context, method string, body []byte, header http.Header) Answer {
	start := time.Now()
	address := c.target.URL
	if s, ok := c.pipe.(*sseStream); ok && method == http.MethodPost {
		address = s.endpoint
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c.watch(true, append([]byte(method+" "), body...))
	resp, err := c.do(ctx, method, address, body, header)
	if err != nil {
		return Answer{Err: reached(ctx, err), Latency: time.Since(start)}
	}
	defer resp.Body.Close()
	a := Answer{Status: resp.StatusCode, Header: resp.Header, Latency: time.Since(start)}
	c.watch(false, fmt.Appendf(nil, "HTTP status %d", resp.StatusCode))
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/event-stream" {
		if method == http.MethodPost && resp.StatusCode < 300 {
			ev, _ := wire.NewEventReader(resp.Body, maxMessage).Next() // none: then there is no body
			a.Body = ev.Data
		}
		return a
	}
	a.Body, _ = io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // the bytes that were read are the answer
	return a
}

// reached returns err without the URL.
func reached(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ErrTimeout
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return fmt.Errorf("%w: %w", ErrBroken, err)
}
