package flow

import (
	"cmp"
	"slices"
	"time"

	"mcpproxy"
)

// Loss says that a session's results were lost, so that flows from them cannot be found.
type Loss struct {
	Record string    `json:"record"`         // id of the gap record that reports the loss
	Time   time.Time `json:"time"`           // when the loss was noticed
	Until  time.Time `json:"until,omitzero"` // the loss matters until then; zero: until the session ends
}

// Matters reports whether the loss still has consequences. A nil loss has none.
func (l *Loss) Matters() bool { return l != nil && (l.Until.IsZero() || time.Now().Before(l.Until)) }

// MatchLost is the Edge.Match of a flow that is assumed because origins were lost.
const MatchLost = "lost"

// lostTool is the name of an origin that was lost.
const lostTool = "a result that is no longer known"

// Lose marks a session whose results were lost. It creates the session if it does not exist. It adds legs, which are
// known from elsewhere, to the session's own legs.
//
// While a session is marked, every call that carries data to an external destination counts as a flow of internal
// data.
func (t *Tracker) Lose(key string, loss Loss, legs mcpproxy.Legs) {
	t.with(key, func(s *Session) {
		s.loss = joinLoss(s.loss, &loss)
		s.legs = joinLegs(s.legs, legs)
	})
}

// LosePrincipal marks all sessions of a principal until loss.Until.
func (t *Tracker) LosePrincipal(principal string, loss Loss) {
	t.Lose(principalKey(principal), loss, mcpproxy.Legs{})
}

// joinLoss returns the loss that matters longer.
func joinLoss(a, b *Loss) *Loss {
	switch {
	case a == nil:
		return b
	case b == nil || a.Until.IsZero():
		return a
	case b.Until.IsZero() || b.Until.After(a.Until):
		return b
	}
	return a
}

// assume adds a flow to the edges of a call that may carry data whose origins were lost. It adds nothing if the call
// has no arguments or stays inside, or if a flow of internal data to the outside was found. Each document of a call is
// checked separately, but a flow that was found or assumed for one document holds for the others. others is the loss
// of the principal's other sessions.
func (s *Session) assume(p Transfer, others *Loss, edges []mcpproxy.Edge) []mcpproxy.Edge {
	loss := joinLoss(s.loss, others)
	if !loss.Matters() || len(p.Doc.Parts) == 0 || TypeOf(mcpproxy.Internal, p.Class) != mcpproxy.InternalToExternal {
		return edges
	}
	found := slices.ContainsFunc(edges, func(e mcpproxy.Edge) bool { return e.Type == mcpproxy.InternalToExternal })
	if !found && (s.outward == "" || s.outward != p.Call.ID) {
		edges = append(edges, mcpproxy.Edge{
			From: mcpproxy.Origin{
				CallID: loss.Record,
				Tool:   lostTool,
				Side:   mcpproxy.Internal,
				Time:   loss.Time,
			},
			To:         cmp.Or(p.Call.Server, p.Call.Tool),
			ToSide:     p.Class.Side,
			Type:       mcpproxy.InternalToExternal,
			Risk:       riskOf(mcpproxy.InternalToExternal, false),
			Match:      MatchLost,
			Confidence: assumed,
		})
	}
	s.outward = p.Call.ID
	return edges
}
