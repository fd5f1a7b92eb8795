package raw

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"mcpproxy/internal/wire"
)

// maxMessage is the maximum size of a received message, in bytes.
const maxMessage = 16 << 20

// maxNoise is the maximum number of unrequested messages between two answers. Reading more would
// only cost time.
const maxNoise = 20_000

// maxRefusing is the number of server requests that are answered concurrently.
const maxRefusing = 16

// Errors of an [Answer].
var (
	ErrTimeout    = errors.New("no answer in time")
	ErrBroken     = errors.New("the connection ended")
	ErrUnreadable = errors.New("the answer is not a valid message")
	// ErrFlood accompanies [ErrBroken].
	ErrFlood = errors.New("the server sends endless messages that were not requested")
)

// Answer is the response to one message.
type Answer struct {
	Result  []byte // raw; nil unless the server returned a result
	Error   []byte // raw error object; nil unless the server returned an error
	Status  int    // HTTP status; 0 over stdio, and where the answer came on a standing stream
	Header  http.Header
	Body    []byte // HTTP response that is not a message, at most 4 KB
	Latency time.Duration
	Err     error // why there is neither; nil if no answer was expected
}

// OK reports whether there is a result.
func (a Answer) OK() bool { return a.Result != nil }

// Fault is one protocol violation by the server.
type Fault struct {
	Kind   string // a stable word, such as "not JSON"
	Detail string // one sentence, without text of the server
}

// pipe sends frames to the server. Received frames go to Conn.receive.
type pipe interface {
	// send writes one frame. If each frame has its own HTTP exchange, send returns the answer when
	// the exchange has ended.
	send(ctx context.Context, frame []byte, header http.Header) (Answer, error)
	// exchanges reports whether every frame has its own HTTP exchange.
	exchanges() bool
	close()
}

// Conn is one connection to a server. It is safe for concurrent use.
type Conn struct {
	Transport string
	Era       wire.Era
	Version   string // negotiated protocol revision
	Hello     []byte // the server's initialize or discover result, raw

	target Target
	client *http.Client // for an HTTP target
	pipe   pipe
	broken chan struct{}
	// refusing is a semaphore for answers to server requests.
	refusing chan struct{}

	mu       sync.Mutex
	next     int64
	waiting  map[string]chan Answer
	asked    map[string]bool // all ids ever sent
	answered map[string]bool
	faults   []Fault
	strays   int // error responses without an id, as sent for malformed frames
	noise    int // unrequested messages since the last answer
	session  string
	reason   error // why it broke
}

func newConn(t Target) *Conn {
	return &Conn{
		target:   t,
		broken:   make(chan struct{}),
		refusing: make(chan struct{}, maxRefusing),
		waiting:  map[string]chan Answer{},
		asked:    map[string]bool{},
		answered: map[string]bool{},
	}
}

// Faults returns the protocol violations so far, each kind once, in order of occurrence.
func (c *Conn) Faults() []Fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.faults)
}

// Session returns the id of the server's HTTP session, or "".
func (c *Conn) Session() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

// Broken returns nil while the connection is usable, and otherwise why it ended.
func (c *Conn) Broken() error {
	select {
	case <-c.broken:
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.reason
	default:
		return nil
	}
}

// Close closes the connection.
func (c *Conn) Close() {
	c.fail(ErrBroken)
	if c.pipe != nil {
		c.pipe.close()
	}
	if c.client != nil {
		c.client.CloseIdleConnections()
	}
}

func (c *Conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reason == nil {
		c.reason = err
		close(c.broken)
	}
}

// Target returns the target with the detected path and transport.
func (c *Conn) Target() Target { return c.target }

func (c *Conn) watch(sent bool, frame []byte) {
	if c.target.Watch != nil {
		c.target.Watch(sent, frame)
	}
}

// NextID returns an unused request id.
func (c *Conn) NextID() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	return wire.IntID(c.next)
}

// Request sends a request with well-formed params and waits for its answer until ctx ends.
func (c *Conn) Request(ctx context.Context, method string, params []byte) Answer {
	return c.RequestAs(ctx, c.NextID(), method, params)
}

