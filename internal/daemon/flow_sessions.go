package daemon

import (
	"context"
	"strings"
	"time"

	"mcpproxy"
	"mcpproxy/internal/config"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/state/memory"
)

// flowSessions are the sessions in which data is followed, with their snapshot on disk. It
// ends those that nobody uses, and marks those of which a crash has lost something.
type flowSessions struct {
	sessions *memory.Store[*flow.Session]
	tracker  *flow.Tracker
	links    *flow.Correlator // between hooks and calls over MCP
	state    *flowState
	shared   bool // the sessions go on in other replicas

	store  ledger.Guarded       // of the activity log, which knows what was read since the snapshot
	log    *monitor             // hears what sessions came to, and what is lost
	forget func(session string) // hears of every session that ends
}

// newFlowSessions returns the sessions of a data folder. [flowSessions.resume] takes up those
// of the last run.
func newFlowSessions(c *config.Config, store ledger.Guarded, log *monitor, forget func(session string)) *flowSessions {
	f := &flowSessions{store: store, log: log, forget: forget}
	f.sessions = memory.New(sessionIdle(c), func(string) *flow.Session { return flow.NewSession() }, f.ended)
	f.tracker = flow.New(f.sessions, FlowLimits(c))
	f.links = flow.NewCorrelator(f.tracker, correlationLife(c))
	f.shared = c.State.Shared()
	f.state = newFlowState(c.DataDir, f.tracker, f.lastRecord)
	if f.shared {
		f.state.key = nil // the store has the sessions
	}
	return f
}

// configure follows a changed configuration.
func (f *flowSessions) configure(c *config.Config) {
	f.tracker.SetLimits(FlowLimits(c))
	f.links.SetLife(correlationLife(c))
}

// resume takes up the sessions of the last run. Those that nobody has used for
// too long have ended meanwhile. It reports what was lost of the others.
func (f *flowSessions) resume(idle time.Duration) {
	loaded, err := f.state.load()
	for key, s := range f.sessions.All() {
		if time.Since(s.Summary().Last) >= idle {
			f.sessions.End(key)
		}
	}
	f.findLost(loaded, err, idle)
}

// summarized reports whether the log has the summary of a session already: it
// ended just before a crash, and the file did not hear of it any more.
func (f *flowSessions) summarized(key string, last time.Time) bool {
	n, err := f.store.Count(
		context.Background(),
		ledger.Filter{Types: []mcpproxy.RecordType{mcpproxy.RecordFlowSummary}, Session: key, Start: last},
	)
	return err == nil && n > 0
}

// ended writes what a flow session came to.
func (f *flowSessions) ended(key string, s *flow.Session) {
	f.forget(key)
	sum, report := f.tracker.Ended(key, s)
	if !report || f.summarized(key, sum.Last) {
		return
	}
	r := SystemRecord(mcpproxy.RecordFlowSummary, "", map[string]any{"summary": sum})
	r.FlowSessionID = key
	r.Metadata.Agent = sum.Agent
	for level := range sum.Risk {
		if level.Rank() > r.RiskLevel.Rank() {
			r.RiskLevel = level
		}
	}
	if sum.FlowType[mcpproxy.InternalToExternal] > 0 {
		r.FlowType = mcpproxy.InternalToExternal
	}
	if strings.HasPrefix(key, flow.HookPrefix) {
		r.CoverageMode = mcpproxy.CoverageFull
		r.SessionID = strings.TrimPrefix(key, flow.HookPrefix) // by which the agent's evaluations are found
	}
	f.log.Add(r)
	f.log.events.Publish("activity.flow_summary.completed", map[string]any{"session": key, "summary": sum})
}

// close is the end of the daemon for the flow sessions: they go on after
// a restart. Where they cannot be saved they end here.
func (f *flowSessions) close() {
	f.sessions.Close()
	if f.shared || f.state.close() {
		return
	}
	for key := range f.sessions.All() {
		f.sessions.End(key)
	}
}

// FlowLimits is what configuration means to the flow tracker.
func FlowLimits(c *config.Config) flow.Limits {
	f := c.Security.FlowTracking
	return flow.Limits{
		Enabled:    f.Enabled,
		MaxOrigins: f.MaxOriginsPerSession,
		MinLength:  f.HashMinLength,
		MaxBytes:   f.MaxResponseHashBytes,
		Justify:    c.Security.FlowPolicy.RequireJustification,
	}
}

// correlationLife is how long equal arguments link a hook to an MCP call.
func correlationLife(c *config.Config) time.Duration {
	return time.Duration(c.Security.Hooks.CorrelationTTLSeconds) * time.Second
}

// sessionIdle is how long a flow session may be unused.
func sessionIdle(c *config.Config) time.Duration {
	return time.Duration(c.Security.FlowTracking.SessionTimeoutMinutes) * time.Minute
}
