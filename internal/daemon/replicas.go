package daemon

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon/intake"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/gateway"
	"mcpproxy/internal/replica"
	"mcpproxy/internal/state/valkey"
)

// minShared is the minimum time that the shared store keeps an idle principal.
const minShared = 30 * time.Minute

// replicas are the other gateways that share the state with this one. A nil *replicas means a
// single gateway.
type replicas struct {
	group *replica.Group
	kill  *killSwitch
	log   *monitor

	mu   sync.Mutex
	turn uint64 // last change of the shared kill switch that this replica has copied
}

// newReplicas returns this replica's membership in a group, or nil if the state is not shared.
func newReplicas(
	c *config.Config,
	tracker *flow.Tracker,
	kill *killSwitch,
	log *monitor,
	key func() string,
	asked *approvals,
	in *intake.Intake,
) (*replicas, error) {
	if !c.State.Shared() {
		return nil, forgetDecisions(c.DataDir)
	}
	store, err := valkey.New(valkey.Options{
		URL:     c.State.Store,
		Key:     c.State.Key,
		Address: strings.TrimSuffix(c.State.Advertise, "/"),
		Idle:    max(2*sessionIdle(c), minShared),
	})
	if err != nil {
		return nil, err
	}
	decided, err := shareDecisions(c.DataDir, store, asked.always, in)
	if err != nil {
		return nil, err
	}
	r := &replicas{kill: kill, log: log}
	r.group = replica.New(store, tracker, replica.Options{
		Local:   c.State.OnOutage == "local",
		Key:     key,
		Kill:    r.follow,
		Gap:     r.incomplete,
		Decided: decided.board.Sync,
		Answers: asked.desk,
	})
	kill.share = r.group.SetKill
	return r, nil
}

// keep runs this replica's membership until ctx ends.
func (r *replicas) keep(ctx context.Context) {
	if r != nil {
		r.group.Keep(ctx)
	}
}

// close leaves the group.
func (r *replicas) close() {
	if r != nil {
		r.group.Close()
	}
}

// router chooses the replica for each request, or is nil for a single gateway.
func (r *replicas) router() gateway.Router {
	if r == nil {
		return nil
	}
	return r.group
}

// facts returns the state of a store that is unavailable, or nil.
func (r *replicas) facts() *api.StateFailure {
	if r == nil {
		return nil
	}
	f := r.group.Fault()
	if f == nil {
		return nil
	}
	return &api.StateFailure{
		Since:  f.Since.UTC(),
		Error:  f.Error(),
		Denies: !f.Local,
	}
}

// follow copies a change of the kill switch by another replica.
func (r *replicas) follow(k valkey.Kill) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if k.Turn == r.turn || k.Turn == 0 {
		return
	}
	found := r.turn == 0 && !k.On // it was off at the start; this replica's own file takes precedence
	if r.turn = k.Turn; found {
		return
	}
	if err := r.kill.follow(k.On, k.By); err != nil {
		slog.Error("cannot save the change of the kill switch that another replica made", "error", err)
	}
}

// incomplete records that it is not fully known what the sessions of a principal have read.
func (r *replicas) incomplete(until time.Time) {
	record := SystemRecord(mcpproxy.RecordGap, "", map[string]any{
		"reason": "flow_state_lost",
		"until":  until.UTC(),
	})
	record.Status = mcpproxy.StatusError
	record.RiskLevel = mcpproxy.RiskHigh
	record.Rule = "flow_state_lost"
	record.Metadata.Reason = "Part of the record of what a caller's sessions had read was lost, because the shared state store " +
		"was unavailable or has lost it. Their calls to external destinations are treated as if they carried internal data."
	r.log.Add(record)
}

// alone are the paths of hooks and of scripts over REST. They are closed if the state is shared,
// because the other replicas would not know what the hooks and scripts have read.
var alone = []string{"/api/v1/hooks/evaluate", "/api/v1/code/run"}

// guard refuses requests to the paths in alone.
func (r *replicas) guard(next http.Handler) http.Handler {
	if r == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		for _, path := range alone {
			if strings.TrimSuffix(q.URL.Path, "/") == path {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusConflict)
				_, _ = w.Write([]byte(`{"success":false,"error":"replicas that share their state (state.store) support neither hooks nor ` +
					`scripts over REST: run another mcpproxy on the agent's own machine for these"}`))
				return
			}
		}
		next.ServeHTTP(w, q)
	})
}
