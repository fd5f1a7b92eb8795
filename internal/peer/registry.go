package peer

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A Refusal is why a process may not do what it asked for.
type Refusal struct {
	Process Process // who asked
	Below   Process // the agent or daemon that it descends from
	What    string  // what it asked for: [Decision], [Call] or [HookEvent]
	Unsaid  int     // refusals of the same kind that [Registry.Refused] has not heard of
	message string
}

// What a process may ask for.
const (
	Decision  = "decision"
	Call      = "call"
	HookEvent = "hook event"
)

// Error implements error. The text is meant for whoever reads the output of the process.
func (r *Refusal) Error() string { return r.message }

// Registry knows the processes of agents. It is safe for concurrent use. A nil Registry
// refuses nothing.
type Registry struct {
	// Refused hears of refusals, but of one kind for one agent no more than once in ten
	// seconds: what is refused must not fill a log. It may be nil.
	Refused func(*Refusal)
	self    Process
	nested  atomic.Bool

	generation atomic.Uint64 // counts the agents that were entered

	mu       sync.Mutex
	agents   map[Process]*agent
	past     []pastAgent
	sessions map[string]Process // of hooks
	said     map[refusalKind]*said
	file     string // see [Registry.Keep]
}

// refusalKind is what refusals have in common of which one is told.
type refusalKind struct {
	below Process
	what  string
}

// said is when [Registry.Refused] last heard of refusals of one kind, and how many it has
// not heard of since.
type said struct {
	at     time.Time
	unsaid int
}

// quiet is how long further refusals of one kind are only counted.
const quiet = 10 * time.Second

// agent holds the facts about an agent's process.
type agent struct {
	from   lineage
	hooked bool // its hooks tell of the calls of its tools
	nested bool // another agent may have started it
	calls  spans
}

// lineage is what a process hands down to its children, and what tells of an orphan whose
// child it was. A child can leave its session for a new one, and never join another's.
type lineage struct {
	cgroup  string
	session int
}

// pastAgent is an agent that has ended. What it has started may still run.
type pastAgent struct {
	Process
	from  lineage
	until uint64 // when it was found to have ended, in the unit of [Process.Start]
}

const (
	maxAgents   = 1024
	maxSessions = 10_000
	// maxDepth bounds the ancestors that are looked at.
	maxDepth = 64
	// maxWalks bounds how often a walk up the tree begins again because a process on the
	// way has ended meanwhile.
	maxWalks = 16
)

// NewRegistry returns a registry of the running system that knows no agent. Self is the
// daemon, whose children are servers.
func NewRegistry(self Process) *Registry {
	r := &Registry{
		self:     self,
		agents:   map[Process]*agent{},
		sessions: map[string]Process{},
		said:     map[refusalKind]*said{},
	}
	r.generation.Store(1)
	return r
}

// AllowNested says whether an agent may be started by another agent's shell
// (security.hooks.nested_agents).
func (r *Registry) AllowNested(allowed bool) {
	if r != nil {
		r.nested.Store(allowed)
	}
}

// standing is where a process stands among agents and servers.
type standing int

const (
	outside  standing = iota // below no agent that is known, or the system does not tell
	itself                   // an agent
	below                    // below an agent
	detached                 // has left its parent, and may come from an agent
	served                   // below the daemon: a server or what it has started
	ended                    // has ended since it made the connection, which another process now uses
)

// position is where a process stands, and why.
type position struct {
	standing standing
	process  Process
	agent    Process // the agent or daemon
	child    Process // for below: the agent's own child that leads to the process
	hides    bool    // the process keeps to itself what it has open: it may be another one
}

// stand finds out where the peer of a connection stands.
func (r *Registry) stand(ctx context.Context) position {
	c := from(ctx)
	if r == nil || c == nil {
		return position{}
	}
	generation := r.generation.Load()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of != generation {
		c.position, c.of = r.locate(c.peer()), generation
		if !c.process.Known() {
			c.position = r.suspect(c.suspects)
		}
	}
	return c.position
}

// suspect is the position of whichever process hides that it is at the other end of a
// connection. Nobody gains by hiding: where it may be one that an agent or a server has
// started, it is taken for that one.
func (r *Registry) suspect(all []Process) position {
	var found position
	for _, p := range all {
		at := r.locate(p)
		at.hides = true
		if at.standing != ended && r.rank(at) > r.rank(found) {
			found = at
		}
	}
	return found
}

