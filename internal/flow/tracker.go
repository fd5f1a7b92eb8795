package flow

import (
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mcpproxy"
	"mcpproxy/internal/flow/match"
	"mcpproxy/internal/text"
)

// Sessions is the store of a [Tracker]'s sessions.
type Sessions interface {
	Get(key string) *Session
	Peek(key string) (*Session, bool)
	Put(key string, s *Session, used time.Time)
	End(key string) bool
	All() map[string]*Session
}

// Limits are the settings of security.flow_tracking.
type Limits struct {
	Enabled    bool
	MaxOrigins int // per session
	MinLength  int // a text with fewer characters is not hashed
	MaxBytes   int // bytes of one result that are hashed

	// Justify says that a call that sends internal data out must state a reason
	// (security.flow_policy.require_justification).
	Justify bool

	SessionBytes int // bytes for the origins of one session; 40 MB if 0
	TotalBytes   int // bytes for all sessions, without their secrets; 40 MB if 0
}

// Tracker records origins and finds edges.
type Tracker struct {
	sessions Sessions
	limits   atomic.Pointer[Limits]

	links     links
	joining   sync.Mutex
	used      atomic.Int64 // bytes of all sessions
	spent     atomic.Int64 // bytes of the sessions that relieve could not shrink further
	relieving sync.Mutex
	changes   atomic.Uint64 // how often a session was opened
	owners    owners
	kin       kinship
}

func (l *Limits) options(p Transfer) match.Options {
	o := match.Options{MinLength: l.MinLength, MaxBytes: l.MaxBytes}
	if p.Walled != nil ||
		p.Call != nil && p.Call.Channel == mcpproxy.ChannelCode { // a script uses only a part of a large result
		o.MaxBytes = math.MaxInt
	}
	return o
}

// New returns a tracker that keeps its sessions in s.
func New(s Sessions, l Limits) *Tracker {
	t := &Tracker{sessions: s}
	t.SetLimits(l)
	return t
}

// SetLimits changes the limits for later calls.
func (t *Tracker) SetLimits(l Limits) { t.limits.Store(&l) }

// Enabled reports whether flows are tracked.
func (t *Tracker) Enabled() bool { return t.limits.Load().Enabled }

// Agent returns the agent of a session. It returns the zero value if the session does not exist or if no call has
// named the agent.
func (t *Tracker) Agent(key string) mcpproxy.SessionAgent {
	s, ok := t.sessions.Peek(t.Session(key))
	if !ok {
		return mcpproxy.SessionAgent{}
	}
	return s.knownAgent()
}

// principalKey returns the key of a principal's bucket, which spans the sessions of the principal.
func principalKey(principal string) string { return PrincipalPrefix + principal }

// PrincipalPrefix is the prefix of the keys of principals' buckets. A bucket is not a session of a client.
const PrincipalPrefix = "principal:"

func isBucket(key string) bool { return strings.HasPrefix(key, PrincipalPrefix) }

// Check returns where the data of a call comes from and where it goes.
func (t *Tracker) Check(p Transfer) Lineage {
	l := t.limits.Load()
	if !l.Enabled {
		return Lineage{}
	}
	q := match.NewQuery(p.Doc, p.secrets(), l.options(p))
	var trace Lineage
	t.with(p.Call.FlowSession, func(s *Session) {
		s.meetAgent(p.Call.Agent)
		s.complain()
		hits := s.contents.FindAgain
		if !p.Call.Announced {
			hits = func(q *match.Query) []match.Hit { return s.contents.Find(q, p.stream()) }
		}
		trace.Edges, trace.Known = s.edges(p, hits(q))
	})
	lost := t.elsewhere(p, q, &trace)
	t.fromStores(p, &trace)
	t.fromKin(p, q, &trace)
	trace.Edges = append(trace.Edges, p.Own...)
	t.with(p.Call.FlowSession, func(s *Session) {
		trace.Edges = append(trace.Edges, s.attached.edges(p)...)
		trace.Destinations = s.directory.destinations(p)
		justified := !l.Justify || p.Call.Intent.Justification != ""
		aim(trace.Edges, trace.Destinations, s.chosen(p, trace.Destinations), justified)
		trace.Edges = s.assume(p, lost, trace.Edges)
		trace.Unexplained = s.unexplained(p, trace.Destinations)
		trace.Seen = s.seenRuns(p)
		if s.searchesErrors(p, trace.Destinations) {
			trace.Edges = asOwn(trace.Edges)
		}
		trace.Edges = asAddresses(p, trace.Edges)
		trace.Edges, trace.Destinations = s.directory.fetched(p, trace.Edges, trace.Destinations)
		trace.Edges = s.concerns.own(p, trace.Destinations, trace.Edges)
		if keys := p.keys(trace.Known, trace.Destinations); s.handed.again(keys) {
			trace.Edges = asKnown(trace.Edges)
		} else if !p.Call.Announced {
			s.handed.offer(p.Call.ID, keys)
		}
		s.asked(p, &trace)
		slices.SortStableFunc(trace.Edges, func(a, b mcpproxy.Edge) int { return b.Risk.Rank() - a.Risk.Rank() })
		trace.Owners = t.ownersOf(s, p, trace.Known)
		trace.OfSecrets = s.spoken.speaks
		trace.Page = s.pages.shown(p)
		trace.Legs, trace.Sends = s.legs, p.sends(trace.Edges)
		if !p.Call.Announced {
			s.remember(p.Call, trace)
		}
	})
	return trace
}

