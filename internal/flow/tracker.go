package flow

import (
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"mcpproxy"
	"mcpproxy/internal/text"
)

// Sessions is where a [Tracker] keeps its sessions.
type Sessions interface {
	Get(key string) *Session
	Peek(key string) (*Session, bool)
	All() map[string]*Session
}

// Limits are the bounds of security.flow_tracking.
type Limits struct {
	Enabled    bool
	MaxOrigins int // per session
	MinLength  int // characters below which a text is not hashed
	MaxBytes   int // of one result that are hashed
}

// Tracker records origins and finds edges.
type Tracker struct {
	sessions Sessions
	limits   atomic.Pointer[Limits]
}

// New returns a tracker that keeps its sessions in s.
func New(s Sessions, l Limits) *Tracker {
	t := &Tracker{sessions: s}
	t.SetLimits(l)
	return t
}

// SetLimits changes the bounds for what comes next.
func (t *Tracker) SetLimits(l Limits) { t.limits.Store(&l) }

// Secret is a secret that a detector found in a document.
type Secret struct {
	Value    string
	Category string
	Part     int
}

// Passage is one document on its way: arguments going to a tool, or a result
// coming from it.
type Passage struct {
	Call    *mcpproxy.Call
	Class   mcpproxy.Class
	Doc     *text.Document
	Secrets []Secret
	// Name is how member names are spelled in an edge's path; as they are when
	// nil. A secret can be a name.
	Name func(string) string
}

// principalKey is the bucket that follows a principal across its sessions.
func principalKey(principal string) string { return PrincipalPrefix + principal }

// PrincipalPrefix begins the keys of buckets that follow a principal, which are
// no sessions of their own.
const PrincipalPrefix = "principal:"

// Check returns the edges that lead into a call, the worst first, and the
// secrets of earlier results that it recognised: the call may carry them without
// what gave them away there.
func (t *Tracker) Check(p Passage) ([]mcpproxy.Edge, []Secret) {
	l := t.limits.Load()
	if !l.Enabled {
		return nil, nil
	}
	prints := t.printsOf(p, l)
	s := t.sessions.Get(p.Call.FlowSession)
	s.mu.Lock()
	edges, known := s.match(p, prints)
	s.mu.Unlock()
	if bucket, ok := t.sessions.Peek(principalKey(p.Call.Principal)); ok && !hasSensitive(edges) {
		bucket.mu.Lock()
		more, secrets := bucket.match(p, prints)
		bucket.mu.Unlock()
		edges, known = append(edges, more...), append(known, secrets...)
	}
	s.mu.Lock()
	s.remember(p.Call, edges)
	s.mu.Unlock()
	slices.SortStableFunc(edges, func(a, b mcpproxy.Edge) int { return b.Risk.Rank() - a.Risk.Rank() })
	return edges, known
}

func hasSensitive(edges []mcpproxy.Edge) bool {
	return slices.ContainsFunc(edges, func(e mcpproxy.Edge) bool { return len(e.Sensitive) > 0 })
}

func (t *Tracker) printsOf(p Passage, l *Limits) []print {
	var all []print
	for _, s := range p.Secrets {
		all = append(all, print{hashOf(s.Value), matchSecret, s.Part, len(s.Value), s.Value})
	}
	return append(all, prints(p.Doc, l.MinLength, l.MaxBytes)...)
}

// match looks the prints up and joins them into one edge per origin.
func (s *Session) match(p Passage, prints []print) ([]mcpproxy.Edge, []Secret) {
	var known []Secret
	edges := map[int]*building{}
	var order []int
	for _, pr := range prints {
		at := s.seen[pr.hash]
		for _, a := range at {
			if a.category == "" && (len(at) >= commonOrigins || s.public(at)) {
				continue
			}
			e := edges[a.origin]
			if e == nil {
				e = s.edge(p, a.origin)
				edges[a.origin] = e
				order = append(order, a.origin)
			}
			e.add(pr, a.category, p)
			if a.category != "" && pr.text != "" {
				known = append(known, Secret{pr.text, a.category, pr.part})
			}
		}
	}
	out := make([]mcpproxy.Edge, 0, len(order))
	for _, n := range order {
		out = append(out, edges[n].done())
	}
	return out, known
}

// public reports whether an external result held the text too: then whoever
// sends it on need not have it from inside.
func (s *Session) public(at []seenAt) bool {
	return slices.ContainsFunc(at, func(a seenAt) bool { return s.origins[a.origin].Side == mcpproxy.External })
}

// remember adds what a check found to the session's sums.
func (s *Session) remember(call *mcpproxy.Call, edges []mcpproxy.Edge) {
	s.last = time.Now()
	name := call.Tool
	if call.Server != "" {
		name = call.Server + ":" + call.Tool
	}
	s.tools[name] = true
	for _, e := range edges {
		s.total++
		s.byType[e.Type]++
		s.byRisk[e.Risk]++
		if len(s.edges) < maxEdges {
			s.edges = append(s.edges, e)
		}
	}
}

// Record keeps the result of a call as an origin.
func (t *Tracker) Record(p Passage) {
	l := t.limits.Load()
	if !l.Enabled || len(p.Doc.Parts) == 0 {
		return
	}
	o := &mcpproxy.Origin{CallID: p.Call.ID, Server: p.Call.Server, Tool: p.Call.Tool, Side: p.Class.Side, Time: time.Now()}
	for _, s := range p.Secrets {
		if !slices.Contains(o.Sensitive, s.Category) {
			o.Sensitive = append(o.Sensitive, s.Category)
		}
	}
	prints := prints(p.Doc, l.MinLength, l.MaxBytes)
	s := t.sessions.Get(p.Call.FlowSession)
	s.mu.Lock()
	n := s.add(o, l.MaxOrigins)
	s.noteSecrets(p.Secrets, n) // first: a field that is nothing but a secret stays one
	for _, pr := range prints {
		s.note(pr.hash, n, "")
	}
	s.mu.Unlock()
	if len(p.Secrets) == 0 || p.Class.Side == mcpproxy.External {
		return
	}
	bucket := t.sessions.Get(principalKey(p.Call.Principal))
	bucket.mu.Lock()
	bucket.noteSecrets(p.Secrets, bucket.add(o, l.MaxOrigins))
	bucket.mu.Unlock()
}

func (s *Session) noteSecrets(secrets []Secret, origin int) {
	for _, secret := range secrets {
		// As it was found, and as its fields and words are compared: it may come
		// back without what gave it away.
		s.note(hashOf(secret.Value), origin, secret.Category)
		s.note(hashOf(text.Folded(secret.Value)), origin, secret.Category)
		s.note(hashOf(strings.ToLower(text.NormalForm(secret.Value))), origin, secret.Category)
	}
}
