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
	// forwarded marks a request that another replica sent on. It is not sent on again.
	forwarded = "X-Mcpproxy-Forwarded"
	// patience is how long a request waits for an owner.
	patience = 8 * time.Second
	// pause is the time between two looks.
	pause = 50 * time.Millisecond
)

// transport connects to other replicas. Proxies of the environment have no part in that.
func transport() http.RoundTripper {
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: time.Second}).DialContext,
		MaxIdleConnsPerHost: 64,
		IdleConnTimeout:     time.Minute,
		ForceAttemptHTTP2:   true,
	}
}

// Route finds the replica for a request of a principal. If it is this one, here is true, and the answer
// must be written to out. Otherwise the request is answered already.
func (g *Group) Route(w http.ResponseWriter, r *http.Request, principal string) (out http.ResponseWriter, here bool) {
	h := g.of(principal)
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	for {
		c, epoch, err := g.ask(ctx, principal, h)
		switch {
		case err != nil && g.options.Local && r.Context().Err() == nil:
			h.drift()
			return w, true
		case err != nil:
			unavailable(w, "the state store cannot be reached: every call is denied until it can (state.on_outage)")
			return nil, false
		}
		switch c.Standing {
		case valkey.Mine, valkey.Fresh, valkey.Kept:
			return &fenced{ResponseWriter: w, commit: func() error { return g.fence(principal, h, epoch) }}, true
		case valkey.Other:
			if r.Header.Get(forwarded) != "" {
				unavailable(w, "another replica serves this caller by now: send the request again")
				return nil, false
			}
			if g.send(w, r, c.Address) {
				return nil, false
			}
		case valkey.Late, valkey.Wiped:
			_ = g.beat(ctx) // the next claim says what is wrong
		}
		select {
		case <-ctx.Done():
			unavailable(w, "the replica that serves this caller does not answer: send the request again")
			return nil, false
		case <-time.After(pause):
		}
	}
}

// ask claims a principal for a request, and hears of the kill switch before the call is judged.
func (g *Group) ask(ctx context.Context, principal string, h *held) (valkey.Claim, uint64, error) {
	h.mu.Lock()
	c, err := g.claim(ctx, principal, h)
	epoch := h.epoch
	h.mu.Unlock()
	if errors.Is(err, valkey.ErrNotOwner) { // claimed by another in between
		return valkey.Claim{Standing: valkey.Late}, 0, nil
	}
	if err != nil {
		g.heard(ctx, err)
		return c, 0, err
	}
	if c.Standing != valkey.Late && c.Standing != valkey.Wiped {
		g.options.Kill(c.Kill)
	}
	return c, epoch, nil
}

// drift notes that a principal was served without the store.
func (h *held) drift() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.adrift = true
}

// fence writes what a principal's sessions have become, for a request that was judged in an epoch.
func (g *Group) fence(principal string, h *held, epoch uint64) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.epoch != epoch { // what the request brought may not be in the sessions that are here now
		return valkey.ErrNotOwner
	}
	err := g.commit(ctx, principal, h)
	if err == nil || errors.Is(err, valkey.ErrNotOwner) {
		return err
	}
	g.heard(ctx, err)
	if g.options.Local {
		h.adrift = true
		return nil
	}
	return err
}

// send sends a request on to another replica. It returns false if that could not be reached, and
// nothing was sent or answered.
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
				p.Out.Body = io.NopCloser(p.In.Body) // it can be sent again if nobody was reached
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
			unavailable(w, "the replica that serves this caller ended: whether the call was made is not known")
		},
	}
	proxy.ServeHTTP(w, r)
	return done
}

// unavailable answers a request that cannot be served now.
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

// fenced writes nothing to an agent before the state that it is about is in the store.
type fenced struct {
	http.ResponseWriter
	commit func() error
	begun  bool
	err    error
}

// WriteHeader begins the answer, or refuses it.
func (f *fenced) WriteHeader(status int) {
	if f.begun || f.err != nil {
		return
	}
	if f.err = f.commit(); f.err != nil {
		f.Header().Del("Mcp-Session-Id")
		unavailable(f.ResponseWriter, "the answer is withheld: what it holds could not be written to the state store")
		return
	}
	f.begun = true
	f.ResponseWriter.WriteHeader(status)
}

// Write writes a part of the answer.
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

// FlushError sends what was written.
func (f *fenced) FlushError() error {
	if !f.begun {
		f.WriteHeader(http.StatusOK)
	}
	if f.err != nil {
		return f.err
	}
	return http.NewResponseController(f.ResponseWriter).Flush()
}

// Unwrap returns the writer below, for deadlines.
func (f *fenced) Unwrap() http.ResponseWriter { return f.ResponseWriter }
