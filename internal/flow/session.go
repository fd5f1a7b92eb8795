package flow

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mcpproxy"
	"mcpproxy/internal/flow/match"
	"mcpproxy/internal/flow/passage"
	"mcpproxy/internal/intent"
)

// Session is the state of one flow session: its origins, their content, and the edges that were found.
type Session struct {
	mu      sync.Mutex // locked by lock and tryLock
	pending func()     // indexes the last result, if it is not indexed yet
	joined  *Session   // the session of which this session became a part
	ended   bool
	version uint64 // number of changes
	moved   bool   // the session continues in another process
	fault   error  // why a result could not be indexed, until it is reported
	started time.Time
	last    time.Time

	origins   map[int]*mcpproxy.Origin // by number; old ones are evicted
	next      int                      // number of the next origin
	contents  *match.Index
	plain     []int // numbers of the origins without secrets, oldest first
	sensitive []int // numbers of the origins with secrets, oldest first
	thinned   int   // how many of sensitive, from the oldest on, have only their secrets left
	evicted   int
	pruned    int  // number of evicted origins whose passages were dropped
	freed     int  // bytes of evicted data
	charged   int  // bytes that the tracker has counted for this session
	drained   bool // the tracker has freed all that it can, and the session was not used since

	moves        []Move                           // the last moves; at most 1.25 × maxMoves
	total        int                              // number of all edges found
	byType       map[mcpproxy.FlowType]int        //
	byRisk       map[mcpproxy.RiskLevel]int       //
	destinations map[string]*mcpproxy.Destination // by kind and value; at most maxDestinations
	tools        map[string]bool
	linked       map[string]bool // MCP sessions whose calls belong here
	legs         mcpproxy.Legs
	directory    directory // who named which destination
	coded        coded     // origins and moves as they were written last

	// agent is the agent of the session, or nil until a call names it. It is read without the lock.
	agent atomic.Pointer[mcpproxy.SessionAgent]

	request  intent.Request
	spoken   spoken
	passages passage.Index
	written  writtenFiles
	carriers carriers
	troubles troubles
	made     made
	attached attached
	handed   handed
	pages    pages
	concerns concerns
	stored   stored // only in the bucket of a principal
	loss     *Loss  // why origins were lost, or nil
	outward  string // id of the last call for which a flow to the outside was found or assumed
}

// Move is an edge and the call that carried it.
type Move struct {
	CallID string    `json:"call_id"`
	Tool   string    `json:"tool"` // server:tool, or the name of the agent's own tool
	Time   time.Time `json:"time"`
	mcpproxy.Edge
}

const (
	maxMoves        = 1000 // for display; total counts all moves
	maxDestinations = 500  // for display and for the counts by source
	maxTools        = 2000
	maxNumber       = 1 << 40 // of an origin
)

// NewSession returns an empty session.
func NewSession() *Session {
	return &Session{
		started:      time.Now(),
		last:         time.Now(),
		origins:      map[int]*mcpproxy.Origin{},
		contents:     match.New(),
		byType:       map[mcpproxy.FlowType]int{},
		byRisk:       map[mcpproxy.RiskLevel]int{},
		destinations: map[string]*mcpproxy.Destination{},
		tools:        map[string]bool{},
		linked:       map[string]bool{},
	}
}

// add records an origin and returns its number.
func (s *Session) add(o *mcpproxy.Origin) int {
	n := s.next
	s.next++
	s.last = time.Now()
	s.origins[n] = o
	if len(o.Sensitive) > 0 {
		s.sensitive = append(s.sensitive, n)
	} else {
		s.plain = append(s.plain, n)
	}
	return n
}

// remember adds the findings of a check to the session's totals.
func (s *Session) remember(call *mcpproxy.Call, trace Lineage) {
	s.last = time.Now()
	name := call.Tool
	if call.Server != "" {
		name = call.Server + ":" + call.Tool
	}
	if len(s.tools) < maxTools {
		s.tools[name] = true
	}
	for _, e := range trace.Edges {
		s.total++
		s.byType[e.Type]++
		s.byRisk[e.Risk]++
		s.moves = append(s.moves, Move{call.ID, name, s.last, e})
	}
	s.trim()
	for _, d := range trace.Destinations {
		s.meet(d)
	}
}

// knownAgent returns the agent of the session, or the zero value if no call has named it.
func (s *Session) knownAgent() mcpproxy.SessionAgent {
	if a := s.agent.Load(); a != nil {
		return *a
	}
	return mcpproxy.SessionAgent{}
}

// meetAgent records the agent that a call names. The caller holds the lock.
func (s *Session) meetAgent(a mcpproxy.SessionAgent) {
	old := s.knownAgent()
	if now := old.Seen(a); now != old {
		s.agent.Store(&now)
	}
}

