package upstream

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"mcpproxy/internal/program"
	"mcpproxy/internal/wire"
)

// transport sends raw messages to one server and passes received messages to the link's receive
// method.
type transport interface {
	// send sends msg to the server. For a request with its own HTTP exchange, it returns when the
	// exchange has ended.
	send(ctx context.Context, msg *wire.Message, from *call) error
	// speak sets the era and, after the handshake, the revision of later messages.
	speak(era wire.Era, version string)
	// ready is called after the handshake.
	ready()
	// listening is closed when the server can send messages that belong to no call, or when it is known
	// that it cannot.
	listening() <-chan struct{}
	// associates reports whether received messages are tagged with their call.
	associates() bool
	// hangsUp reports whether ending an exchange tells the server that its answer is no longer
	// wanted.
	hangsUp() bool
	close()
	// gone is closed after close has finished.
	gone() <-chan struct{}
}

// atOnce is a closed channel.
var atOnce = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Link is one conversation with a server.
//
// While a link opens, only the goroutine that opens it ([Server.connect]) changes or ends it; Close
// only tells that goroutine to give up. The results of the handshake are set before other
// goroutines see the link, and never change.
type Link struct {
	Era     wire.Era
	Version string // negotiated protocol revision
	Hello   []byte // the server's initialize or discover result, raw

	server    *Server
	transport transport
	renew     renewal            // replaces it after it broke; nil if only its owner can
	common    bool               // this program is its client, for calls of several callers
	program   *program.Started   // program started for it; nil if none
	listener  Listener           // receives messages that belong to no call
	giveUp    context.CancelFunc // cancels opening it
	opened    atomic.Bool
	left      chan struct{} // closed after all its processes and connections have ended

	next     atomic.Int64
	closed   atomic.Bool  // closed by mcpproxy
	reopened atomic.Bool  // closed by Manager.Reopen: a new link is wanted
	blamed   atomic.Bool  // its end was counted as a fault
	garbled  atomic.Int64 // malformed messages
	holds    atomic.Int32 // see Hold
	unasked  flood        // work for unrequested messages
	greeted  sync.Once    // notifications/initialized has been sent
	relisted relisting
	mu       sync.Mutex
	pending  map[string]*call // by id on this link
	asked    map[string]*call // open requests of the server, with the calls they belong to
	broken   error
	done     chan struct{} // closed when broken
}

// ErrBroken says that the connection ended.
var ErrBroken = errors.New("the connection to the server ended")

// Listener receives the messages of a server that belong to no call. It must not block.
type Listener func(*Link, *wire.Message)

func newLink(s *Server, giveUp context.CancelFunc, listener Listener) *Link {
	return &Link{
		server:   s,
		giveUp:   giveUp,
		listener: listener,
		left:     make(chan struct{}),
		pending:  map[string]*call{},
		asked:    map[string]*call{},
		done:     make(chan struct{}),
	}
}

// alive reports whether the link can still be used.
func (l *Link) alive() bool {
	select {
	case <-l.done:
		return false
	default:
		return true
	}
}

// renewal opens a link that replaces a broken one. The caller must call release after using the
// link.
type renewal func(context.Context) (link *Link, release func(), err error)

// Hold prevents an idle link from being closed until release is called.
func (l *Link) Hold() (release func()) {
	l.holds.Add(1)
	return func() { l.holds.Add(-1) }
}

// held reports whether a caller waits for messages of the server.
func (l *Link) held() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.pending) > 0 || l.holds.Load() > 0
}

// Done is closed when the link can no longer be used.
func (l *Link) Done() <-chan struct{} { return l.done }

// While returns a context that ends when ctx or the link ends. The caller must call stop.
func (l *Link) While(ctx context.Context) (while context.Context, stop context.CancelFunc) {
	while, stop = context.WithCancel(ctx)
	go func() {
		select {
		case <-l.done:
			stop()
		case <-while.Done():
		}
	}()
	return while, stop
}

// Server returns the name of the server.
func (l *Link) Server() string { return l.server.Name() }

// waiting returns the number of calls that wait for an answer.
func (l *Link) waiting() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.pending {
		if !c.stays {
			n++
		}
	}
	return n
}

// died reports whether a link was ended by its server, and not by mcpproxy or because of a missing
// login.
func (l *Link) died() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.closed.Load() && needsLogin(l.broken) == nil
}

// Close closes the link or cancels opening it.
func (l *Link) Close() {
	l.closed.Store(true)
	l.giveUp()
	if l.opened.Load() {
		l.fail(ErrBroken)
	}
}

