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
	"mcpproxy/internal/gate/inspect"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/home"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/risk"
	"mcpproxy/internal/selfguard"
)

// Settings are the parts of configuration that decide; they change on reload.
type Settings struct {
	Classifier      classify.Classifier
	Tables          policy.Tables
	Detector        *detect.Detector    // nil when security.pii_detection.enabled is false
	Content         ContentMode         // security.content_scan.results
	ContentFixed    bool                // the bundle of a managed machine says Content: no rule for a tool changes it
	MaxResponseSize int                 // bytes of a result that are kept in the log
	Kill            bool                // security.kill_switch: every call is denied
	Limits          risk.Limits         // security.exfiltration
	Quiet           bool                // security.alerts.exfiltration_detection is false
	RawErrors       bool                // security.error_redaction is off: agents read errors as servers write them
	Home            *home.Home          // the user's own organisation; [Gate.UseHome] changes it alone
	Protected       selfguard.Protected // what belongs to this firewall, which agents must not touch

	// LogFailure returns why every call is denied because the activity log cannot be
	// written; nil while calls go on. It may be nil.
	LogFailure func() error

	// Quarantine is told of a tool whose server lied about it, once the call is
	// stopped and on disk. It must not block, and may be nil.
	Quarantine func(server, tool, reason string)
	// Desk asks people about calls; nil when there is nobody to ask.
	Desk Desk
	// Version identifies the configuration that decides: an approval holds for one.
	Version string
	// Held says why what a call uses is not trusted by anybody; "" when it is. It
	// may be nil.
	Held func(*mcpproxy.Call) string
	// Scope says why a call that does op is outside what its principal may use; ""
	// when it is not. It may be nil.
	Scope func(c *mcpproxy.Call, op mcpproxy.Operation) string
	// Operation reports whether a principal with these grants may make any calls that do
	// op. It may be nil.
	Operation func(principal string, grants []string, op mcpproxy.Operation) bool

	// Delivered is told of each result of a server's tool that goes to its agent. It may be
	// nil.
	Delivered func(*mcpproxy.Call, *mcpproxy.Result)

	inspector *inspect.Inspector // by these settings; [Gate.Configure] makes it
}

// Gate takes calls from agents to tools.
type Gate struct {
	tracker  *flow.Tracker
	journal  *journal.Journal
	settings atomic.Pointer[Settings]
	budget   budget
	watch    *risk.Watch
	agents   shownAgents
	// surprised says that a call was let go that should have been stopped.
	surprised atomic.Bool
}

// New returns a gate. It writes records to l. Publish receives events and must not block;
// it may be nil.
func New(t *flow.Tracker, l journal.Log, publish func(journal.Event), s Settings) *Gate {
	g := &Gate{
		tracker: t,
		journal: journal.New(l, publish),
		budget:  newBudget(),
		watch:   risk.NewWatch(),
	}
	g.Configure(s)
	return g
}

// Configure changes how the calls to come are decided.
func (g *Gate) Configure(s Settings) {
	s.inspector = inspect.New(inspect.Settings{
		Classifier: s.Classifier,
		Detector:   s.Detector,
		Tables:     s.Tables,
		Guard:      selfguard.New(s.Protected),
		Home:       s.Home,
	}, g.tracker)
	g.settings.Store(&s)
	g.surprised.Store(false)
}

// UseHome changes what counts as home for the calls to come.
func (g *Gate) UseHome(h *home.Home) {
	for {
		old := g.settings.Load()
		s := *old
		s.Home = h
		s.inspector = old.inspector.WithHome(h)
		if g.settings.CompareAndSwap(old, &s) {
			return
		}
	}
}

// Classify is where a tool of a server stands.
func (g *Gate) Classify(server, tool string, def *mcpproxy.Tool) (mcpproxy.Class, mcpproxy.Operation) {
	return g.settings.Load().inspector.Class(server, tool, def)
}

// Decided is a call about which [Gate.Decide] has ruled.
type Decided struct {
	Call    *mcpproxy.Call
	Verdict mcpproxy.Verdict

	request  Request
	settings *Settings
	seen     *inspect.Inspection // what was found out about the call
	kept     *inspect.Kept       // what is kept of that when the call's text is not; nil while seen is there
	spent    time.Duration       // on inspecting the call and ruling about it
	ruled    *mcpproxy.Ruled     // what the policy says; nil for a call that was not asked about
	endpoint string              // the suspicious endpoint that the call is stopped for
	flagged  bool                // its risk score is to be reviewed

	boundary *mcpproxy.Boundary // what an answer holds for; nil where nobody was to be asked

	unasked mcpproxy.Decision // what becomes of an ask where there is nobody to ask

	refused  bool // a person was to be asked, and did not agree
	observed bool // the agent has made the call already: nothing can be withheld
}

// Facts are what was known about the call when it was decided.
func (d *Decided) Facts() mcpproxy.Facts { return d.seen.Facts().Facts }

// size returns the number of bytes of a call that are inspected.
func (d *Decided) size() int { return len(d.Call.Arguments) + len(d.Call.Extra) }

// Stopped reports whether the call must not be sent.
func (d *Decided) Stopped() bool { return d.Verdict.Decision.Stops() }

// entry is what the journal writes down of the call.
func (d *Decided) entry() journal.Entry {
	return journal.Entry{
		Seen:        d.seen,
		Verdict:     d.Verdict,
		Ruled:       d.ruled,
		Boundary:    d.boundary,
		Endpoint:    d.endpoint,
		Flagged:     d.flagged,
		Refused:     d.refused,
		Spent:       d.spent,
		MaxResponse: d.settings.MaxResponseSize,
	}
}

// sendable is the call as it may be sent.
func (g *Gate) sendable(d *Decided) *mcpproxy.Call {
	if d.Verdict.Decision != mcpproxy.Redact {
		return d.Call
	}
	return g.journal.Redacted(d.seen)
}

// Forward takes one call through the gate to its tool: it decides, sends unless the call
// is stopped, and looks at what came back. Send gets the call as it may be sent: where
// values were redacted, that is a copy with other arguments. The result is nil when the
// verdict stops the call or withholds its answer.
func (g *Gate) Forward(
	ctx context.Context,
	r Request,
	send func(context.Context, *mcpproxy.Call) *mcpproxy.Result,
) (*mcpproxy.Result, mcpproxy.Verdict) {
	d := g.Decide(ctx, r)
	if d.Stopped() {
		return nil, d.Verdict
	}
	start := time.Now()
	result := send(ctx, g.sendable(d))
	result.Duration = time.Since(start)
	verdict := g.Deliver(ctx, d, result)
	if verdict.Decision.Stops() {
		return nil, verdict
	}
	return result, verdict
}

// NewID returns an activity id: a ULID, ordered by time.
func NewID() string { return ulid.Make().String() }