// elsewhere adds edges for secrets that the principal's other sessions have read, and for data from servers that are
// kept apart from the call's server. It returns the loss of these sessions.
func (t *Tracker) elsewhere(p Transfer, q *match.Query, trace *Lineage) *Loss {
	bucket, ok := t.sessions.Peek(principalKey(p.Call.Principal))
	if !ok {
		return nil
	}
	bucket.lock()
	defer bucket.mu.Unlock()
	bucket.version++
	hits := bucket.contents.FindSecrets(q) // this also records that they were sent
	if !hasSensitive(trace.Edges) {
		edges, known := bucket.edges(p, hits)
		trace.Edges, trace.Known = append(trace.Edges, edges...), append(trace.Known, known...)
	}
	if p.Walled != nil {
		edges, _ := bucket.edges(p, bucket.contents.FindAgain(q))
		trace.Edges = append(trace.Edges, slices.DeleteFunc(edges, func(e mcpproxy.Edge) bool {
			return !p.Walled(e.From.Server) ||
				slices.ContainsFunc(
					trace.Edges,
					func(own mcpproxy.Edge) bool { return own.From.CallID == e.From.CallID },
				)
		})...)
	}
	return bucket.loss
}

// fromStores adds to trace.Known the values from secret stores that a call contains as separate words and that the
// index did not recognise.
func (t *Tracker) fromStores(p Transfer, trace *Lineage) {
	var all stored
	if bucket, ok := t.sessions.Peek(principalKey(p.Call.Principal)); ok {
		bucket.lock()
		all = slices.Clone(bucket.stored)
		bucket.mu.Unlock()
	}
	if len(all) == 0 {
		return
	}
	var found []Secret
	t.with(p.Call.FlowSession, func(s *Session) { found = all.in(p.Doc, s.passages.Holds) })
	for _, f := range found {
		known := func(k Secret) bool { return strings.Contains(k.Value, f.Value) }
		if !slices.ContainsFunc(trace.Known, known) && !slices.ContainsFunc(p.Secrets, known) {
			trace.Known = append(trace.Known, f)
		}
	}
}

func hasSensitive(edges []mcpproxy.Edge) bool {
	return slices.ContainsFunc(edges, func(e mcpproxy.Edge) bool { return len(e.Sensitive) > 0 })
}

// stream returns the name of the stream to which the arguments of a call belong. Successive calls of one tool belong
// to the same stream, and so do all reads of resources of one server.
func (p Transfer) stream() string {
	tool := p.Call.Tool
	if p.Call.Kind == mcpproxy.KindResource {
		tool = "resources/read"
	}
	return p.Call.Server + "\x00" + tool + "\x00" + p.Doc.Path(text.Part{})
}

func (p Transfer) secrets() []match.Secret {
	out := make([]match.Secret, len(p.Secrets))
	for i, s := range p.Secrets {
		out[i] = match.Secret{Value: s.Value, Category: s.Category, Part: s.Part}
	}
	return out
}