// settle completes the opening of a link with the results of the handshake. It fails if the link
// was closed meanwhile.
func (l *Link) settle(t terms) error {
	l.Era = t.era
	l.Version = t.version
	l.Hello = t.hello
	l.opened.Store(true) // from here on, Close closes the link directly
	if l.closed.Load() {
		return ErrBroken
	}
	l.transport.ready()
	return nil
}

// fail breaks the link and ends every pending call with the reason.
func (l *Link) fail(reason error) {
	l.mu.Lock()
	if l.broken != nil {
		l.mu.Unlock()
		return
	}
	l.broken = reason
	pending := l.pending
	l.pending = map[string]*call{}
	close(l.done)
	l.mu.Unlock()
	for _, c := range pending {
		c.finish(nil, reason)
		c.hangUp()
	}
	l.transport.close()
}

// answerTime is the timeout for sending an answer to a server's request.
const answerTime = 5 * time.Second

// Notify sends a notification, or an answer to a request of the server.
func (l *Link) Notify(ctx context.Context, msg *wire.Message) error {
	l.mu.Lock()
	broken := l.broken
	waits := l.asked[string(msg.ID)]
	l.mu.Unlock()
	if broken != nil {
		return broken
	}
	if !msg.IsResponse() {
		return l.transport.send(ctx, msg, nil)
	}
	if waits != nil {
		waits.resume()
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	defer l.answered(msg.ID) // only after sending, so that a server that does not read cannot ask more
	return l.transport.send(ctx, msg, nil)
}

// answered records that a request of the server is finished.
func (l *Link) answered(id []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.asked, string(id))
}

// receive routes one message from the server. From is the call on whose exchange the message
// arrived, if the transport knows it.
func (l *Link) receive(msg *wire.Message, from *call) {
	if msg.IsRequest() {
		l.request(msg, from)
		return
	}
	switch {
	case msg.IsResponse():
		l.mu.Lock()
		c := l.pending[string(msg.ID)]
		delete(l.pending, string(msg.ID))
		l.mu.Unlock()
		if c != nil { // drop an unrequested answer
			c.finish(msg, nil)
		}
	case msg.Method == "notifications/progress":
		if c := l.byProgress(msg, from); c != nil {
			c.event(c.restoreProgress(msg))
		}
	case from != nil:
		from.event(msg)
	default:
		l.listener(l, msg)
	}
}

// request routes a server's request to the call that it belongs to, and stops that call's timeout
// meanwhile. The link itself answers a ping.
func (l *Link) request(msg *wire.Message, from *call) {
	if from == nil {
		if from = l.only(); from != nil && !from.asks {
			from = nil
		}
	}
	if from != nil && from.events == nil || msg.Method == "ping" {
		from = nil
	}
	if !l.mayAsk(msg.ID, from) {
		return
	}
	switch {
	case msg.Method == "ping":
		go func() { _ = l.Notify(l.server.ctx, wire.NewResult(msg.ID, []byte("{}"))) }()
	case from != nil:
		from.event(msg)
	case l.common: // the intended caller is unknown
		go func() {
			_ = l.Notify(
				l.server.ctx,
				wire.NewError(
					msg.ID,
					&wire.RPCError{Code: wire.CodeMethodNotFound, Message: "no client of this connection can answer " + msg.Method},
				),
			)
		}()
	default:
		l.listener(l, msg)
	}
}

// maxAsked is the maximum number of open requests of a server on one link. Further requests get no
// answer, because each one occupies a goroutine.
const maxAsked = 64

// mayAsk registers a request of the server with the call that waits for its answer.
func (l *Link) mayAsk(id []byte, waits *call) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, open := l.asked[string(id)]; open || len(l.asked) >= maxAsked {
		return false
	}
	l.asked[string(id)] = waits
	return true
}

// byProgress returns the call that a progress notification belongs to.
func (l *Link) byProgress(msg *wire.Message, from *call) *call {
	if from != nil {
		return from
	}
	token := string(wire.Member(msg.Params, "progressToken"))
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.pending {
		if token != "" && token == string(c.token) {
			return c
		}
	}
	return nil
}

// only returns the pending call if there is exactly one. On stdio a server's request does not name
// its call, and with several calls it could reach the wrong agent.
func (l *Link) only() *call {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.common || len(l.pending) != 1 {
		return nil
	}
	for _, c := range l.pending {
		return c
	}
	return nil
}

// Hears waits until the server can send messages that belong to no call, such as notifications
// about a resource. Over HTTP this needs a separate stream, which opens after the handshake. Hears
// also returns if the server offers no such stream.
func (l *Link) Hears(ctx context.Context) error {
	select {
	case <-l.transport.listening():
		return nil
	case <-l.left:
		return ErrBroken
	case <-ctx.Done():
		return ctx.Err()
	}
}
