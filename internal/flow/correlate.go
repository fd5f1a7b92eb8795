package flow

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Correlator finds the hook session that an MCP call belongs to (spec-027,
// FR-030 to FR-034).
//
// An agent's hook tells of a call before the call itself arrives over MCP
// ([Correlator.Tell]). The two are the same call when they carry the same
// tool-call id, or, where one of them carries none, when their arguments are the
// same and came within a few seconds. Equal arguments prove little: while two
// hook sessions wait with the same ones, neither is taken, and the call stays in
// its own session until a later one tells. A session that was linked stays
// linked; only an exact id can lead it on, and then the hook sessions are joined,
// since one MCP client had both.
//
// A call that a hook has told of is one activity with two views: [Found] says
// which evaluation it belongs to, once, and [Correlator.Proxied] tells the hook that
// reports the result that the proxy has seen it.
type Correlator struct {
	tracker *Tracker
	life    atomic.Int64 // of arguments, in nanoseconds

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

// expectation is a call that a hook has told of.
type expectation struct {
	hook     string // key of its flow session
	call     string // tool-call id; "" when the agent gives none
	tool     string
	activity string
	args     digest
	valid    bool // the arguments can be compared
	told     bool // they were long enough to tell calls apart
	met      bool // an MCP call was linked by it
	viewed   bool // an MCP call was taken for the same activity
	answered bool // the hook has told of its result
	at       time.Time
}

const (
	maxExpected = 10_000
	// callLife is how long a call is waited for: a person may have to agree to it
	// first. Tool-call ids are random, so time does not make them stale; arguments
	// link sessions for a shorter time.
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
	Tool      string // name of the tool as the agent calls it; "" when it calls none
	Arguments []byte // JSON, as the agent gave them
}

// Found is where an MCP call belongs.
type Found struct {
	Session  string // key of its flow session
	Activity string // the hook's evaluation of this very call; "" when there was none, or it was found before
}

// Find says where a call belongs. On a nil correlator every call belongs to its
// own session.
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

// byArguments finds the one hook session that waits for a call with the same
// arguments. Two ids that differ say that the calls do.
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

// view is the evaluation of a call whose session is known, which has no id or one
// that the hook did not tell. Of equal ones the last that was told is meant: one that
// was refused is told again, and does not come itself.
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

// Proxied reports whether the call whose result a hook now reports has come over
// MCP, so that its result is known. Each call is told of once.
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

// waiting reports whether any call is waited for.
func (c *Correlator) waiting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.byArgs) > 0
}

// same reports whether a call agrees with the hook's report.
func (e *expectation) same(claim Claim, args *sum) bool {
	return e.activity != "" && e.tool == claim.Tool && e.valid && args.valid() && e.args == args.digest
}
