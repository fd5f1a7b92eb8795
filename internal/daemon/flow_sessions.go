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

// flowSessions holds the sessions in which data is tracked, with their snapshot on disk. It ends
// idle sessions, and marks sessions whose data was lost in a crash.
type flowSessions struct {
	sessions *memory.Store[*flow.Session]
	tracker  *flow.Tracker
	links    *flow.Correlator // between hooks and calls over MCP
	state    *flowState
	shared   bool // other replicas continue the sessions

	store  ledger.Guarded       // the activity log, which knows the results since the snapshot
	log    *monitor             // receives session summaries and losses
	forget func(session string) // called for every session that ends
}

// newFlowSessions returns the sessions of a data folder. [flowSessions.resume] restores those of
// the last run.
func newFlowSessions(c *config.Config, store ledger.Guarded, log *monitor, forget func(session string)) *flowSessions {
	f := &flowSessions{store: store, log: log, forget: forget}
	f.sessions = memory.New(sessionIdle(c), func(string) *flow.Session { return flow.NewSession() }, f.ended)
	f.tracker = flow.New(f.sessions, FlowLimits(c))
	f.links = flow.NewCorrelator(f.tracker, correlationLife(c))
	f.shared = c.State.Shared()
	f.state = newFlowState(c.DataDir, f.tracker, f.lastRecord)
	if f.shared {
		f.state.key = nil // the shared store holds the sessions
	}
	return f
}

// configure applies a changed configuration.
func (f *flowSessions) configure(c *config.Config) {
	f.tracker.SetLimits(FlowLimits(c))
	f.links.SetLife(correlationLife(c))
}

// resume restores the sessions of the last run, except those that have timed out meanwhile. It
// reports what was lost.
func (f *flowSessions) resume(idle time.Duration) {
	loaded, err := f.state.load()
	for key, s := range f.sessions.All() {
		if time.Since(s.Summary().Last) >= idle {
			f.sessions.End(key)
		}
	}
	f.findLost(loaded, err, idle)
}

// summarized reports whether the log already contains the session's summary. This is the case if
// the session ended shortly before a crash, after the last snapshot.
func (f *flowSessions) summarized(key string, last time.Time) bool {
	n, err := f.store.Count(
		context.Background(),
		ledger.Filter{Types: []mcpproxy.RecordType{mcpproxy.RecordFlowSummary}, Session: key, Start: last},
	)
	return err == nil && n > 0
}

// ended records the summary of a flow session.
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
		r.SessionID = strings.TrimPrefix(key, flow.HookPrefix) // the id by which the agent's evaluations are found
	}
	f.log.Add(r)
	f.log.events.Publish("activity.flow_summary.completed", map[string]any{"session": key, "summary": sum})
}

// close saves the flow sessions, which continue after a restart. If saving fails, the sessions end.
func (f *flowSessions) close() {
	f.sessions.Close()
	if f.shared || f.state.close() {
		return
	}
	for key := range f.sessions.All() {
		f.sessions.End(key)
	}
}

// FlowLimits returns the settings of the flow tracker.
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

// correlationLife returns how long equal arguments link a hook to an MCP call.
func correlationLife(c *config.Config) time.Duration {
	return time.Duration(c.Security.Hooks.CorrelationTTLSeconds) * time.Second
}

// sessionIdle returns the idle timeout of a flow session.
func sessionIdle(c *config.Config) time.Duration {
	return time.Duration(c.Security.FlowTracking.SessionTimeoutMinutes) * time.Minute
}