// Record stores the result of a call as an origin. The caller must call the returned function once to index the
// result. If another goroutine opens the session earlier, it indexes the result instead, so that every later check
// sees it.
func (t *Tracker) Record(p Transfer) (index func()) {
	l := t.limits.Load()
	if !l.Enabled {
		return func() {}
	}
	if len(p.Doc.Parts) == 0 { // an empty result is not an origin
		if p.credentials() {
			t.with(p.Call.FlowSession, func(s *Session) { begin(&s.legs.Sensitive, p.Call) })
		}
		return func() {}
	}
	o := &mcpproxy.Origin{
		CallID:    p.Call.ID,
		Server:    p.Call.Server,
		Tool:      p.Call.Tool,
		Side:      p.Class.Side,
		Untrusted: p.Class.ReturnsUntrusted,
		Injected:  p.Injected,
		Dictated:  p.Dictated,
		Time:      time.Now(),

		Confidential: p.Class.Side != mcpproxy.External && confidential(p),
	}
	for _, s := range p.Secrets {
		if !s.Guessed && !slices.Contains(o.Sensitive, s.Category) {
			o.Sensitive = append(o.Sensitive, s.Category)
		}
	}
	source := match.Source{
		Origin:    p.stream(),
		Arguments: p.Call.Arguments,
		Public:    p.Class.Side == mcpproxy.External,
		Secrets:   p.secrets(),
	}
	whole := func(s *Session) func(match.Source) bool {
		return func(of match.Source) bool { return s.contents.Add(p.Doc, l.options(p), of) }
	}
	t.owners.meet(p)
	p.Doc.Views() // computed here, so that two goroutines never compute it at once
	if secret := len(p.Secrets) > 0 && p.Class.Side != mcpproxy.External; secret || p.Walled != nil {
		t.with(principalKey(p.Call.Principal), func(bucket *Session) {
			add := bucket.contents.AddSecrets
			if p.Walled != nil {
				add = whole(bucket)
			}
			bucket.stored.keep(p.Secrets)
			bucket.keep(o, source, l, add)
		})
	}
	if p.private() {
		t.kin.note(p.Call.Principal, p.Call.FlowSession)
	}
	s := t.open(p.Call.FlowSession) // indexes the pending result
	s.pending = func() {
		s.received(p)
		s.directory.learn(p, o)
		s.carriers.learn(p.Doc)
		s.made.learn(p)
		s.concerns.learn(p)
		s.handed.answered(p.Call.ID)
		s.pages.learn(p)
		s.troubles.learn(p.Doc)
		s.passages.Read(p.Doc, o, p.Act != nil && s.passages.Pointed(*p.Act))
		of := source
		s.again(p, l, &of)
		s.attached.learn(p, document{o, s.next}) // the number that it gets now
		s.keep(o, of, l, whole(s))
	}
	s.mu.Unlock()
	return func() {
		s.lock()
		t.close(s)
	}
}

// keep adds an origin and its content.
func (s *Session) keep(o *mcpproxy.Origin, source match.Source, l *Limits, add func(match.Source) bool) {
	source.ID = s.add(o)
	if !add(source) { // the index has no free number for another source
		s.bound(len(s.origins)/2, l.sessionBytes())
		add(source)
	}
	s.bound(l.MaxOrigins, l.sessionBytes())
}

// asked determines whether the user asked for a call, and which passage of a result the call was copied from.
func (s *Session) asked(p Transfer, trace *Lineage) {
	if p.Act == nil {
		return
	}
	trace.Request = s.request
	act := *p.Act
	if trace.Undoes = s.made.holds(p); trace.Undoes {
		act.Effect = mcpproxy.EffectChange
	}
	if trace.Opens = s.passages.Opens(act); trace.Opens {
		act.Effect = mcpproxy.EffectGrant
	}
	trace.Wish = s.request.Wants(act.Effect, slices.Concat(act.Words, act.Runs))
	if trace.Wish == mcpproxy.WishUnknown && !s.request.Forbids() && s.passages.Calls(act.Words) {
		trace.Wish = mcpproxy.WishYes // as in "award it", whose verb is not in the word lists
	}
	if p.Call.Server != "" && s.request.Calls(act.Effect, act.Words) {
		trace.Wish = mcpproxy.WishYes
	}
	for _, v := range p.Secrets {
		if s.passages.Holds(v.Value) {
			trace.Said = append(trace.Said, v.Value)
		}
	}
	if found, ok := s.passages.Find(act); ok || found.Words > 0 {
		trace.Spelled = &found
	}
	s.passages.Written(p.Doc)
}