// rank orders positions by how much is refused there.
func (r *Registry) rank(at position) int {
	switch {
	case at.standing == outside:
		return 0
	case at.standing == itself:
		return 1
	case at.standing == below && !r.byTool(at):
		return 2
	}
	return 3
}

// locate finds out where p stands.
func (r *Registry) locate(p Process) position {
	found := position{process: p}
	if !p.Known() || p == r.self {
		return found
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget()
	for range maxWalks {
		if at, ok := r.walk(p); ok {
			return at
		}
		if p.ended() {
			break
		}
	}
	if len(r.agents)+len(r.past) > 0 {
		found.standing = ended
	}
	return found
}

// walk goes up the tree from p. It is not ok when a process on the way has ended
// meanwhile: its child then has another parent.
func (r *Registry) walk(p Process) (found position, ok bool) {
	found.process = p
	var child Process
	for pid, depth := p.PID, 0; pid > 0 && depth < maxDepth; depth++ {
		s, ok := look(pid)
		if !ok || depth == 0 && s.Process != p || depth > 0 && s.Start > child.Start {
			return found, false
		}
		switch {
		case s.Process == r.self && depth > 0:
			found.standing, found.agent = served, r.self
			return found, true
		case r.agents[s.Process] != nil:
			found.standing = below
			found.agent = s.Process
			found.child = child
			if depth == 0 {
				found.standing = itself
			}
			return found, true
		}
		if s.parent > 0 && reaps(s.parent) {
			if a, ok := r.leftBy(s); ok {
				found.standing = detached
				found.agent = a
				found.child = s.Process
			}
			return found, true
		}
		child, pid = s.Process, s.parent
	}
	return found, true
}

// leftBy returns the agent that a child of init may come from. What init has started
// itself is in init's own session of processes, as in a container, or has a control
// group of its own, as a service has. Where init's session is the agent's too, it tells
// nothing.
func (r *Registry) leftBy(s status) (Process, bool) {
	group := s.cgroup()
	if group == "" {
		return Process{}, false
	}
	init, ok := look(s.parent)
	inits := ok && init.session == s.session
	mayBeOf := func(l lineage) bool {
		return l.cgroup == group && (!inits || l.session == init.session)
	}
	for p, a := range r.agents {
		if p.Start <= s.Start && mayBeOf(a.from) {
			return p, true
		}
	}
	for _, a := range r.past {
		if a.Start <= s.Start && s.Start <= a.until && mayBeOf(a.from) {
			return a.Process, true
		}
	}
	return Process{}, false
}

// forget moves agents that have ended to those of the past, and drops their sessions.
func (r *Registry) forget() {
	before := len(r.agents)
	for p, a := range r.agents {
		if !p.alive() {
			delete(r.agents, p)
			r.past = append(r.past, pastAgent{Process: p, from: a.from, until: now()})
		}
	}
	r.past = r.past[max(0, len(r.past)-maxAgents):]
	if len(r.agents) != before {
		r.keep()
	}
	if len(r.sessions) > maxSessions {
		for id, a := range r.sessions {
			if r.agents[a] == nil {
				delete(r.sessions, id)
			}
		}
	}
}

// enter adds an agent, or notes more of one that is known.
func (r *Registry) enter(p Process, hooked, nested bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a, known := r.agents[p]
	if !known {
		if len(r.agents) >= maxAgents {
			r.forget()
		}
		if len(r.agents) >= maxAgents {
			return
		}
		a = &agent{from: p.lineage()}
		r.agents[p] = a
		r.generation.Add(1)
	}
	before := *a
	a.hooked, a.nested = a.hooked || hooked, a.nested || nested
	if !known || before.hooked != a.hooked || before.nested != a.nested {
		r.keep()
	}
}

// MayDecide reports whether the peer of a request may take decisions in the user's name.
// The error is a [*Refusal].
func (r *Registry) MayDecide(ctx context.Context) error {
	at := r.stand(ctx)
	if at.standing == outside {
		return nil
	}
	return r.refuse(
		at,
		Decision,
		fmt.Sprintf(
			"this decision is the user's: %s %s. Take it in a terminal that no agent has started, or on the page",
			at.process,
			at.descent(),
		),
	)
}

// MayCall reports whether the peer of a request may call tools. The error is a [*Refusal].
func (r *Registry) MayCall(ctx context.Context) error {
	at := r.stand(ctx)
	switch at.standing {
	case outside, itself:
		r.bridged(at)
		return nil
	case below:
		if !r.byTool(at) {
			return nil
		}
	case detached:
		p, direct := r.starter(at.process)
		inBackground := direct && !p.isShell() && r.isBridge(at.process)
		if inBackground && r.nested.Load() {
			return nil
		}
		if inBackground {
			return r.refuse(at, Call, mayNotCall(at)+
				". To let agents start other agents, the user can set security.hooks.nested_agents to allow")
		}
	}
	return r.refuse(at, Call, mayNotCall(at)+
		". An agent calls tools through the connection that it was given (mcpproxy connect)")
}

// mayNotCall says that a process in a position may not call tools.
func mayNotCall(at position) string {
	return fmt.Sprintf("%s may not use mcpproxy: it %s", at.process, at.descent())
}

// descent says in words why a position is refused.
func (at position) descent() string {
	if at.hides {
		at.hides = false
		return at.descent() + ", and hides which connections are its own"
	}
	switch at.standing {
	case itself:
		return "is an agent"
	case served:
		return "was started by a server behind mcpproxy"
	case ended:
		return "has ended, and another process uses its connection"
	case detached:
		return fmt.Sprintf("has left its parent and may come from the agent %s", at.agent)
	}
	return fmt.Sprintf("was started by the agent %s", at.agent)
}

func (r *Registry) refuse(at position, what, message string) error {
	refusal := &Refusal{
		Process: at.process,
		Below:   at.agent,
		What:    what,
		message: message,
	}
	if r.Refused != nil && r.tells(refusal, time.Now()) {
		r.Refused(refusal)
	}
	return refusal
}

// tells reports whether a refusal is to be told of, and counts it otherwise.
func (r *Registry) tells(refusal *Refusal, at time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.said) > maxAgents {
		clear(r.said)
	}
	kind := refusalKind{refusal.Below, refusal.What}
	last := r.said[kind]
	if last != nil && at.Sub(last.at) < quiet {
		last.unsaid++
		return false
	}
	if last != nil {
		refusal.Unsaid = last.unsaid
	}
	r.said[kind] = &said{at: at}
	return true
}

