package flow

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Correlator finds the hook session that an MCP call belongs to (spec-027, FR-030 to FR-034).
//
// An agent's hook announces a call before the call itself arrives over MCP ([Correlator.Announce]). The two are the
// same call if they carry the same tool-call id. If one of them has no id, they are the same call if their arguments
// are equal and they arrive within a few seconds. Equal arguments are weak evidence. If two hook sessions wait for
// calls with the same arguments, the call is linked to neither of them and stays in its own session.
//
// A linked session stays linked. Only an exact id can link it to another hook session. The two hook sessions are then
// joined, because one MCP client belongs to both.
//
// A call that a hook announced is one activity with two records. [Found] names the hook's evaluation of the call,
// once. [Correlator.Proxied] tells the hook that reports the result that the call also came over MCP.
type Correlator struct {
	tracker *Tracker
	life    atomic.Int64 // how long equal arguments count, in nanoseconds

	mu     sync.Mutex
	byCall map[string]*expectation
	byArgs map[digest][]*expectation // oldest first
	queue  []*expectation            // oldest first
}

// HookCall is a call that a hook has announced.
type HookCall struct {
	Session   string // the agent's session
	ToolCall  string // the agent's id of the call; may be empty
	Tool      string // the tool's name as its MCP server announces it
	Arguments []byte // JSON, as the agent gave them; may be empty
	Activity  string // id of the hook's evaluation
}

// expectation is a call that a hook has announced and that may still arrive over MCP.
type expectation struct {
	hook     string // key of its flow session
	call     string // tool-call id, or "" if the agent gives no id
	tool     string
	activity string
	args     digest
	valid    bool // the arguments can be compared
	told     bool // they are long enough to distinguish calls
	met      bool // an MCP call was linked by this announcement
	viewed   bool // an MCP call was found to be the same activity
	answered bool // the hook has reported the result
	at       time.Time
}

const (
	maxExpected = 10_000
	// callLife is how long an announced call is expected. It is long, because a person may have to allow the call
	// first. Tool-call ids are random and count during all this time. Equal arguments link sessions for a shorter
	// time.
	callLife = 30 * time.Minute
	// minArguments is the minimum length of arguments that distinguish calls, in bytes of canonical JSON.
	minArguments = 24
)

// NewCorrelator returns a correlator that joins sessions of t. life is how long equal arguments count
// (security.hooks.correlation_ttl_seconds).
func NewCorrelator(t *Tracker, life time.Duration) *Correlator {
	c := &Correlator{tracker: t, byCall: map[string]*expectation{}, byArgs: map[digest][]*expectation{}}
	c.SetLife(life)
	return c
}

// SetLife changes how long equal arguments count.
func (c *Correlator) SetLife(life time.Duration) { c.life.Store(int64(life)) }

// Announce registers a call that a hook has announced.
func (c *Correlator) Announce(t HookCall, at time.Time) {
	e := &expectation{
		hook:     HookKey(t.Session),
		call:     t.ToolCall[:min(len(t.ToolCall), maxID)],
		tool:     t.Tool,
		activity: t.Activity,
		at:       at,
	}
	e.args, e.told, e.valid = digestOf(t.Arguments)
	if e.call == "" && !e.valid {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.queue) > 0 && (len(c.queue) >= maxExpected || at.Sub(c.queue[0].at) > callLife) {
		c.forget(c.queue[0])
		c.queue = c.queue[1:]
	}
	c.queue = append(c.queue, e)
	if e.call != "" {
		c.byCall[e.call] = e
	}
	if e.valid {
		c.byArgs[e.args] = append(c.byArgs[e.args], e)
	}
}

// forget drops the oldest expectation.
func (c *Correlator) forget(e *expectation) {
	if c.byCall[e.call] == e {
		delete(c.byCall, e.call)
	}
	if !e.valid {
		return
	}
	if left := c.byArgs[e.args][1:]; len(left) > 0 { // the oldest element of queue is also the oldest of its list
		c.byArgs[e.args] = left
	} else {
		delete(c.byArgs, e.args)
	}
}

// Claim is an MCP call as its client presents it.
type Claim struct {
	Session   string // key of the call's own flow session
	Lasting   bool   // only one client uses Session, so a link holds for the whole session
	Hook      string // id of a hook session that the client names, or ""
	ToolCall  string // the agent's tool-call id, or "" if it is not known
	Tool      string // the tool's name as the agent calls it, or "" for other calls
	Arguments []byte // JSON, as the agent gave them
}

