package evaluate

import (
	"slices"
	"strings"
	"sync"
	"time"

	"mcpproxy"
)

// Window is how long an agent's hooks count as active after their last event.
const Window = 30 * time.Minute

// maxSeen bounds the sessions that are counted.
const maxSeen = 10_000

// Coverage says how much of the agents' work is observed, judged by the events that their hooks
// have sent.
type Coverage struct {
	Mode   mcpproxy.Coverage `json:"security_coverage" doc:"proxy_only, or full when agent hooks are active"`
	Active bool              `json:"hooks_active" doc:"Whether an agent's hook has sent an event within the last 30 minutes"`
	Agents []AgentSeen       `json:"agents" doc:"The agents whose hooks are active"`
}

// AgentSeen is one agent whose hooks are active.
type AgentSeen struct {
	Name     string    `json:"agent"`
	Sessions int       `json:"sessions"`
	Last     time.Time `json:"last_event"`
}

// seen records which sessions have sent events, and when.
type seen struct {
	mu   sync.Mutex
	last map[seenKey]time.Time
}

type seenKey struct{ agent, session string }

// note records an event and reports whether it is the first of its session. A session that has
// ended is no longer counted.
func (s *seen) note(agent, session string, at time.Time, ended bool) (first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := seenKey{agent, session}
	if ended {
		delete(s.last, key)
		return false
	}
	if s.last == nil {
		s.last = map[seenKey]time.Time{}
	}
	_, known := s.last[key]
	if !known && len(s.last) >= maxSeen {
		s.forget(at.Add(-Window))
		if len(s.last) >= maxSeen {
			return false
		}
	}
	if at.After(s.last[key]) {
		s.last[key] = at
	}
	return !known
}

// forget removes sessions whose last event is older than limit.
func (s *seen) forget(limit time.Time) {
	for key, at := range s.last {
		if at.Before(limit) {
			delete(s.last, key)
		}
	}
}

// Seen restores an event that an earlier run of the daemon recorded.
func (e *Evaluator) Seen(agent, session string, at time.Time) { e.seen.note(agent, session, at, false) }

// Coverage returns which agents' hooks are active.
func (e *Evaluator) Coverage(now time.Time) Coverage {
	c := Coverage{Mode: mcpproxy.CoverageProxyOnly, Agents: []AgentSeen{}}
	if !e.settings.Load().Enabled {
		return c
	}
	e.seen.mu.Lock()
	defer e.seen.mu.Unlock()
	e.seen.forget(now.Add(-Window))
	for key, at := range e.seen.last {
		name := key.agent
		if name == "" {
			name = "unnamed"
		}
		i := slices.IndexFunc(c.Agents, func(a AgentSeen) bool { return a.Name == name })
		if i < 0 {
			i, c.Agents = len(c.Agents), append(c.Agents, AgentSeen{Name: name})
		}
		a := &c.Agents[i]
		a.Sessions++
		if at.After(a.Last) {
			a.Last = at.UTC()
		}
	}
	slices.SortFunc(c.Agents, func(a, b AgentSeen) int { return strings.Compare(a.Name, b.Name) })
	if c.Active = len(c.Agents) > 0; c.Active {
		c.Mode = mcpproxy.CoverageFull
	}
	return c
}
