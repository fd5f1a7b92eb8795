package egress

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"mcpproxy/internal/zone"
)

// Limits for one server.
const (
	maxConnections = 256              // open connections for each listener
	maxHeader      = 64 << 10         // bytes of a request's header
	headerTime     = 30 * time.Second // to receive a request's header
	unusedTime     = 2 * time.Minute  // until an idle client connection is closed
	dialTime       = 10 * time.Second // to connect to one address
	resolveTime    = 10 * time.Second // to resolve one name
)

// Reason is why a connection was refused.
type Reason string

// The reasons.
const (
	NotListed    Reason = "not_listed"    // the host is not on the list
	OtherPort    Reason = "other_port"    // the host is on the list, but not with this port
	LocalAddress Reason = "local_address" // the name resolves to a local or private address that is not on the list
	OwnPort      Reason = "own_port"      // the address is one of mcpproxy itself
	OtherName    Reason = "other_name"    // the ClientHello names another host, or no host
	NoTLS        Reason = "no_tls"        // the client does not speak TLS on port 443
	BadTarget    Reason = "bad_target"    // the request does not name a valid host and port
)

// Attempt is an attempt of a server to connect to a host.
type Attempt struct {
	Target  Target
	Refused Reason // "" if the proxy allowed it
	Why     string // the reason in words
}

// Watch has the callbacks for the connections of a server. They must not block.
type Watch struct {
	Attempt func(Attempt)              // called when the proxy has decided about a connection
	Moved   func(sent, received int64) // called when a connection is closed, with its bytes to and from the host
}

// Proxy is the forward proxy of one server. [New] returns one, and [Proxy.Close] ends it.
type Proxy struct {
	watch  Watch
	secret string
	own    func(netip.AddrPort) bool // reports whether mcpproxy itself listens at an address
	lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)
	idle   time.Duration                    // a connection without traffic is closed after this time
	onward func(*url.URL) (*url.URL, error) // see [Proxy.Through]; nil for direct connections

	server    *http.Server
	transport *http.Transport
	forwarder *httputil.ReverseProxy

	mu     sync.Mutex
	list   *List
	open   map[*passage]bool
	closed bool
}

// passage is an open connection that the list allowed.
type passage struct {
	target Target
	end    func()
}

// New returns a proxy that allows the hosts of a list. Own reports whether mcpproxy itself listens at an address; the
// proxy refuses these addresses.
func New(list *List, own func(netip.AddrPort) bool, watch Watch) *Proxy {
	p := &Proxy{
		watch:  watch,
		secret: rand.Text(),
		own:    own,
		lookup: net.DefaultResolver.LookupNetIP,
		idle:   15 * time.Minute,
		list:   list,
		open:   map[*passage]bool{},
	}
	p.transport = &http.Transport{
		DialContext:        p.dialAddress,
		DisableCompression: true,
		IdleConnTimeout:    30 * time.Second,
	}
	p.forwarder = &httputil.ReverseProxy{
		Rewrite:       rewrite,
		Transport:     p.transport,
		FlushInterval: -1,
		ErrorHandler:  p.failed,
		ErrorLog:      slog.NewLogLogger(slog.Default().Handler(), slog.LevelDebug),
	}
	p.server = &http.Server{
		Handler:           p,
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       unusedTime,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          p.forwarder.ErrorLog,
	}
	return p
}

// user is the user name that clients send with the secret.
const user = "mcpproxy"

// URL returns the URL of the proxy for a listener at address, with the user name and the secret.
func (p *Proxy) URL(address string) string {
	u := url.URL{Scheme: "http", User: url.UserPassword(user, p.secret), Host: address}
	return u.String()
}

// Serve serves the clients that connect to l, until l or the proxy is closed. A proxy can serve several listeners.
func (p *Proxy) Serve(l net.Listener) { _ = p.server.Serve(limit(l)) }

// Replace replaces the list, and closes the open connections that the new list does not allow.
func (p *Proxy) Replace(list *List) {
	p.mu.Lock()
	p.list = list
	var ends []func()
	for c := range p.open {
		if list.refuses(c.target) != "" {
			ends = append(ends, c.end)
		}
	}
	p.mu.Unlock()
	for _, end := range ends {
		end()
	}
}

// Close closes the proxy and all its connections.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.closed = true
	var ends []func()
	for c := range p.open {
		ends = append(ends, c.end)
	}
	p.mu.Unlock()
	for _, end := range ends {
		end()
	}
	_ = p.server.Close()
	p.transport.CloseIdleConnections()
}

