package flow

import (
	"slices"
	"sync"
	"time"

	"mcpproxy"
)

// commonOrigins is the number of origins that share a text from which it says
// nothing about where it came from.
const commonOrigins = 3

// Session is what is known about one agent's data: origins, where each hash
// was seen, and the edges found.
type Session struct {
	mu      sync.Mutex
	started time.Time
	last    time.Time
	origins map[int]*mcpproxy.Origin // by number; old ones are evicted
	first   int                      // number of the oldest origin kept
	next    int                      // number of the next origin
	evicted int
	noted   int               // hashes kept, over all origins
	seen    map[hash][]seenAt // who produced the text
	hashes  map[int][]hash    // by origin, for eviction
	edges   []mcpproxy.Edge   // bounded by maxEdges
	total   int               // edges ever found
	byType  map[mcpproxy.FlowType]int
	byRisk  map[mcpproxy.RiskLevel]int
	tools   map[string]bool
}

type seenAt struct {
	origin   int
	category string // of a secret; "" otherwise
}

const (
	maxEdges  = 1000    // kept for display; all are counted
	maxHashes = 400_000 // about 60 MB; beyond it the oldest origins go first
)

// NewSession returns an empty session.
func NewSession() *Session {
	return &Session{
		started: time.Now(), last: time.Now(),
		origins: map[int]*mcpproxy.Origin{}, seen: map[hash][]seenAt{}, hashes: map[int][]hash{},
		byType: map[mcpproxy.FlowType]int{}, byRisk: map[mcpproxy.RiskLevel]int{},
		tools: map[string]bool{},
	}
}

// add records an origin and evicts the oldest beyond limit.
func (s *Session) add(o *mcpproxy.Origin, limit int) int {
	n := s.next
	s.next++
	s.last = o.Time
	s.origins[n] = o
	for len(s.origins) > limit || s.noted > maxHashes && s.first < n {
		s.evict(s.first)
		s.first++
	}
	return n
}

func (s *Session) evict(n int) {
	if _, ok := s.origins[n]; !ok {
		return
	}
	delete(s.origins, n)
	s.evicted++
	for _, h := range s.hashes[n] {
		left := slices.DeleteFunc(s.seen[h], func(a seenAt) bool { return a.origin == n })
		if len(left) == 0 {
			delete(s.seen, h)
		} else {
			s.seen[h] = left
		}
	}
	s.noted -= len(s.hashes[n])
	delete(s.hashes, n)
}

func (s *Session) note(h hash, origin int, category string) {
	at := s.seen[h]
	for _, a := range at {
		if a.origin == origin {
			return
		}
	}
	s.seen[h] = append(at, seenAt{origin, category})
	s.hashes[origin] = append(s.hashes[origin], h)
	s.noted++
}

// Summary is what a flow_summary record says about a session (FR-090).
type Summary struct {
	Started  time.Time                  `json:"started"`
	Last     time.Time                  `json:"last_activity"`
	Seconds  float64                    `json:"duration_seconds"`
	Origins  int                        `json:"total_origins"`
	Evicted  int                        `json:"evicted_origins"`
	Edges    int                        `json:"total_edges"`
	FlowType map[mcpproxy.FlowType]int  `json:"flow_types"`
	Risk     map[mcpproxy.RiskLevel]int `json:"risk_levels"`
	Tools    []string                   `json:"tools"`
}

// Summary adds the session up.
func (s *Session) Summary() Summary {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := Summary{Started: s.started, Last: s.last, Seconds: s.last.Sub(s.started).Seconds(),
		Origins: s.next, Evicted: s.evicted, Edges: s.total,
		FlowType: map[mcpproxy.FlowType]int{}, Risk: map[mcpproxy.RiskLevel]int{}}
	for k, n := range s.byType {
		sum.FlowType[k] = n
	}
	for k, n := range s.byRisk {
		sum.Risk[k] = n
	}
	for t := range s.tools {
		sum.Tools = append(sum.Tools, t)
	}
	slices.Sort(sum.Tools)
	return sum
}
