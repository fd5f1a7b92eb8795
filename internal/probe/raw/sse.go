package raw

import (
	"bytes"
	"context"
	"fmt"
	"mime"
	"net/http"
	"net/url"

	"mcpproxy/internal/wire"
)

// sseStream is HTTP+SSE of revision 2024-11-05: one stream delivers all messages and names the
// address for POST requests.
type sseStream struct {
	conn     *Conn
	cancel   context.CancelFunc
	endpoint string
}

// listen opens the stream and waits for the address.
func (c *Conn) listen(ctx context.Context) error {
	own, cancel := context.WithCancel(context.Background())
	s := &sseStream{conn: c, cancel: cancel}
	stop := context.AfterFunc(ctx, cancel) // until the stream is open, it ends with the caller's context
	defer stop()
	resp, err := c.do(own, http.MethodGet, c.target.URL, nil, http.Header{"Accept": {"text/event-stream"}})
	if err != nil {
		cancel()
		return reached(ctx, err)
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode != http.StatusOK || kind != "text/event-stream" {
		cancel()
		resp.Body.Close()
		return &StatusError{resp.StatusCode}
	}
	events := wire.NewEventReader(resp.Body, maxMessage)
	ev, err := events.Next()
	if err == nil && ev.Name == "endpoint" {
		s.endpoint, err = s.resolve(string(ev.Data))
	} else if err == nil {
		err = fmt.Errorf("the stream begins with %q instead of the address to post to", ev.Name)
	}
	if err != nil {
		cancel()
		resp.Body.Close()
		return reached(ctx, err)
	}
	c.pipe = s
	go func() {
		defer resp.Body.Close()
		for {
			ev, err := events.Next()
			if err == nil && c.Broken() != nil {
				return
			}
			if err == nil {
				c.receive(bytes.Clone(ev.Data))
			} else if !c.oversized(err) {
				c.fail(fmt.Errorf("%w: %w", ErrBroken, err))
				return
			}
		}
	}()
	return nil
}

// resolve parses the address for POST requests, which must have the stream's origin.
func (s *sseStream) resolve(reference string) (string, error) {
	base, err := url.Parse(s.conn.target.URL)
	if err != nil {
		return "", err
	}
	u, err := base.Parse(reference)
	if err != nil || u.Scheme != base.Scheme || u.Host != base.Host {
		return "", fmt.Errorf("the server names an address of another origin to post to")
	}
	return u.String(), nil
}

func (s *sseStream) send(ctx context.Context, frame []byte, header http.Header) (Answer, error) {
	a, err := s.conn.post(ctx, s.endpoint, frame, header)
	if err == nil && a.Status >= 300 {
		err = &StatusError{a.Status}
	}
	return a, err
}

func (s *sseStream) exchanges() bool { return false }
func (s *sseStream) close()          { s.cancel() }
