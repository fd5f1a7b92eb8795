package gate

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/oklog/ulid/v2"

	"mcpproxy"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/risk"
	"mcpproxy/internal/text"
)

// Log keeps records. Append returns when the record is durable; Add may return
// before.
type Log interface {
	Append(ctx context.Context, r *mcpproxy.Record) error
	Add(r *mcpproxy.Record)
}

// Settings are the parts of configuration that decide; they change on reload.
type Settings struct {
	Classifier      classify.Classifier
	Tables          policy.Tables
	Detector        *detect.Detector // nil when security.pii_detection.enabled is false
	Content         ContentMode      // security.content_scan.results
	MaxResponseSize int              // bytes of a result that are kept in the log
	Kill            bool             // security.kill_switch: every call is denied
	Limits          risk.Limits      // security.exfiltration
	Quiet           bool             // security.alerts.exfiltration_detection is false
	RawErrors       bool             // security.error_redaction is off: agents read errors as servers write them
	Own             Own              // what says what agents may do

	// Quarantine is told of a tool whose server lied about it, once the call is
	// stopped and on disk. It must not block, and may be nil.
	Quarantine func(server, tool, reason string)
	// Desk has people asked about calls; nil when there is nobody to ask.
	Desk Desk
	// Version identifies the configuration that decides: an approval holds for one.
	Version string
	// Held says why what a call uses is not trusted by anybody; "" when it is. It
	// may be nil.
	Held func(*mcpproxy.Call) string
	// Scope says why a call that does op is outside what its principal may use; ""
	// when it is not. It may be nil.
	Scope func(c *mcpproxy.Call, op mcpproxy.Operation) string
	// Operation reports whether a principal may make any calls that do op. It may
	// be nil.
	Operation func(principal string, op mcpproxy.Operation) bool

	known *known // what follows from all this; [Gate.Configure] makes it
}

// Gate takes calls from agents to tools.
type Gate struct {
	tracker  *flow.Tracker
	log      Log
	publish  func(Event)
	settings atomic.Pointer[Settings]
	names    placeholders
	watch    *risk.Watch
	// surprised says that a call was let go that should have been stopped.
	surprised atomic.Bool
}

// New returns a gate. Publish receives events and must not block; it may be nil.
func New(t *flow.Tracker, l Log, publish func(Event), s Settings) *Gate {
	if publish == nil {
		publish = func(Event) {}
	}
	g := &Gate{tracker: t, log: l, publish: publish, watch: risk.NewWatch()}
	g.Configure(s)
	return g
}

// Configure changes how the calls to come are decided.
func (g *Gate) Configure(s Settings) {
	s.Own = s.Own.indexed()
	s.known = newKnown(&s.Classifier)
	g.settings.Store(&s)
	g.surprised.Store(false)
}

// Classify is where a tool of a server stands.
func (g *Gate) Classify(server, tool string, def *mcpproxy.Tool) (mcpproxy.Class, mcpproxy.Operation) {
	s := g.settings.Load()
	t := s.known.tool(server, tool, def)
	return t.class, t.Operation(nil)
}

// Pass is a call that has been through Before.
type Pass struct {
	Call    *mcpproxy.Call
	Verdict mcpproxy.Verdict

	settings  *Settings
	ahead     *text.Document // the arguments, where they were read before
	gone      bool           // the call was let go before it was decided
	tool      *tool          // nil for what is no tool of a server
	class     mcpproxy.Class
	operation mcpproxy.Operation
	says      *classify.Arguments // what the arguments of a tool say
	args      reading
	extra     reading
	trace     flow.Trace
	behaviour []mcpproxy.Signal // what is unusual about the call
	outgoing  *risk.Send        // what it counts for, if it leaves
	strings   []string          // every text of the call, for endpoints

	// What command lines in the arguments do by themselves.
	own        []mcpproxy.Edge
	recipients []mcpproxy.Destination
	hosts      []string
	decides    string // a command that changes what agents may do
	reaches    string // what the call changes of this firewall's own

	// contradictions are claims about the call that cannot both be true.
	contradictions []mcpproxy.ContradictionResult
	ruled          *mcpproxy.Ruled // what the policy says; nil for a call that was not asked about
	flagged        bool            // its risk score is to be reviewed

	unasked mcpproxy.Decision // what becomes of an ask where there is nobody to ask

	refused  bool          // a person was to be asked, and did not agree
	redacted bool          // the agent reads less of the error than the log
	spent    time.Duration // on inspecting, not on waiting for anybody

	index func() // keeps what the result said, when there is time; nil for nothing

	known  []detect.Finding // secrets of earlier results that the call carries
	hidden []detect.Finding // secrets of the whole call, to be masked in its record
}

// timed adds what f needs to what was spent on the call.
func (p *Pass) timed(f func()) {
	start := time.Now()
	f()
	p.spent += time.Since(start)
}

// Stopped reports whether the call must not be sent.
func (p *Pass) Stopped() bool { return p.Verdict.Decision.Stops() }

// DoAsking takes one call through the gate: it decides, sends unless the call is
// stopped, and looks at what came back. Send gets the call as it may be sent:
// where values were redacted, that is a copy with other arguments. The result is
// nil when the verdict stops the call or withholds its answer. User is nil where the
// client cannot ask.
func (g *Gate) DoAsking(ctx context.Context, call *mcpproxy.Call, user User, send func(context.Context, *mcpproxy.Call) *mcpproxy.Result) (*mcpproxy.Result, mcpproxy.Verdict) {
	p := g.BeforeAsking(ctx, call, user)
	if p.Stopped() {
		return nil, p.Verdict
	}
	start := time.Now()
	result := send(ctx, g.sendable(p))
	result.Duration = time.Since(start)
	verdict := g.After(ctx, p, result)
	if verdict.Decision.Stops() {
		return nil, verdict
	}
	return result, verdict
}

// NewID returns an activity id: a ULID, ordered by time.
func NewID() string { return ulid.Make().String() }
