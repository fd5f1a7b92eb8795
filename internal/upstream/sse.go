package upstream

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

	"mcpproxy/internal/wire"
)

// legacySSE is the HTTP+SSE transport of revision 2024-11-05: one stream delivers every message and
// names the address for POST requests.
type legacySSE struct {
	client   *http.Client
	stream   string // address of the standing stream
	headers  map[string]string
	link     *Link
	ctx      context.Context // ends with close
	cancel   context.CancelFunc
	named    chan struct{} // closed when endpoint is set
	endpoint string
	ended    chan struct{}
	once     sync.Once
}

// dialSSE opens the stream and waits for the address for POST requests.
func (s *Server) dialSSE(ctx context.Context, l *Link) error {
	client, err := s.web()
	if err != nil {
		return err
	}
	standing, cancel := context.WithCancel(context.Background())
	t := &legacySSE{
		client:  client,
		stream:  s.spec.URL,
		headers: s.spec.Headers,
		link:    l,
		ctx:     standing,
		cancel:  cancel,
		named:   make(chan struct{}),
		ended:   make(chan struct{}),
	}
	l.transport = t
	failed := make(chan error, 1)
	go func() {
		defer close(t.ended)
		err := t.listen()
		failed <- err
		l.fail(fmt.Errorf("%w: %w", ErrBroken, err))
	}()
	select {
	case <-t.named:
		return nil
	case err := <-failed:
		<-t.ended
		return err
	case <-ctx.Done():
		t.close()
		<-t.ended
		return context.Cause(ctx)
	}
}

func (t *legacySSE) request(ctx context.Context, method, target string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return nil, unaddressed(err)
	}
	for k, v := range t.headers {
		req.Header.Set(k, v)
	}
	setTraceparent(ctx, req.Header)
	return req, nil
}

// listen reads the stream until it ends. It skips malformed events.
func (t *legacySSE) listen() error {
	req, err := t.request(t.ctx, http.MethodGet, t.stream, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := do(t.client, req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode != http.StatusOK || kind != "text/event-stream" {
		return fmt.Errorf("HTTP status %s with content type %q instead of an event stream", resp.Status, kind)
	}
	events := wire.NewEventReader(t.link.pace(resp.Body), t.link.server.sizes.frame())
	for {
		ev, err := events.Next()
		switch {
		case err != nil && t.link.oversized(err, nil):
		case err != nil:
			return err
		case ev.Name == "endpoint":
			if err := t.name(string(ev.Data)); err != nil {
				return err
			}
		default:
			t.link.inbound(ev.Data, nil, 0)
		}
	}
}

// name sets the address for POST requests. The address must have the stream's origin, because
// another host would receive data and credentials without being configured.
func (t *legacySSE) name(reference string) error {
	select {
	case <-t.named:
		return errors.New("the server names a second endpoint")
	default:
	}
	base, err := url.Parse(t.stream)
	if err != nil {
		return unaddressed(err)
	}
	u, err := base.Parse(reference)
	if err != nil || u.Scheme != base.Scheme || u.Host != base.Host {
		return errors.New("the server names an endpoint of another origin")
	}
	t.endpoint = u.String()
	close(t.named)
	return nil
}

func (t *legacySSE) send(ctx context.Context, msg *wire.Message, _ *call) error {
	req, err := t.request(ctx, http.MethodPost, t.endpoint, msg.Raw)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := post(t.client, req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	if resp.StatusCode >= 400 {
		return &statusError{resp.StatusCode, resp.Status}
	}
	return nil
}

func (t *legacySSE) speak(wire.Era, string) {}

func (t *legacySSE) ready() {}

func (t *legacySSE) listening() <-chan struct{} { return atOnce }

func (t *legacySSE) associates() bool { return false }

func (t *legacySSE) hangsUp() bool { return false }

func (t *legacySSE) close() { t.once.Do(t.cancel) }

func (t *legacySSE) gone() <-chan struct{} { return t.ended }
