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
	"mcpproxy/internal/flow"
	"mcpproxy/internal/gateway"
	"mcpproxy/internal/replica"
	"mcpproxy/internal/state/valkey"
)

// minShared is the shortest time that the shared store keeps a principal which nobody uses.
const minShared = 30 * time.Minute

// replicas are the other gateways that share the state with this one. A nil *replicas is a gateway of
// its own.
type replicas struct {
	group *replica.Group
	kill  *killSwitch
	log   *monitor

	mu   sync.Mutex
	turn uint64 // of the shared kill switch, as far as this replica has followed it
}

// newReplicas returns this replica's part in a group; nil where the state is not shared.
func newReplicas(
	c *config.Config,
	tracker *flow.Tracker,
	kill *killSwitch,
	log *monitor,
	key func() string,
) (*replicas, error) {
	if !c.State.Shared() {
		return nil, nil
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
	r := &replicas{kill: kill, log: log}
	r.group = replica.New(store, tracker, replica.Options{
		Local: c.State.OnOutage == "local",
		Key:   key,
		Kill:  r.follow,
		Gap:   r.incomplete,
	})
	kill.share = r.group.SetKill
	return r, nil
}

// keep is this replica's part in the group until ctx ends.
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

// router finds the replica for each request; nil for a gateway of its own.
func (r *replicas) router() gateway.Router {
	if r == nil {
		return nil
	}
	return r.group
}

// facts is what the daemon says about a store that cannot be used; nil while it can.
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

// follow turns the kill switch of this replica as another one has turned it.
func (r *replicas) follow(k valkey.Kill) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if k.Turn == r.turn || k.Turn == 0 {
		return
	}
	found := r.turn == 0 && !k.On // it was off when this replica started: its own file says otherwise, if there is one
	if r.turn = k.Turn; found {
		return
	}
	if err := r.kill.follow(k.On, k.By); err != nil {
		slog.Error("the kill switch was turned on another replica", "error", err)
	}
}

// incomplete records that what a principal's sessions have read is not known in full.
func (r *replicas) incomplete(until time.Time) {
	record := SystemRecord(mcpproxy.RecordGap, "", map[string]any{
		"reason": "flow_state_lost",
		"until":  until.UTC(),
	})
	record.Status = mcpproxy.StatusError
	record.RiskLevel = mcpproxy.RiskHigh
	record.Rule = "flow_state_lost"
	record.Metadata.Reason = "The record of what a caller's sessions had read was lost in part, because the shared state store " +
		"was not there or has forgotten it. Their calls to external destinations are treated as if they carried internal data."
	r.log.Add(record)
}

// alone are the ways to the gate that belong to one machine. Where the state is shared they are closed: what
// they read would be unknown to the other replicas.
var alone = []string{"/api/v1/hooks/evaluate", "/api/v1/code/run"}

// guard closes the ways to the gate that replicas cannot share.
func (r *replicas) guard(next http.Handler) http.Handler {
	if r == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		for _, path := range alone {
			if strings.TrimSuffix(q.URL.Path, "/") == path {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusConflict)
				_, _ = w.Write([]byte(`{"success":false,"error":"replicas that share their state (state.store) take no calls of hooks and ` +
					`no scripts over REST: the agent's own machine needs an mcpproxy of its own for these"}`))
				return
			}
		}
		next.ServeHTTP(w, q)
	})
}