// trim drops the oldest moves. It waits until there are a quarter too many, so that not every new move copies the
// list.
func (s *Session) trim() {
	if over := len(s.moves) - maxMoves; over > maxMoves/4 {
		s.moves = slices.Delete(s.moves, 0, over)
		s.coded.dropMoves(over)
	}
}

// meet records a destination. It keeps the least trusted source of each destination.
func (s *Session) meet(d mcpproxy.Destination) {
	key := d.Kind + "\x00" + d.Value
	old, ok := s.destinations[key]
	if !ok && len(s.destinations) >= maxDestinations || ok && old.Source.Rank() >= d.Source.Rank() {
		return
	}
	s.destinations[key] = &d
}

// absorb moves the state of another session into s. The other session is empty afterwards and refers to s.
func (s *Session) absorb(from *Session) {
	offset := s.next
	for _, n := range from.numbers() {
		s.origins[n+offset] = from.origins[n]
	}
	s.contents.Absorb(from.contents, offset)
	for _, n := range from.plain {
		s.plain = append(s.plain, n+offset)
	}
	for _, n := range from.sensitive {
		s.sensitive = append(s.sensitive, n+offset)
	}
	s.next += from.next
	s.evicted = s.evicted + from.evicted
	s.freed = s.freed + from.freed
	s.total = s.total + from.total
	s.coded.moves = nil
	s.moves = append(s.moves, from.moves...)
	slices.SortStableFunc(s.moves, func(a, b Move) int { return a.Time.Compare(b.Time) })
	s.trim()
	for k, n := range from.byType {
		s.byType[k] += n
	}
	for k, n := range from.byRisk {
		s.byRisk[k] += n
	}
	for _, d := range from.destinations {
		s.meet(*d)
	}
	for t := range from.tools {
		s.tools[t] = true
	}
	for l := range from.linked {
		s.linked[l] = true
	}
	s.legs = joinLegs(s.legs, from.legs)
	s.directory.absorb(&from.directory)
	s.request.Join(from.request)
	s.spoken.join(from.spoken)
	s.passages.Absorb(&from.passages)
	s.written.absorb(&from.written)
	s.carriers.absorb(&from.carriers)
	s.troubles.absorb(&from.troubles)
	s.concerns.absorb(&from.concerns)
	s.attached.absorb(&from.attached, offset)
	s.pages = pages{} // the browser may show the page of either session
	s.loss = joinLoss(s.loss, from.loss)
	s.meetAgent(from.knownAgent())
	if from.started.Before(s.started) {
		s.started = from.started
	}
	if from.last.After(s.last) {
		s.last = from.last
	}
	from.origins = nil
	from.contents = match.New()
	from.plain = nil
	from.sensitive = nil
	from.moves = nil
	from.directory = directory{}
	from.coded = coded{}
	from.passages = passage.Index{}
	from.carriers = carriers{}
	s.fault = cmp.Or(s.fault, from.fault)
	from.joined = s
}

// joinLegs returns, for each leg, the one that began first.
func joinLegs(a, b mcpproxy.Legs) mcpproxy.Legs {
	first := func(a, b *mcpproxy.Leg) *mcpproxy.Leg {
		if a == nil || b != nil && b.Time.Before(a.Time) {
			return b
		}
		return a
	}
	return mcpproxy.Legs{
		Private:   first(a.Private, b.Private),
		Sensitive: first(a.Sensitive, b.Sensitive),
		Untrusted: first(a.Untrusted, b.Untrusted),
		Injected:  first(a.Injected, b.Injected),
		Sent:      first(a.Sent, b.Sent),
	}
}

// lock locks the session and indexes its last result if that is still to be done.
func (s *Session) lock() {
	s.mu.Lock()
	s.drained = false
	if index := s.pending; index != nil {
		s.pending = nil
		defer s.catch()
		index()
	}
}

// tryLock locks the session unless it is in use or has a result to index.
func (s *Session) tryLock() bool {
	if !s.mu.TryLock() {
		return false
	}
	if s.pending != nil {
		s.mu.Unlock()
		return false
	}
	return true
}

// catch is a deferred function that recovers from a panic while a result is indexed. The panic must not end the
// program, and later calls must not rely on a session that lacks the result.
func (s *Session) catch() {
	if r := recover(); r != nil {
		s.fault = fmt.Errorf("a result could not be indexed: %v\n%s", r, debug.Stack())
	}
}

// complain panics with the error that catch has stored, so that the session's next call is refused.
func (s *Session) complain() {
	if err := s.fault; err != nil {
		s.fault = nil
		panic(err)
	}
}

// numbers returns the numbers of the stored origins, oldest first.
func (s *Session) numbers() []int {
	all := slices.Concat(s.plain, s.sensitive)
	slices.Sort(all)
	return all
}
