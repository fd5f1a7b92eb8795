package flow

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"mcpproxy"
)

// Summary is the content of a session's flow_summary record (FR-090).
type Summary struct {
	Started      time.Time                          `json:"started"`
	Last         time.Time                          `json:"last_activity"`
	Seconds      float64                            `json:"duration_seconds"`
	Origins      int                                `json:"total_origins"`
	Evicted      int                                `json:"evicted_origins"` // origins that were evicted because of the limits
	EvictedBytes int                                `json:"evicted_bytes"`   // memory that the evictions freed
	Bytes        int                                `json:"memory_bytes"`
	Edges        int                                `json:"total_edges"`
	FlowType     map[mcpproxy.FlowType]int          `json:"flow_types"`
	Risk         map[mcpproxy.RiskLevel]int         `json:"risk_levels"`
	Legs         mcpproxy.Legs                      `json:"legs"`
	Destinations map[mcpproxy.DestinationSource]int `json:"destinations"` // numbers of destinations, by who chose them
	Linked       []string                           `json:"linked_mcp_sessions"`
	Tools        []string                           `json:"tools"`
	Loss         *Loss                              `json:"origins_unknown,omitempty"` // set if some of the session's results were lost
	Agent        *mcpproxy.SessionAgent             `json:"agent,omitempty"`           // nil if no call has named the agent
}

// Summary returns the totals of the session.
func (s *Session) Summary() Summary {
	s.lock()
	defer s.mu.Unlock()
	return s.summary()
}

func (s *Session) summary() Summary {
	sum := Summary{
		Started:      s.started,
		Last:         s.last,
		Seconds:      s.last.Round(0).Sub(s.started.Round(0)).Seconds(), // wall-clock time, as after a restart
		Origins:      s.next,
		Evicted:      s.evicted,
		EvictedBytes: s.freed,
		Bytes:        s.bytes(),
		Edges:        s.total,
		FlowType:     maps.Clone(s.byType),
		Risk:         maps.Clone(s.byRisk),
		Legs:         s.legs,
		Destinations: map[mcpproxy.DestinationSource]int{},
		Linked:       sortedKeys(s.linked),
		Tools:        sortedKeys(s.tools),
		Loss:         s.loss,
		Agent:        s.knownAgent().Recorded(),
	}
	for _, d := range s.destinations {
		sum.Destinations[cmp.Or(d.Source, mcpproxy.FromNowhere)]++
	}
	return sum
}

func sortedKeys(set map[string]bool) []string {
	keys := slices.AppendSeq(make([]string, 0, len(set)), maps.Keys(set))
	slices.Sort(keys)
	return keys
}

// Graph is the graph of a session's flows. All values in it are masked.
type Graph struct {
	Summary      Summary                `json:"summary"`
	Origins      []mcpproxy.Origin      `json:"origins"` // those not evicted, oldest first; the last 1,000
	Moves        []Move                 `json:"edges"`   // oldest first; the last 1,000
	Destinations []mcpproxy.Destination `json:"destinations"`
}

// maxNodes is the maximum number of origins in a graph.
const maxNodes = 1000

// Graph returns the session's flows.
func (s *Session) Graph() Graph {
	s.lock()
	defer s.mu.Unlock()
	g := Graph{
		Summary:      s.summary(),
		Origins:      []mcpproxy.Origin{},
		Moves:        append([]Move{}, s.moves...),
		Destinations: []mcpproxy.Destination{},
	}
	numbers := s.numbers()
	for _, n := range numbers[max(0, len(numbers)-maxNodes):] {
		g.Origins = append(g.Origins, *s.origins[n])
	}
	for _, d := range s.destinations {
		g.Destinations = append(g.Destinations, *d)
	}
	slices.SortFunc(g.Destinations, func(a, b mcpproxy.Destination) int {
		return cmp.Or(b.Source.Rank()-a.Source.Rank(), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Value, b.Value))
	})
	return g
}
