package peer

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A Refusal says why a process may not do what it asked for.
type Refusal struct {
	Process Process // who asked
	Below   Process // the agent or daemon that it descends from
	What    string  // the kind of request: [Decision], [Call] or [HookEvent]
	Unsaid  int     // refusals of the same kind since the last call of [Registry.Refused]
	message string
}

// Kinds of request.
const (
	Decision  = "decision"
	Call      = "call"
	HookEvent = "hook event"
)

// Error implements error. The text is addressed to the person who reads the process's output.
func (r *Refusal) Error() string { return r.message }

// Registry knows the processes of agents. It is safe for concurrent use. A nil Registry
// refuses nothing.
type Registry struct {
	// Refused is called for refusals. To protect the log, it is called at most once in ten seconds
	// for one kind of refusal of one agent. It may be nil.
	Refused func(*Refusal)
	self    Process
	nested  atomic.Bool

	generation atomic.Uint64 // increases with every new agent

	mu       sync.Mutex
	agents   map[Process]*agent
	past     []pastAgent
	sessions map[string]Process // agent processes by hook session
	said     map[refusalKind]*said
	file     string // see [Registry.Keep]
}

// refusalKind groups refusals; only one in ten seconds is reported for each kind.
type refusalKind struct {
	below Process
	what  string
}

// said records when [Registry.Refused] was last called for a kind, and how many refusals were only
// counted since.
type said struct {
	at     time.Time
	unsaid int
}

// quiet is how long refusals of one kind are only counted after a report.
const quiet = 10 * time.Second

// agent holds the facts about an agent's process.
type agent struct {
	from   lineage
	hooked bool // its hooks report tool calls
	nested bool // another agent may have started it
	calls  spans
}

// lineage holds the attributes that children inherit. They identify the former parent of an orphan:
// a child can leave its session for a new one, but can never join another one.
type lineage struct {
	cgroup  string
	session int
}

// pastAgent is an agent that has ended. Processes that it started may still run.
type pastAgent struct {
	Process
	from  lineage
	until uint64 // when its end was noticed, in the unit of [Process.Start]
}

const (
	maxAgents   = 1024
	maxSessions = 10_000
	// maxDepth is the maximum number of ancestors that are read.
	maxDepth = 64
	// maxWalks limits the restarts of a walk up the tree. A walk restarts if a process on the way
	// ends.
	maxWalks = 16
)

// NewRegistry returns a registry that knows no agent yet. Self is the daemon, whose children are
// MCP servers.
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

// AllowNested sets whether an agent may be started by another agent's shell
// (security.hooks.nested_agents).
func (r *Registry) AllowNested(allowed bool) {
	if r != nil {
		r.nested.Store(allowed)
	}
}

// standing is the relation of a process to agents and servers.
type standing int

const (
	outside  standing = iota // not a descendant of a known agent, or unknown
	itself                   // the agent itself
	below                    // a descendant of an agent
	detached                 // has left its parent and may come from an agent
	served                   // a descendant of the daemon: a server or its child
	ended                    // ended after it opened the connection, which another process now uses
)

// position is the standing of a process, with the reason.
type position struct {
	standing standing
	process  Process
	agent    Process // the agent or daemon
	child    Process // for below: the agent's child on the path to the process
	hides    bool    // the process hides its open files, so it may be another one
}

// stand returns the position of a connection's peer.
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

// suspect returns the position to assume if the peer may be one of several processes that hide
// their open files. Hiding gives no advantage: the strictest position of the candidates counts.
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

// rank orders positions by strictness.
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

// locate returns the position of p.
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

// walk reads the ancestors of p. It fails if a process on the way ends meanwhile, because its child
// then has another parent.
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

// leftBy returns the agent that a child of init may come from. A process that init started itself
// is in init's own process session, as in a container, or has its own control group, as a service
// has. If the agent is in init's session too, the session proves nothing.
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

// forget moves agents that have ended to the past agents and drops their sessions.
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

// enter adds an agent or updates the facts about a known one.
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

// MayDecide reports whether the peer of a request may make decisions in the user's name. The error
// is a [*Refusal].
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

// mayNotCall reports whether processes in a position may not call tools.
func mayNotCall(at position) string {
	return fmt.Sprintf("%s may not use mcpproxy: it %s", at.process, at.descent())
}

// descent explains why a position is refused.
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

// tells reports whether a refusal is reported now. Otherwise it counts the refusal.
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

// byTool reports whether a descendant of an agent was started by one of the agent's tools. The
// alternative is a helper that the agent itself started, such as an MCP server. If hooks report the
// agent's calls, the process belongs to a tool if a call was running when the agent started the
// child. If they do not, a child that is a shell counts as a tool.
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

// bridged enters the agent that started a bridge, which now sends the agent's requests.
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

// starter returns the process that started p. This is its parent, or the grandparent if the parent
// is a shell that runs only p. It fails if there is no such process, or if it is init or the
// daemon.
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