// RequestAs is Request with an id that the caller chooses.
func (c *Conn) RequestAs(ctx context.Context, id []byte, method string, params []byte) Answer {
	req := wire.NewRequest(id, method, c.complete(params))
	return c.Frame(ctx, req.Raw, id, c.headers(req))
}

// Notify sends a notification.
func (c *Conn) Notify(ctx context.Context, method string, params []byte) error {
	if c.Era == wire.Stateless {
		params = c.complete(params)
	}
	m := wire.NewNotification(method, params)
	c.watch(true, m.Raw)
	_, err := c.pipe.send(ctx, m.Raw, c.headers(m))
	return err
}

// Frame sends bytes unchanged and waits for the answer to id. Without an id it only waits for the
// end of the HTTP exchange, if there is one. Over stdio the bytes must not contain a line break.
func (c *Conn) Frame(ctx context.Context, frame, id []byte, header http.Header) Answer {
	start := time.Now()
	answer := c.expect(id)
	c.watch(true, frame)
	ended := make(chan Answer, 1)
	go func() {
		a, err := c.pipe.send(ctx, frame, header)
		if a.Err == nil {
			a.Err = err
		}
		if a.Err != nil || c.pipe.exchanges() || id == nil {
			ended <- a
		}
	}()
	a := c.await(ctx, answer, ended)
	a.Latency = time.Since(start)
	c.mu.Lock()
	delete(c.waiting, string(id))
	c.mu.Unlock()
	return a
}

// await waits for an answer. An answer from the HTTP exchange contains the HTTP status.
func (c *Conn) await(ctx context.Context, answer, ended chan Answer) Answer {
	select {
	case a := <-answer:
		if c.pipe.exchanges() {
			select {
			case e := <-ended:
				a.Status, a.Header = e.Status, e.Header
			case <-ctx.Done():
			}
		}
		return a
	case e := <-ended:
		select { // both may have arrived
		case a := <-answer:
			a.Status, a.Header = e.Status, e.Header
			return a
		default:
			return e
		}
	case <-c.broken:
		select {
		case a := <-answer:
			return a
		default:
		}
		return Answer{Err: c.Broken()}
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return Answer{Err: ErrTimeout}
		}
		return Answer{Err: context.Cause(ctx)}
	}
}

func (c *Conn) expect(id []byte) chan Answer {
	ch := make(chan Answer, 1)
	if id != nil {
		c.mu.Lock()
		c.waiting[string(id)], c.asked[string(id)] = ch, true
		c.mu.Unlock()
	}
	return ch
}

// complete adds the members that the stateless era requires to params.
func (c *Conn) complete(params []byte) []byte {
	if c.Era != wire.Stateless {
		return params
	}
	params = wire.Set(params, wire.Quote(wire.Latest), "_meta", wire.MetaVersion)
	params = wire.Set(params, clientInfo(), "_meta", wire.MetaClientInfo)
	return wire.Set(params, []byte("{}"), "_meta", wire.MetaCapabilities)
}

// headers returns the HTTP headers of a message.
func (c *Conn) headers(m *wire.Message) http.Header {
	h := http.Header{}
	if c.Version != "" {
		h.Set(wire.HeaderVersion, c.Version)
	}
	if s := c.Session(); s != "" {
		h.Set(wire.HeaderSession, s)
	}
	if c.Era == wire.Stateless {
		wire.SetHeaders(h, m)
	}
	return h
}

// receive handles one frame from the server.
func (c *Conn) receive(frame []byte) {
	if !c.withinLimit() {
		return
	}
	c.watch(false, frame)
	m, err := wire.Parse(frame)
	if err == nil && depth(frame) > maxDepth {
		c.mu.Lock()
		c.faultLocked(
			"too deep",
			fmt.Sprintf(
				"the server sent a message that is nested more than %d levels deep, which many programs cannot read",
				maxDepth,
			),
		)
		c.mu.Unlock()
	}
	switch {
	case err != nil:
		c.unreadable(frame, err)
	case m.IsRequest():
		select {
		case c.refusing <- struct{}{}:
			go c.refuse(m)
		default: // a server that asks faster than it reads gets no answer
		}
	case m.IsResponse():
		a := Answer{Result: bytes.Clone(m.Result), Error: bytes.Clone(m.Error)}
		c.deliver(m.ID, a)
	}
}

