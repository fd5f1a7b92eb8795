package gate

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/oklog/ulid/v2"

	"mcpproxy"
	"mcpproxy/internal/atrest"
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

// Settings are the parts of the configuration that decide about calls. They are replaced when the configuration is
// reloaded.
type Settings struct {
	Classifier      classify.Classifier
	Tables          policy.Tables
	Detector        *detect.Detector    // nil if security.pii_detection.enabled is false
	Content         ContentMode         // security.content_scan.results
	ContentFixed    bool                // a managed machine's bundle sets Content: rules for tools do not change it
	MaxResponseSize int                 // bytes of a result that are kept in the log
	AtRest          *atrest.Sealer      // masks personal data in records; nil if records show it
	Kill            bool                // security.kill_switch: every call is denied
	Limits          risk.Limits         // security.exfiltration
	Quiet           bool                // security.alerts.exfiltration_detection is false
	RawErrors       bool                // security.error_redaction is off: agents get errors as servers write them
	Home            *home.Home          // the user's own organisation; [Gate.UseHome] replaces it separately
	Protected       selfguard.Protected // files and addresses of mcpproxy itself, which agents must not touch

	// LogFailure returns why every call is denied while the activity log cannot be written; nil if calls are not
	// denied for that. It may be nil.
	LogFailure func() error

	// Quarantine is called with a tool about which its server made a false claim, once the call is stopped and the
	// record is on disk. It must not block, and may be nil.
	Quarantine func(server, tool, reason string)
	// Desk asks people about calls; nil if nobody can be asked.
	Desk Desk
	// Version identifies the configuration. An approval holds for one version.
	Version string
	// Held says why the tool of a call has not been approved; "" if it has been. It may be nil.
	Held func(*mcpproxy.Call) string
	// Scope says why a call with the operation op is outside the scope of its principal; "" if it is within. It may
	// be nil.
	Scope func(c *mcpproxy.Call, op mcpproxy.Operation) string
	// Operation reports whether a principal with these grants may make any call with the operation op. It may be nil.
	Operation func(principal string, grants []string, op mcpproxy.Operation) bool

	// Delivered is called with each result of a server's tool that is delivered to its agent. It may be nil.
	Delivered func(*mcpproxy.Call, *mcpproxy.Result)

	inspector *inspect.Inspector // for these settings; [Gate.Configure] creates it
}

// Gate decides about the calls of agents to tools and about their results.
type Gate struct {
	tracker  *flow.Tracker
	journal  *journal.Journal
	settings atomic.Pointer[Settings]
	budget   budget
	watch    *risk.Watch
	agents   shownAgents
	// surprised says that Preview released a call that should have been stopped.
	surprised atomic.Bool
}

// New returns a gate that writes records to l. publish receives events and must not block; it may be nil.
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

// Configure replaces the settings for later calls.
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

// UseHome replaces the user's home for later calls.
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

// Classify returns the class of a server's tool, and its operation as far as it is known without arguments.
func (g *Gate) Classify(server, tool string, def *mcpproxy.Tool) (mcpproxy.Class, mcpproxy.Operation) {
	return g.settings.Load().inspector.Class(server, tool, def)
}

// Decided is a call about which [Gate.Decide] has decided.
type Decided struct {
	Call    *mcpproxy.Call
	Verdict mcpproxy.Verdict

	request  Request
	settings *Settings
	seen     *inspect.Inspection // the facts about the call
	kept     *inspect.Kept       // the part of seen that is kept without the call's text; nil as long as seen is set
	spent    time.Duration       // time for inspecting the call and deciding about it
	ruled    *mcpproxy.Ruled     // the policy's ruling; nil if the policy was not consulted
	endpoint string              // the suspicious endpoint for which the call is stopped
	flagged  bool                // its risk score requires a review

	boundary *mcpproxy.Boundary // what an answer covers; nil if nobody is asked

	unasked mcpproxy.Decision // the decision instead of an ask if nobody can be asked

	refused  bool // a person was asked and did not approve
	observed bool // the agent has already made the call: nothing can be withheld
}

// Facts returns the facts about the call at the time of the decision.
func (d *Decided) Facts() mcpproxy.Facts { return d.seen.Facts().Facts }

// size returns the number of bytes of the call that are inspected.
func (d *Decided) size() int { return len(d.Call.Arguments) + len(d.Call.Extra) }

// Stopped reports whether the call must not be sent.
func (d *Decided) Stopped() bool { return d.Verdict.Decision.Stops() }

// entry returns what the journal records about the call.
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
		AtRest:      d.settings.AtRest,
	}
}

// sendable returns the call in the form in which it may be sent.
func (g *Gate) sendable(d *Decided) *mcpproxy.Call {
	if d.Verdict.Decision != mcpproxy.Redact {
		return d.Call
	}
	return g.journal.Redacted(d.seen)
}

// Forward decides about one call, sends it unless it is stopped, and inspects the result. send gets the call in the
// form in which it may be sent: if values were redacted, that is a copy with other arguments. The result is nil if
// the verdict stops the call or withholds its result.
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
