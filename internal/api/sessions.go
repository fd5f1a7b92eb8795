package api

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mcpproxy/internal/flow"
)

// Session is one live flow session.
type Session struct {
	ID string `json:"id"`
	flow.Summary
}

// SessionFlow is one live flow session with its flows.
type SessionFlow struct {
	ID string `json:"id"`
	flow.Graph
}

// LegCounts counts the live sessions that have each leg of the lethal trifecta, and those that have
// two or all three; see [mcpproxy.Legs].
type LegCounts struct {
	Sessions  int `json:"sessions" doc:"All live sessions"`
	Private   int `json:"private_data" doc:"Sessions that have read private data"`
	Sensitive int `json:"sensitive_data" doc:"Those of private_data in which the data includes secrets"`
	Untrusted int `json:"untrusted_content" doc:"Sessions that have read text written by strangers"`
	Injected  int `json:"injected_instruction" doc:"Those of untrusted_content in which the text includes an instruction to the agent"`
	Sent      int `json:"external_send" doc:"Sessions that have sent something out"`
	Lethal    int `json:"private_and_untrusted" doc:"Sessions that have read both private data and strangers' text"`
	All       int `json:"all_three" doc:"Sessions of private_and_untrusted that have also sent something out"`
}

func (s *server) liveSessions() map[string]*flow.Session { return live(s.Sessions) }

// live returns the agents' sessions by key.
func live(sessions flow.Sessions) map[string]*flow.Session {
	all := sessions.All()
	maps.DeleteFunc(all, func(key string, _ *flow.Session) bool {
		return strings.HasPrefix(key, flow.PrincipalPrefix)
	})
	return all
}

func (s *server) sessions(context.Context, *struct{}) (*answer[[]Session], error) {
	out := []Session{}
	for key, session := range s.liveSessions() {
		out = append(out, Session{key, session.Summary()})
	}
	slices.SortFunc(out, func(a, b Session) int { return b.Last.Compare(a.Last) })
	return success(out)
}

type bySession struct {
	ID string `path:"id" doc:"Session, as the list of sessions or a record's flow_session_id names it"`
}

// sessionFlow returns one session. The id may also be that of a linked session.
func (s *server) sessionFlow(_ context.Context, in *bySession) (*answer[SessionFlow], error) {
	if key, graph, ok := LiveSession(s.Sessions, in.ID); ok {
		return success(SessionFlow{key, graph})
	}
	return nil, newError(
		404,
		"there is no live session "+strconv.Quote(
			in.ID,
		)+": the summary of one that has ended is in the activity log, type flow_summary",
	)
}

// LiveSession returns a live flow session. id is its key, or the key of a session that was linked
// into it.
func LiveSession(sessions flow.Sessions, id string) (key string, g flow.Graph, ok bool) {
	all := live(sessions)
	for key, session := range all {
		if _, exact := all[id]; key == id || !exact && slices.Contains(session.Summary().Linked, id) {
			return key, session.Graph(), true
		}
	}
	return "", flow.Graph{}, false
}

// CountLegs counts the legs of the live sessions.
func CountLegs(sessions flow.Sessions) LegCounts {
	out := LegCounts{}
	count := func(n *int, holds bool) {
		if holds {
			*n++
		}
	}
	all := live(sessions)
	out.Sessions = len(all)
	for _, session := range all {
		l := session.Summary().Legs
		count(&out.Private, l.Private != nil)
		count(&out.Sensitive, l.Sensitive != nil)
		count(&out.Untrusted, l.Untrusted != nil)
		count(&out.Injected, l.Injected != nil)
		count(&out.Sent, l.Sent != nil)
		count(&out.Lethal, l.Lethal())
		count(&out.All, l.Lethal() && l.Sent != nil)
	}
	return out
}

// CountLost counts the sessions for which the record of earlier results is lost, so that flows from these results
// cannot be found. If the loss affects all sessions of a principal, they count as one.
func CountLost(sessions flow.Sessions) (n int) {
	for _, session := range sessions.All() {
		if session.Summary().Loss.Matters() {
			n++
		}
	}
	return n
}
