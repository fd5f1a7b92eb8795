package egress

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
)

// forward forwards a plain HTTP request.
func (p *Proxy) forward(w http.ResponseWriter, r *http.Request) {
	t, err := ParseTarget(r.URL.Host, 80)
	if err != nil {
		p.unreadable(w, err)
		return
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	leave, why := p.enter(t, func() { cancel(errEnded) })
	if why != "" {
		answer(w, p.decided(t, refusal(t, why)))
		return
	}
	defer leave()
	r = r.WithContext(ctx)
	r.URL.Host = t.String()
	if parent, err := p.parent("http", r.URL.Host); err != nil {
		answer(w, err)
		return
	} else if parent != nil {
		if err := p.vetByName(ctx, t); err != nil {
			answer(w, p.decided(t, err))
			return
		}
		p.watch.Attempt(Attempt{Target: t})
		r = r.WithContext(context.WithValue(ctx, throughParent{}, parent))
	}
	p.forwarder.ServeHTTP(w, r)
}

// errEnded cancels a request whose host was removed from the list.
var errEnded = errors.New("the host was removed from the list")

// rewrite sets the Host header of a request to the host of its URL, because the client's own Host header could name
// another host.
func rewrite(r *httputil.ProxyRequest) {
	r.Out.Host = r.In.URL.Host
	if host, ok := cutDefaultPort(r.In.URL.Host); ok {
		r.Out.Host = host
	}
}

func cutDefaultPort(address string) (string, bool) {
	t, err := ParseTarget(address, 80)
	if err != nil || t.Port != 80 {
		return "", false
	}
	if t.IP.Is6() {
		return "[" + t.Host + "]", true
	}
	return t.Host, true
}

// throughParent is the key under which the context of a request has the address of the proxy that it goes through.
type throughParent struct{}

// dialAddress connects to the host of a request and reports the attempt. Requests that reuse a connection are not
// reported.
func (p *Proxy) dialAddress(ctx context.Context, _, address string) (net.Conn, error) {
	if parent, ok := ctx.Value(throughParent{}).(*url.URL); ok {
		conn, err := p.dialParent(ctx, parent) // the transport speaks TLS with it where it has to
		if err != nil {
			return nil, err
		}
		return &meter{
			Conn: conn,
			idle: p.idle,
			done: p.watch.Moved,
		}, nil
	}
	t, err := ParseTarget(address, 0)
	if err != nil {
		return nil, err
	}
	conn, err := p.dial(ctx, t)
	if err != nil {
		return nil, p.decided(t, err)
	}
	p.watch.Attempt(Attempt{Target: t})
	return conn, nil
}

// failed answers a request that could not be forwarded.
func (p *Proxy) failed(w http.ResponseWriter, _ *http.Request, err error) { answer(w, err) }