// byTool reports whether a process below an agent was started by one of the agent's
// tools, and not by the agent for itself, as its MCP servers are. Where hooks tell of
// calls, what matters is whether one ran when the agent started the child. Where they do
// not, a child that is a shell counts as a tool.
func (r *Registry) byTool(at position) bool {
	r.mu.Lock()
	a := r.agents[at.agent]
	hooked, during := a != nil && a.hooked, a != nil && a.calls.hold(at.child.Start)
	r.mu.Unlock()
	if hooked {
		return during
	}
	return at.child.isShell() && !r.isBridge(at.process)
}

// bridged enters the agent that has started a bridge which now speaks for it.
func (r *Registry) bridged(at position) {
	if r == nil || at.standing != outside || !at.process.Known() || at.process == r.self || !r.isBridge(at.process) {
		return
	}
	if p, ok := r.starter(at.process); ok && !p.isShell() {
		r.enter(p, false, false)
	}
}

// isBridge reports whether p is `mcpproxy stdio`.
func (r *Registry) isBridge(p Process) bool {
	return p.name() == "mcpproxy" && slices.Contains(p.args(), "stdio")
}

// starter returns the process that has started p: its parent, or the parent's parent
// where the parent is a shell that runs p and nothing else. It is not ok where there is
// no such process, or it is init or the daemon.
func (r *Registry) starter(p Process) (Process, bool) {
	s, ok := look(p.PID)
	if !ok || s.Process != p {
		return Process{}, false
	}
	parent, ok := look(s.parent)
	if ok && parent.isShell() {
		if command, runs := commandOf(parent.args()); runs && runsOnly(command, p.args()) {
			parent, ok = look(parent.parent)
		}
	}
	return parent.Process, ok && !reaps(parent.PID) && parent.Process != r.self
}