// enter registers a connection as open if the list still allows its target. Otherwise it returns the reason. End must
// close the connection at once. The caller calls leave when the connection is closed.
func (p *Proxy) enter(t Target, end func()) (leave func(), why Reason) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, NotListed
	}
	if why := p.list.refuses(t); why != "" {
		return nil, why
	}
	c := &passage{t, end}
	p.open[c] = true
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.open, c)
	}, ""
}

// present returns the current list.
func (p *Proxy) present() *List {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.list
}

// ServeHTTP answers one request to the proxy.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !p.knows(r):
		w.Header().Set("Proxy-Authenticate", `Basic realm="mcpproxy"`)
		http.Error(w, "this proxy is for one server, which has its address from mcpproxy", http.StatusProxyAuthRequired)
	case r.Method == http.MethodConnect:
		p.connect(w, r)
	case r.URL.Scheme == "http" && r.URL.Host != "":
		p.forward(w, r)
	default:
		http.Error(
			w,
			"this is a forward proxy: ask it for a tunnel with CONNECT, or for a whole http address",
			http.StatusBadRequest,
		)
	}
}

// knows reports whether a request has the secret of the proxy.
func (p *Proxy) knows(r *http.Request) bool {
	shown := http.Request{Header: http.Header{"Authorization": r.Header.Values("Proxy-Authorization")}}
	name, secret, ok := shown.BasicAuth()
	same := subtle.ConstantTimeCompare([]byte(secret), []byte(p.secret))
	return ok && name == user && same == 1
}

// refusedError is the error for a connection that the proxy refuses.
type refusedError struct {
	reason Reason
	text   string
}

func (e *refusedError) Error() string { return e.text }

// refusal returns the error for a target that the list does not allow.
func refusal(t Target, why Reason) *refusedError {
	text := t.Host + " is not on this server's list (isolation.network)"
	if why == OtherPort {
		text = fmt.Sprintf("%s is on this server's list (isolation.network), but not with port %d", t.Host, t.Port)
	}
	return &refusedError{why, text}
}

// decided reports a refused attempt to the Watch. It returns err unchanged.
func (p *Proxy) decided(t Target, err error) error {
	if refused, ok := errors.AsType[*refusedError](err); ok {
		p.watch.Attempt(Attempt{
			Target:  t,
			Refused: refused.reason,
			Why:     refused.text,
		})
	}
	return err
}

// answer tells the client why the request failed.
func answer(w http.ResponseWriter, err error) {
	if _, ok := errors.AsType[*refusedError](err); ok {
		http.Error(w, "mcpproxy: "+err.Error(), http.StatusForbidden)
		return
	}
	http.Error(w, "mcpproxy: the host could not be reached: "+err.Error(), http.StatusBadGateway)
}

// dial connects to a target that the list allows, at the first of its addresses that vet accepts.
func (p *Proxy) dial(ctx context.Context, t Target) (net.Conn, error) {
	addresses := []netip.Addr{t.IP}
	if !t.IP.IsValid() {
		ctx, cancel := context.WithTimeout(ctx, resolveTime)
		defer cancel()
		var err error
		if addresses, err = p.lookup(ctx, "ip", t.Host); err != nil {
			return nil, err
		}
	}
	list := p.present()
	failed := error(fmt.Errorf("%s has no address", t.Host))
	for _, ip := range addresses {
		at := netip.AddrPortFrom(ip.Unmap(), t.Port)
		if refused := vet(list, t, at, p.own); refused != nil {
			failed = refused
			continue
		}
		d := net.Dialer{Timeout: dialTime}
		conn, err := d.DialContext(ctx, "tcp", at.String())
		if err == nil {
			return &meter{
				Conn: conn,
				idle: p.idle,
				done: p.watch.Moved,
			}, nil
		}
		failed = err
	}
	return nil, failed
}

// vet returns an error if a target may not be reached at one of its addresses.
func vet(list *List, t Target, at netip.AddrPort, own func(netip.AddrPort) bool) error {
	switch {
	case own(at):
		return &refusedError{OwnPort, fmt.Sprintf("%s is mcpproxy itself, which no server reaches through its proxy", t)}
	case !list.leads(t, at.Addr()):
		return &refusedError{LocalAddress, fmt.Sprintf(
			"%s leads to %s, an address of %s: name that address in isolation.network too if it is meant",
			t.Host,
			at.Addr(),
			zone.Of(at.Addr()),
		)}
	}
	return nil
}