// Found says which session and which activity an MCP call belongs to.
type Found struct {
	Session  string // key of its flow session
	Activity string // the hook's evaluation of this call, once; otherwise ""
}

// Find returns the session of a call. With a nil correlator, every call belongs to its own session.
func (c *Correlator) Find(claim Claim, at time.Time) Found {
	if c == nil {
		return Found{Session: claim.Session}
	}
	args := sum{raw: claim.Arguments}
	if hook, activity, ok := c.byID(claim, &args, at); ok {
		return Found{c.link(claim, hook), activity}
	}
	key := c.tracker.Session(claim.Session)
	switch named := HookKey(claim.Hook); {
	case claim.Hook != "" && c.tracker.Live(named):
		key = c.link(claim, named)
	case key == claim.Session:
		hook, ok := c.byArguments(claim, &args, at)
		if !ok {
			return Found{Session: claim.Session}
		}
		key = c.link(claim, hook)
	}
	return Found{key, c.view(key, claim, &args, at)}
}

// link records that a call belongs to a hook session. If only one client uses the call's session, the whole session
// belongs to the hook session.
func (c *Correlator) link(claim Claim, hook string) string {
	if claim.Lasting {
		c.tracker.Join(claim.Session, hook)
	}
	return c.tracker.Session(hook)
}

// byID returns the hook session that announced a tool call. The same call may arrive again, because a client repeats
// it to answer a request of the server.
func (c *Correlator) byID(claim Claim, args *sum, at time.Time) (hook, activity string, ok bool) {
	if claim.ToolCall == "" {
		return "", "", false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byCall[claim.ToolCall[:min(len(claim.ToolCall), maxID)]]
	if e == nil || at.Sub(e.at) > callLife {
		return "", "", false
	}
	e.met = true
	if !e.viewed && e.same(claim, args) {
		e.viewed, activity = true, e.activity
	}
	return e.hook, activity, true
}

// byArguments returns the hook session that announced a call with equal arguments, if exactly one did. Calls with two
// different ids are never the same call.
func (c *Correlator) byArguments(claim Claim, args *sum, at time.Time) (hook string, ok bool) {
	if !c.waiting() || !args.tells() {
		return "", false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var first *expectation
	for _, e := range c.byArgs[args.digest] {
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

// view returns the id of the activity record with the hook's evaluation of a call in a known session, or "" if no
// announcement matches. It is for calls without an id, or with an id that the hook did not report. If several equal
// calls were announced, it takes the last announcement: an agent announces a refused call again, and the refused call
// never arrives.
func (c *Correlator) view(session string, claim Claim, args *sum, at time.Time) (activity string) {
	if claim.Tool == "" || !c.waiting() || !args.valid() {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range slices.Backward(c.byArgs[args.digest]) {
		if e.viewed || at.Sub(e.at) > callLife || e.call != "" && claim.ToolCall != "" || !e.same(claim, args) ||
			c.tracker.Session(e.hook) != session {
			continue
		}
		e.met, e.viewed = true, true
		return e.activity
	}
	return ""
}

// Proxied reports whether the call whose result a hook reports also arrived over MCP. Its result is then
// already known. For calls without an id, it reports true once for each announcement.
func (c *Correlator) Proxied(t HookCall) bool {
	hook, call := HookKey(t.Session), t.ToolCall[:min(len(t.ToolCall), maxID)]
	args := sum{raw: t.Arguments}
	valid := args.valid()
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byCall[call]; call != "" {
		return e != nil && e.met && e.hook == hook
	}
	if !valid {
		return false
	}
	i := slices.IndexFunc(c.byArgs[args.digest], func(e *expectation) bool {
		return e.met && !e.answered && e.hook == hook && e.tool == t.Tool
	})
	if i < 0 {
		return false
	}
	c.byArgs[args.digest][i].answered = true
	return true
}

// waiting reports whether at least one announced call is expected.
func (c *Correlator) waiting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.byArgs) > 0
}

// same reports whether a call agrees with the hook's announcement.
func (e *expectation) same(claim Claim, args *sum) bool {
	return e.activity != "" && e.tool == claim.Tool && e.valid && args.valid() && e.args == args.digest
}