// withinLimit counts an unrequested message and reports whether the count is within the limit. Beyond
// the limit it ends the connection.
func (c *Conn) withinLimit() bool {
	c.mu.Lock()
	c.noise++
	flood := c.noise > maxNoise
	if flood {
		c.faultLocked("flood", fmt.Sprintf("the server sent more than %d messages that were not requested", maxNoise))
	}
	c.mu.Unlock()
	if flood {
		c.fail(fmt.Errorf("%w: %w", ErrBroken, ErrFlood))
	}
	return !flood
}

// deliver passes an answer to its waiting caller.
func (c *Conn) deliver(id []byte, a Answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := string(id)
	ch, ok := c.waiting[key]
	switch {
	case c.answered[key]:
		c.faultLocked("answered twice", "the server answered one request twice")
	case ok:
		c.answered[key] = true
		c.noise = 0
		ch <- a
	case !c.asked[key]:
		c.faultLocked("foreign id", "the server answered a request that was never sent")
	default:
		c.answered[key] = true // late
	}
}

// unreadable handles a frame that is not a valid message.
func (c *Conn) unreadable(frame []byte, err error) {
	frame = bytes.TrimSpace(frame)
	id := wire.Member(frame, "id")
	if string(id) == "null" && wire.Member(frame, "error") != nil {
		c.mu.Lock()
		c.strays++
		c.mu.Unlock()
		return // a refusal of a frame whose id could not be read
	}
	kind, detail := "not JSON-RPC", "the server sent JSON that is not a JSON-RPC message: "+err.Error()
	switch {
	case len(frame) == 0:
		return
	case frame[0] != '{' && frame[0] != '[':
		kind, detail = "not a message", "the server wrote other text to a stream that may contain only messages"
	case errors.Is(err, wire.ErrSyntax):
		kind, detail = "not JSON", "the server sent a message that is not valid JSON: "+err.Error()
	}
	c.mu.Lock()
	c.faultLocked(kind, detail)
	c.mu.Unlock()
	if len(id) == 0 {
		id = wire.GuessID(frame[:min(len(frame), 512)], frame[max(0, len(frame)-512):])
	}
	if len(id) > 0 {
		c.deliver(bytes.Clone(id), Answer{Err: ErrUnreadable})
	}
}

func (c *Conn) faultLocked(kind, detail string) {
	if !slices.ContainsFunc(c.faults, func(f Fault) bool { return f.Kind == kind }) {
		c.faults = append(c.faults, Fault{kind, detail})
	}
}

// oversized records a frame that was too large, and reports whether err is about one.
func (c *Conn) oversized(err error) bool {
	large, ok := errors.AsType[*wire.TooLargeError](err)
	if !ok {
		return false
	}
	c.mu.Lock()
	c.faultLocked("too large", fmt.Sprintf("the server sent a message of more than %d MB", maxMessage>>20))
	c.mu.Unlock()
	if id := large.ID(); id != nil {
		c.deliver(id, Answer{Err: ErrUnreadable})
	}
	return true
}

// refuse refuses a server request: this client declares no capabilities.
func (c *Conn) refuse(m *wire.Message) {
	defer func() { <-c.refusing }()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	reply := wire.NewError(m.ID, &wire.RPCError{Code: -32601, Message: "this client supports no requests from servers"})
	if m.Method == "ping" {
		reply = wire.NewResult(m.ID, []byte("{}"))
	}
	_, _ = c.pipe.send(ctx, reply.Raw, c.headers(reply)) // the server may have gone
}

// Mark says that an answer to id is allowed although no caller waits for it.
func (c *Conn) Mark(id []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked[string(id)] = true
}

// maxDepth is the nesting at which a message counts as a protocol violation.
const maxDepth = 1000

// depth returns the nesting of a JSON value.
func depth(value []byte) int {
	deepest := 0
	now := 0
	text := false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case text:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}
