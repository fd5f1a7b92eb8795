package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"time"

	"mcpproxy"
	"mcpproxy/internal/daemon/intake"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/ledger"
)

// maxLost is the maximum number of sessions that are marked individually. Beyond it, the principals of the remaining
// sessions are marked as a whole.
const maxLost = 10_000

// lostSessions are the sessions of the last run whose recent results are unknown.
type lostSessions struct {
	legs       map[string]mcpproxy.Legs // by session key
	principals map[string]bool          // principals whose secrets are not completely known
	from, to   time.Time                // times of the first and the last missing result
}

// add adds a session and the time of one of its results.
func (l *lostSessions) add(key string, at time.Time) {
	if strings.HasPrefix(key, flow.PrincipalPrefix) {
		l.principals[strings.TrimPrefix(key, flow.PrincipalPrefix)] = true
	} else if _, ok := l.legs[key]; !ok {
		l.legs[key] = mcpproxy.Legs{}
	}
	if l.from.IsZero() || at.Before(l.from) {
		l.from = at
	}
	if at.After(l.to) {
		l.to = at
	}
}

// addRecord adds the session of a record. The record's legs are complete for the session, because
// legs are only ever added. Secrets belong to the principal across all its sessions.
func (l *lostSessions) addRecord(key string, r *mcpproxy.Record) {
	if _, known := l.legs[key]; !known && len(l.legs) >= maxLost {
		l.principals[r.Principal] = true
		return
	}
	l.add(key, ended(r))
	sensitive := r.Metadata.Sensitive != nil && r.Metadata.Sensitive.Detected
	if r.Metadata.Legs != (mcpproxy.Legs{}) {
		l.legs[key] = r.Metadata.Legs
		sensitive = sensitive || r.Metadata.Legs.Sensitive != nil
	}
	if sensitive {
		l.principals[r.Principal] = true
	}
}

// ended returns the time at which a call ended.
func ended(r *mcpproxy.Record) time.Time {
	return r.Timestamp.Add(time.Duration(r.DurationMS * float64(time.Millisecond)))
}

// mayHaveDelivered reports whether a record's call may have delivered a result to the agent.
func mayHaveDelivered(r *mcpproxy.Record) bool {
	if r.Type != mcpproxy.RecordToolCall && r.Type != mcpproxy.RecordHookEvaluation {
		return false
	}
	stopped := r.Status == mcpproxy.StatusBlocked || r.Status == mcpproxy.StatusRejected
	return !stopped && r.FlowSessionID != "" && r.ToolName != ""
}

// findLost marks and reports the sessions with missing results. These are
//   - the sessions in the snapshot that are in an unreadable form,
//   - without a usable snapshot: the sessions in the log within the session timeout,
//   - otherwise: the sessions with results in the log that are newer than the snapshot.
func (f *flowSessions) findLost(loaded flow.Loaded, cause error, idle time.Duration) {
	if !f.tracker.Enabled() {
		return
	}
	lost := &lostSessions{legs: map[string]mcpproxy.Legs{}, principals: map[string]bool{}}
	for _, key := range loaded.Lost {
		if s, ok := f.sessions.Peek(key); ok { // the session has not timed out
			lost.add(key, s.Summary().Last)
		}
	}
	if err := f.eachAfter(loaded, cause, idle, func(r *mcpproxy.Record) {
		lost.addRecord(f.tracker.Session(r.FlowSessionID), r)
	}); err != nil {
		slog.Error("cannot read the sessions of the last run from the activity log", "error", err)
	}
	if len(lost.legs) > 0 || len(lost.principals) > 0 {
		f.markLost(lost, reasonOf(loaded, cause), idle)
	}
}

// eachAfter calls do with every record within the session timeout whose result may be missing from
// the snapshot, oldest first.
func (f *flowSessions) eachAfter(
	loaded flow.Loaded,
	cause error,
	idle time.Duration,
	do func(*mcpproxy.Record),
) error {
	ctx := context.Background()
	q := ledger.Filter{
		Start:       time.Now().Add(-idle),
		OldestFirst: true,
		Brief:       true,
		Own:         true,
	}
	missing := mayHaveDelivered
	if cause == nil {
		_, err := f.store.Get(ctx, loaded.Record)
		if loaded.Record != "" && err == nil {
			q.After, q.Start = loaded.Record, time.Time{}
		} else { // an earlier build wrote the snapshot, or the record was deleted
			missing = func(r *mcpproxy.Record) bool { return mayHaveDelivered(r) && ended(r).After(loaded.Time) }
		}
	}
	return f.store.Scan(ctx, q, func(r *mcpproxy.Record) error {
		if missing(r) && time.Since(ended(r)) < idle {
			do(r)
		}
		return nil
	})
}

// reasonOf returns why results are missing.
func reasonOf(loaded flow.Loaded, cause error) string {
	switch {
	case errors.Is(cause, fs.ErrNotExist):
		return "there is no snapshot of the flow sessions"
	case cause != nil:
		return "the snapshot of the flow sessions cannot be used: " + cause.Error()
	case len(loaded.Lost) > 0:
		return "another version of mcpproxy wrote the snapshot of the flow sessions, in a form that this version cannot read"
	}
	return "mcpproxy ended before it could save its flow sessions"
}

// markLost marks sessions. It reports this in the log, as an event, and on standard error.
func (f *flowSessions) markLost(lost *lostSessions, reason string, idle time.Duration) {
	now := time.Now().UTC()
	r := SystemRecord(mcpproxy.RecordGap, "", map[string]any{
		"reason":     "flow_state_lost",
		"cause":      reason,
		"sessions":   len(lost.legs),
		"principals": len(lost.principals),
		"from":       lost.from.UTC(),
		"to":         lost.to.UTC(),
	})
	r.Status = mcpproxy.StatusError
	r.RiskLevel = mcpproxy.RiskHigh
	r.Rule = "flow_state_lost"
	r.Metadata.Reason = fmt.Sprintf("The record of what %d sessions had read was lost: %s. Until they time out, "+
		"their calls to external destinations are treated as if they carried internal data.", len(lost.legs), reason)
	for key, legs := range lost.legs {
		f.tracker.Lose(key, flow.Loss{Record: r.ID, Time: now}, legs)
	}
	for principal := range lost.principals {
		f.tracker.LosePrincipal(principal, flow.Loss{Record: r.ID, Time: now, Until: now.Add(idle)})
	}
	slog.Warn(
		"the origins of data in some sessions were lost; their calls to external destinations will be asked about",
		"sessions",
		len(lost.legs),
		"reason",
		reason,
		"look",
		"mcpproxy activity list --type gap",
	)
	f.log.Add(r)
	f.log.publishRecord(intake.EventIntegrity, r)
}

// lastRecord returns the id of the last record in the log, or "".
func (f *flowSessions) lastRecord() (id string) {
	q := ledger.Filter{Limit: 1, Brief: true, Own: true}
	err := f.store.Scan(context.Background(), q, func(r *mcpproxy.Record) error {
		id = r.ID
		return nil
	})
	if err != nil {
		slog.Error("the activity log cannot be read", "error", err)
	}
	return id
}
