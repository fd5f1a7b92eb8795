package flow

import (
	"crypto/sha256"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Correlator finds the hook session that an MCP call belongs to (spec-027,
// FR-030 to FR-034).
//
// An agent's hook tells of a call before the call itself arrives over MCP
// ([Correlator.Expect]). The two are the same call when they carry the same
// tool-call id, or, where one of them carries none, when their arguments are the
// same and came within a few seconds. Equal arguments prove little: while two
// hook sessions wait with the same ones, neither is taken, and the call stays in
// its own session until a later one tells. A session that was linked stays
// linked; only an exact id can lead it on, and then the hook sessions are joined,
// since one MCP client had both.
type Correlator struct {
	tracker *Tracker
	life    atomic.Int64 // of arguments, in nanoseconds

	mu     sync.Mutex
	byCall map[string]*expectation
	byArgs map[digest][]*expectation // oldest first
	queue  []*expectation            // oldest first
}

// expectation is a call that a hook has told of.
type expectation struct {
	hook string // key of its flow session
	call string // tool-call id; "" when the agent gives none
	args digest
	told bool // the arguments were long enough to tell calls apart
	met  bool
	at   time.Time
}

const (
	maxExpected = 10_000
	// callLife is how long a tool-call id is waited for: a person may have to
	// agree to the call first. Ids are random, so time does not make them stale.
	callLife = 30 * time.Minute
	// minArguments is the length from which arguments can tell calls apart, in
	// bytes of canonical JSON.
	minArguments = 24
)

// NewCorrelator returns a correlator that joins sessions of t. Equal arguments
// count for the given time (security.hooks.correlation_ttl_seconds).
func NewCorrelator(t *Tracker, life time.Duration) *Correlator {
	c := &Correlator{tracker: t, byCall: map[string]*expectation{}, byArgs: map[digest][]*expectation{}}
	c.SetLife(life)
	return c
}

// SetLife changes for how long equal arguments count.
func (c *Correlator) SetLife(life time.Duration) { c.life.Store(int64(life)) }

// Expect registers a call that a hook of an agent's session has told of. The
// tool-call id may be empty, and so may the arguments, which are JSON.
func (c *Correlator) Expect(hookSession, toolCall string, arguments []byte, at time.Time) {
	e := &expectation{hook: HookKey(hookSession), call: toolCall[:min(len(toolCall), maxID)], at: at}
	e.args, e.told = digestOf(arguments)
	if e.call == "" && !e.told {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.queue) > 0 && (len(c.queue) >= maxExpected || at.Sub(c.queue[0].at) > c.wait(c.queue[0])) {
		c.forget(c.queue[0])
		c.queue = c.queue[1:]
	}
	c.queue = append(c.queue, e)
	if e.call != "" {
		c.byCall[e.call] = e
	}
	if e.told {
		c.byArgs[e.args] = append(c.byArgs[e.args], e)
	}
}

// wait is how long an expectation is of use.
func (c *Correlator) wait(e *expectation) time.Duration {
	if e.call != "" {
		return callLife
	}
	return time.Duration(c.life.Load())
}

// forget drops the oldest expectation.
func (c *Correlator) forget(e *expectation) {
	if c.byCall[e.call] == e {
		delete(c.byCall, e.call)
	}
	if !e.told {
		return
	}
	if left := c.byArgs[e.args][1:]; len(left) > 0 { // what is oldest in the queue is so here
		c.byArgs[e.args] = left
	} else {
		delete(c.byArgs, e.args)
	}
}

// Claim is what an MCP call says about where it belongs.
type Claim struct {
	Session   string // key of the flow session that the call has by itself
	Lasting   bool   // one client alone uses Session, so that a link holds for all of it
	Hook      string // a hook session's id that the client names; "" when it names none
	ToolCall  string // the agent's tool-call id; "" when unknown
	Arguments []byte // JSON, as the agent gave them
}

// Session is the key of the flow session that a call belongs to. On a nil
// correlator every call belongs to its own.
func (c *Correlator) Session(claim Claim, at time.Time) string {
	if c == nil {
		return claim.Session
	}
	if hook, ok := c.byID(claim.ToolCall, at); ok {
		return c.link(claim, hook)
	}
	if hook := HookKey(claim.Hook); claim.Hook != "" && c.tracker.Live(hook) {
		return c.link(claim, hook)
	}
	if key := c.tracker.Session(claim.Session); key != claim.Session {
		return key
	}
	if hook, ok := c.byArguments(claim, at); ok {
		return c.link(claim, hook)
	}
	return claim.Session
}

// link notes that a call belongs to a hook session, and all of its own session
// with it when that is one client's.
func (c *Correlator) link(claim Claim, hook string) string {
	if claim.Lasting {
		c.tracker.Join(claim.Session, hook)
	}
	return c.tracker.Session(hook)
}

// byID finds the hook session that waits for a tool call. A call may come again:
// a client repeats it with what a server asked for.
func (c *Correlator) byID(call string, at time.Time) (hook string, ok bool) {
	if call == "" {
		return "", false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byCall[call[:min(len(call), maxID)]]
	if e == nil || at.Sub(e.at) > callLife {
		return "", false
	}
	e.met = true
	return e.hook, true
}

// byArguments finds the one hook session that waits for a call with the same
// arguments. Two ids that differ say that the calls do.
func (c *Correlator) byArguments(claim Claim, at time.Time) (hook string, ok bool) {
	c.mu.Lock()
	waiting := len(c.byArgs) > 0
	c.mu.Unlock()
	if !waiting {
		return "", false
	}
	args, told := digestOf(claim.Arguments)
	if !told {
		return "", false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var first *expectation
	for _, e := range c.byArgs[args] {
		if e.met || at.Sub(e.at) > time.Duration(c.life.Load()) || e.call != "" && claim.ToolCall != "" {
			continue
		}
		if first != nil && first.hook != e.hook {
			return "", false
		}
		if first == nil {
			first = e
		}
	}
	if first == nil {
		return "", false
	}
	first.met = true
	return first.hook, true
}

// digest identifies arguments: the SHA-256 of their canonical form (RFC 8785),
// in which neither white space nor the order of members matters.
type digest [sha256.Size]byte

// digestOf reports false for arguments too short to tell calls apart, and for
// what is no strict JSON.
func digestOf(arguments []byte) (d digest, ok bool) {
	if len(arguments) < minArguments {
		return d, false
	}
	v := jsontext.Value(slices.Clone(arguments))
	if v.Canonicalize() != nil || len(v) < minArguments {
		return d, false
	}
	return sha256.Sum256(v), true
}
