package daemon

import (
	"context"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/config"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/home"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/policy/rules"
	"mcpproxy/internal/telemetry/metrics"
	"mcpproxy/internal/text"
)

// partRig is an environment for building single parts without a daemon. Each test adds the parts that it needs.
type partRig struct {
	t      *testing.T
	config *config.Config
	events *api.Events
	log    *activityLog
}

// newPartRig opens the log of a new data folder.
func newPartRig(t *testing.T) *partRig {
	t.Helper()
	r := &partRig{t: t, config: config.Default(), events: api.NewEvents()}
	r.config.DataDir = t.TempDir()
	r.config.EnableSocket = false
	var err error
	if r.log, err = openLog(t.Context(), r.config, r.now, r.events, metrics.Known{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.log.close)
	return r
}

// now returns the configuration. No test changes it while parts run.
func (r *partRig) now() *config.Config { return r.config }

// records waits until the log has n records of a type, and returns them, oldest first.
func (r *partRig) records(kind mcpproxy.RecordType, n int) (all []*mcpproxy.Record) {
	r.t.Helper()
	q := ledger.Filter{Types: []mcpproxy.RecordType{kind}, OldestFirst: true}
	eventually.True(r.t, "the records", func() bool {
		all = nil
		err := r.log.store.Scan(r.t.Context(), q, func(one *mcpproxy.Record) error {
			all = append(all, one)
			return nil
		})
		return err == nil && len(all) == n
	})
	return all
}

// servers opens the servers. Changed is called when the tools for agents have changed.
func (r *partRig) servers(changed func()) *upstreams {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	u, err := openUpstreams(ctx, r.config, upstreamDeps{
		log:          r.log,
		events:       r.events,
		secrets:      func(*text.Document) ([]mcpproxy.Signal, error) { return nil, nil },
		mask:         func(s string) string { return s },
		shown:        func(s string) string { return s },
		address:      func() string { return "127.0.0.1:8377" },
		toolsChanged: changed,
		declared:     func(string) {},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { cancel(); u.manager.Close(context.Background()) })
	return u
}

// callers opens the tokens. Expel may be nil if the test revokes no token.
func (r *partRig) callers(expel func(string)) *callers {
	r.t.Helper()
	k, err := openCallers(r.config, func() string { return "owners-key" }, r.log.monitor, expel)
	if err != nil {
		r.t.Fatal(err)
	}
	return k
}

// approvals opens the open questions and the permanent answers.
func (r *partRig) approvals() *approvals {
	r.t.Helper()
	a, err := openApprovals(r.config, r.log.monitor, r.events)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(a.desk.Close)
	return a
}

// gateManager builds a gate with everything that it needs.
func (r *partRig) gateManager() *gateManager {
	r.t.Helper()
	flows := newFlowSessions(r.config, r.log.store, r.log.monitor, func(string) {})
	r.t.Cleanup(flows.close)
	h, err := openHome(r.config, func(*home.Home) {}, r.log.monitor.record, r.events)
	if err != nil {
		r.t.Fatal(err)
	}
	return newGateManager("", &loaded{config: r.config, rules: &rules.Set{}, company: &rules.Set{}}, gateParts{
		tracker:   flows.tracker,
		log:       r.log.monitor,
		events:    r.events,
		approvals: r.approvals(),
		servers:   r.servers(func() {}),
		home:      h,
		callers:   r.callers(nil),
	})
}
