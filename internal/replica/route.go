package replica

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"mcpproxy/internal/gateway"
	"mcpproxy/internal/state/valkey"
)

const (
	// forwarded is the header of a request that another replica has forwarded. Such a request is not forwarded again.
	forwarded = "X-Mcpproxy-Forwarded"
	// patience is how long Route tries to find a replica that serves a request, and how long a write before an answer
	// may take.
	patience = 8 * time.Second
	// pause is the time between two claims of a waiting request.
	pause = 50 * time.Millisecond
)

// transport returns the transport for requests to other replicas. It ignores the proxy settings of the environment.
func transport() http.RoundTripper {
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: time.Second}).DialContext,
		MaxIdleConnsPerHost: 64,
		IdleConnTimeout:     time.Minute,
		ForceAttemptHTTP2:   true,
	}
}

// Route finds the replica that serves a request of a principal. If it is this one, here is true, and the caller must
// write the answer to out. Otherwise Route has already answered the request.
func (g *Group) Route(w http.ResponseWriter, r *http.Request, principal string) (out http.ResponseWriter, here bool) {
	h := g.of(principal)
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	for {
		c, epoch, err := g.ask(ctx, principal, h)
		switch {
		case err != nil && g.options.Local && r.Context().Err() == nil:
			h.markUnsynced()
			return w, true
		case err != nil:
			unavailable(w, "the state store cannot be reached: every call is denied until it is back (state.on_outage)")
			return nil, false
		}
		switch c.Standing {
		case valkey.Mine, valkey.Fresh, valkey.Kept:
			return &fenced{ResponseWriter: w, commit: func() error { return g.fence(principal, h, epoch) }}, true
		case valkey.Other:
			if r.Header.Get(forwarded) != "" {
				unavailable(w, "another replica has taken over this caller: send the request again")
				return nil, false
			}
			if g.send(w, r, c.Address) {
				return nil, false
			}
		case valkey.Late, valkey.Wiped:
			_ = g.beat(ctx) // if it fails, the next claim returns the error
		}
		select {
		case <-ctx.Done():
			unavailable(w, "the replica that serves this caller does not answer: send the request again")
			return nil, false
		case <-time.After(pause):
		}
	}
}

// ask claims a principal for a request. It passes the state of the shared kill switch and the shared decisions
// on before the gate decides about the call.
func (g *Group) ask(ctx context.Context, principal string, h *held) (valkey.Claim, uint64, error) {
	h.mu.Lock()
	c, err := g.claim(ctx, principal, h)
	epoch := h.epoch
	h.mu.Unlock()
	if errors.Is(err, valkey.ErrNotOwner) { // another replica has claimed the principal in between
		return valkey.Claim{Standing: valkey.Late}, 0, nil
	}
	if err != nil {
		g.noteResult(ctx, err)
		return c, 0, err
	}
	switch c.Standing {
	case valkey.Late, valkey.Wiped:
		return c, epoch, nil
	case valkey.Mine, valkey.Fresh, valkey.Kept: // this replica decides about the call
		if err := g.options.Decided(ctx, c.Decided); err != nil {
			g.noteResult(ctx, err)
			return c, 0, err
		}
	}
	g.options.Kill(c.Kill)
	return c, epoch, nil
}

// markUnsynced notes that this replica served the principal without the store.
func (h *held) markUnsynced() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unsynced = true
}

// fence writes the changed sessions of a principal before an answer is sent. It fails with [valkey.ErrNotOwner] if the
// epoch has changed since the request was routed.
func (g *Group) fence(principal string, h *held, epoch uint64) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.epoch != epoch { // the sessions were replaced, and may lack what this request has read
		return valkey.ErrNotOwner
	}
	err := g.commit(ctx, principal, h)
	if err == nil || errors.Is(err, valkey.ErrNotOwner) {
		return err
	}
	g.noteResult(ctx, err)
	if g.options.Local {
		h.unsynced = true
		return nil
	}
	return err
}

// send forwards a request to another replica. It returns false if it could not connect to the replica.
// Then nothing was sent or answered, and the caller can try again.
func (g *Group) send(w http.ResponseWriter, r *http.Request, address string) (done bool) {
	to, err := url.Parse(address)
	if err != nil {
		unavailable(w, "the address of the replica that serves this caller is not valid (state.advertise)")
		return true
	}
	done = true
	trusted := gateway.Trusted(r)
	proxy := &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL.Scheme, p.Out.URL.Host = to.Scheme, to.Host
			p.Out.Host = p.In.Host
			if p.In.Body != nil && p.In.Body != http.NoBody {
				p.Out.Body = io.NopCloser(p.In.Body) // the transport must not close it: send may be called again
			}
			p.Out.Header.Set(forwarded, "1")
			if trusted && p.Out.Header.Get("Authorization") == "" && p.Out.Header.Get("X-API-Key") == "" {
				p.Out.Header.Set("X-API-Key", g.options.Key())
				p.Out.Host = to.Host
			}
		},
		Transport:     g.forward,
		FlushInterval: -1,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
				done = false
				return
			}
			unavailable(w, "the connection to the replica that serves this caller broke: the call may have been made")
		},
	}
	proxy.ServeHTTP(w, r)
	return done
}

// unavailable answers 503 with a JSON-RPC error and asks the client to try again.
func unavailable(w http.ResponseWriter, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"jsonrpc": "2.0",
		"id":      nil,
		"error":   map[string]any{"code": -32603, "message": why},
	})
}

// fenced is a ResponseWriter that commits the principal's sessions to the store before the first byte of the answer.
type fenced struct {
	http.ResponseWriter
	commit func() error
	begun  bool
	err    error
}

// WriteHeader commits the sessions and then writes the header. If the commit fails, it answers 503 instead.
func (f *fenced) WriteHeader(status int) {
	if f.begun || f.err != nil {
		return
	}
	if f.err = f.commit(); f.err != nil {
		f.Header().Del("Mcp-Session-Id")
		unavailable(f.ResponseWriter, "the answer is withheld: the session could not be written to the state store")
		return
	}
	f.begun = true
	f.ResponseWriter.WriteHeader(status)
}

// Write commits the sessions and then writes a part of the answer.
func (f *fenced) Write(p []byte) (int, error) {
	if f.begun && f.err == nil {
		f.err = f.commit()
	} else if !f.begun {
		f.WriteHeader(http.StatusOK)
	}
	if f.err != nil {
		return 0, f.err
	}
	return f.ResponseWriter.Write(p)
}

// FlushError flushes the answer to the client.
func (f *fenced) FlushError() error {
	if !f.begun {
		f.WriteHeader(http.StatusOK)
	}
	if f.err != nil {
		return f.err
	}
	return http.NewResponseController(f.ResponseWriter).Flush()
}

// Unwrap returns the wrapped writer, so that [http.ResponseController] can set deadlines.
func (f *fenced) Unwrap() http.ResponseWriter { return f.ResponseWriter }
