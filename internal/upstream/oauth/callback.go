package oauth

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

// callbackPath is the path of the redirect address.
const callbackPath = "/callback"

// callback is the web server of one login. It listens on this machine only, accepts the one answer
// that belongs to the login, and shows the browser how the login ended.
type callback struct {
	address string // host:port
	state   string
	server  *http.Server
	notice  func(string)

	answers chan url.Values // the one answer
	once    sync.Once
	ended   chan struct{} // closed when ok is set
	ok      bool
}

// listen starts the web server of a login. Port 0 stands for any free port.
func listen(port int, state string, notice func(string)) (*callback, error) {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("waiting for the browser on this machine: %w", err)
	}
	c := &callback{
		address: l.Addr().String(),
		state:   state,
		notice:  notice,
		answers: make(chan url.Values, 1),
		ended:   make(chan struct{}),
	}
	c.server = &http.Server{
		Handler:           c,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       5 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.New(io.Discard, "", 0),
	}
	go func() { _ = c.server.Serve(l) }()
	return c, nil
}

// redirect returns the address to which the authorization server sends the browser back.
func (c *callback) redirect() string { return "http://" + c.address + callbackPath }

// ServeHTTP reads the authorization server's answer from the browser's request.
func (c *callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Connection", "close")
	q, err := url.ParseQuery(r.URL.RawQuery)
	switch {
	case r.Host != c.address:
		page(w, http.StatusForbidden, "This address belongs to no login.")
	case r.URL.Path != callbackPath:
		page(w, http.StatusNotFound, "There is nothing here.")
	case r.Method != http.MethodGet:
		page(w, http.StatusMethodNotAllowed, "There is nothing here.")
	case err != nil || repeats(q) || subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(c.state)) != 1:
		c.notice("refused an answer that does not belong to this login; still waiting for the right one")
		page(w, http.StatusBadRequest, "This answer does not belong to the login that mcpproxy waits for. It was ignored.")
	default:
		c.take(w, r.Context(), q)
	}
}

// repeats reports whether a parameter occurs twice, which makes the answer ambiguous.
func repeats(q url.Values) bool {
	for _, values := range q {
		if len(values) > 1 {
			return true
		}
	}
	return false
}

// take passes the first answer on, and shows the browser how the login ended.
func (c *callback) take(w http.ResponseWriter, ctx context.Context, q url.Values) {
	first := false
	c.once.Do(func() { first = true })
	if !first {
		page(w, http.StatusGone, "This login is over.")
		return
	}
	c.answers <- q
	select {
	case <-c.ended:
	case <-ctx.Done():
		return
	}
	if c.ok {
		page(w, http.StatusOK, "You are logged in. You can close this window.")
		return
	}
	page(w, http.StatusOK, "The login failed. The command that you started says why. You can close this window.")
}

func page(w http.ResponseWriter, status int, words string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<!doctype html><html lang=\"en\"><title>mcpproxy</title><h1>mcpproxy</h1><p>%s</p></html>\n", words)
}

// wait returns the answer that belongs to the login.
func (c *callback) wait(ctx context.Context) (url.Values, error) {
	select {
	case q := <-c.answers:
		return q, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// close shows the browser how the login ended, and closes the web server.
func (c *callback) close(ok bool) {
	c.once.Do(func() {}) // later requests are refused
	c.ok = ok
	close(c.ended)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := c.server.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) {
		c.server.Close()
	}
}
