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

// Bounds of what one server may hold open.
const (
	maxConnections = 256              // from one process of the server
	maxHeader      = 64 << 10         // bytes of a request's head
	headerTime     = 30 * time.Second // for a request's head
	unusedTime     = 2 * time.Minute  // a connection to the proxy waits for its next request
	dialTime       = 10 * time.Second // for one address
	resolveTime    = 10 * time.Second // for one name
)

// Reason is why a connection was refused.
type Reason string

// The reasons.
const (
	NotListed    Reason = "not_listed"    // the host is not on the list
	OtherPort    Reason = "other_port"    // the host is, with other ports
	LocalAddress Reason = "local_address" // the name leads to an address that the list does not name
	OwnPort      Reason = "own_port"      // it is mcpproxy itself
	OtherName    Reason = "other_name"    // TLS names another host, or none
	NoTLS        Reason = "no_tls"        // something else than TLS on port 443
	BadTarget    Reason = "bad_target"    // what was asked for is not a host
)

// Attempt is a connection that a server wanted.
type Attempt struct {
	Target  Target
	Refused Reason // "" if it was let through
	Why     string // in words, for people
}

// Watch is told what a server does. Its functions must not block.
type Watch struct {
	Attempt func(Attempt)              // each connection, when it is decided about
	Moved   func(sent, received int64) // each connection, when it has ended: bytes to and from the host
}

// Proxy is the way to the network of one server. It is made by [New] and serves until it is closed.
type Proxy struct {
	watch  Watch
	secret string
	own    func(netip.AddrPort) bool // whether mcpproxy itself listens there
	lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)
	idle   time.Duration // after which a connection ends on which nothing moves

	server    *http.Server
	transport *http.Transport
	forwarder *httputil.ReverseProxy

	mu     sync.Mutex
	list   *List
	open   map[*passage]bool
	closed bool
}

// passage is a connection that was let through.
type passage struct {
	target Target
	end    func()
}

// New returns a proxy for a server with a list. Own says at which addresses mcpproxy itself listens, which no server
// reaches through the proxy.
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

// user is the name that goes with the secret.
const user = "mcpproxy"

// URL is the address of the proxy where it listens at address, with what it asks for.
func (p *Proxy) URL(address string) string {
	u := url.URL{Scheme: "http", User: url.UserPassword(user, p.secret), Host: address}
	return u.String()
}

// Serve serves those who connect to l, until l or the proxy is closed. A proxy serves any number of listeners.
func (p *Proxy) Serve(l net.Listener) { _ = p.server.Serve(limit(l)) }

// Replace puts another list in the place of the proxy's, and ends the connections that it does not allow.
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

// Close ends all connections, and the proxy.
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

// enter counts a connection that is let through, if it still may be. End ends it at once, and leave is called when it
// has ended.
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

// present is the list of now.
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

// knows reports whether a request shows the proxy's secret.
func (p *Proxy) knows(r *http.Request) bool {
	shown := http.Request{Header: http.Header{"Authorization": r.Header.Values("Proxy-Authorization")}}
	name, secret, ok := shown.BasicAuth()
	same := subtle.ConstantTimeCompare([]byte(secret), []byte(p.secret))
	return ok && name == user && same == 1
}

// refusedError is why no connection is made.
type refusedError struct {
	reason Reason
	text   string
}

func (e *refusedError) Error() string { return e.text }

// refusal is the error for a reason that needs no more words.
func refusal(t Target, why Reason) *refusedError {
	text := t.Host + " is not on this server's list (isolation.network)"
	if why == OtherPort {
		text = fmt.Sprintf("%s is on this server's list (isolation.network), but not with port %d", t.Host, t.Port)
	}
	return &refusedError{why, text}
}

// decided tells of an attempt, and passes the error on.
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

// answer says to the client why it has no connection.
func answer(w http.ResponseWriter, err error) {
	if _, ok := errors.AsType[*refusedError](err); ok {
		http.Error(w, "mcpproxy: "+err.Error(), http.StatusForbidden)
		return
	}
	http.Error(w, "mcpproxy: the host could not be reached: "+err.Error(), http.StatusBadGateway)
}

// dial connects to a target that stands on the list, at an address that may be reached.
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

// vet is why a target may not be reached at one of its addresses.
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
