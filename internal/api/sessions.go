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

// LegCounts counts the live sessions that have each leg of what makes a theft
// possible, and those that have the first two or all three.
type LegCounts struct {
	Private   int `json:"private_data" doc:"Sessions that have read private data"`
	Sensitive int `json:"sensitive_data" doc:"Of these, with secrets in it"`
	Untrusted int `json:"untrusted_content" doc:"Sessions that have met text written by strangers"`
	Injected  int `json:"injected_instruction" doc:"Of these, with an instruction to the agent in it"`
	Sent      int `json:"external_send" doc:"Sessions that have sent something out"`
	Lethal    int `json:"private_and_untrusted" doc:"Sessions in which private data and strangers' text have met"`
	All       int `json:"all_three" doc:"Sessions that have sent something out after that"`
}

func (s *server) liveSessions() map[string]*flow.Session {
	all := s.Sessions.All()
	maps.DeleteFunc(all, func(key string, _ *flow.Session) bool { return strings.HasPrefix(key, flow.PrincipalPrefix) })
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

// sessionFlow shows one session. A client may also name it by what it was linked
// from.
func (s *server) sessionFlow(_ context.Context, in *bySession) (*answer[SessionFlow], error) {
	live := s.liveSessions()
	for key, session := range live {
		if _, exact := live[in.ID]; key == in.ID || !exact && slices.Contains(session.Summary().Linked, in.ID) {
			return success(SessionFlow{key, session.Graph()})
		}
	}
	return nil, newError(404, "there is no live session "+strconv.Quote(in.ID)+": the summary of one that has ended is in the activity log, type flow_summary")
}

// legs adds the live sessions up.
func (s *server) legs() LegCounts {
	var out LegCounts
	count := func(n *int, holds bool) {
		if holds {
			*n++
		}
	}
	for _, session := range s.liveSessions() {
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
