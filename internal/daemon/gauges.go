package daemon

import (
	"runtime"
	"slices"
	"time"

	"mcpproxy/internal/telemetry/metrics"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/version"
)

// sample returns one value of a metric.
type sample = func(value float64, labels ...string)

// addGauges adds metrics to a monitor whose values are read on demand.
func addGauges(m *monitor, servers *upstreams, ch *channels, flows *flowSessions) {
	buildGauges(&m.registry)
	servers.gauges(&m.registry)
	ch.gauges(&m.registry)
	flows.gauges(&m.registry)
	m.logGauges()
	m.sending()
	runtimeGauges(&m.registry)
}

// buildGauges adds the version and the start of this daemon.
func buildGauges(r *metrics.Registry) {
	started := time.Now()
	r.Gauge(
		"mcpproxy_build_info",
		"Always 1; the label holds the version.",
		[]string{"version"},
		func(add sample) { add(1, version.String()) },
	)
	r.Gauge(
		"mcpproxy_start_time_seconds",
		"When the daemon was started, in seconds since 1970.",
		nil,
		func(add sample) { add(float64(started.UnixMilli()) / 1000) },
	)
}

// gauges adds the state of the configured servers and of their definitions.
func (u *upstreams) gauges(r *metrics.Registry) {
	r.Gauge(
		"mcpproxy_server_up",
		"Whether a configured server is connected.",
		[]string{"server"},
		u.ofServers(func(s upstream.Status) float64 {
			if s.State == upstream.Ready {
				return 1
			}
			return 0
		}),
	)
	r.Gauge(
		"mcpproxy_server_breaker",
		"The breaker of a server: 0 closed, 1 half open, 2 open.",
		[]string{"server"},
		u.breakers,
	)
	r.Gauge(
		"mcpproxy_server_calls_in_flight",
		"Calls under way.",
		[]string{"server"},
		u.ofServers(func(s upstream.Status) float64 { return float64(s.InFlight) }),
	)
	r.Gauge(
		"mcpproxy_server_calls_queued",
		"Calls that wait for their turn.",
		[]string{"server"},
		u.ofServers(func(s upstream.Status) float64 { return float64(s.Queued) }),
	)
	r.Total(
		"mcpproxy_server_faults_total",
		"Calls and attempts to connect at which a server failed.",
		[]string{"server"},
		u.ofServers(func(s upstream.Status) float64 { return float64(s.Faults) }),
	)
	r.Gauge("mcpproxy_servers", "Configured servers, by state.", []string{"state"}, u.byState)
	r.Gauge(
		"mcpproxy_tools",
		"Tools that agents can find and call.",
		nil,
		func(add sample) { add(float64(len(u.catalog.All()))) },
	)
	r.Gauge(
		"mcpproxy_definitions_held",
		"Definitions that agents do not see: they wait for approval, changed or are blocked.",
		nil,
		func(add sample) { add(float64(u.trust().Count().Held)) },
	)
}

// breakers returns the state of each server's circuit breaker.
func (u *upstreams) breakers(add sample) {
	states := []upstream.BreakerState{upstream.Closed, upstream.HalfOpen, upstream.Open}
	for _, s := range u.manager.All() {
		if st := s.Status(); st.Breaker != "" {
			add(float64(slices.Index(states, st.Breaker)), st.Name)
		}
	}
}

// gauges adds the number of open sessions.
func (ch *channels) gauges(r *metrics.Registry) {
	r.Gauge(
		"mcpproxy_mcp_sessions",
		"Open MCP sessions of revisions that have sessions.",
		nil,
		func(add sample) { add(float64(ch.gateway.SessionCount())) },
	)
}

// gauges adds the number of flow sessions.
func (f *flowSessions) gauges(r *metrics.Registry) {
	r.Gauge("mcpproxy_flow_sessions", "Sessions in which data is followed.", nil, func(add sample) {
		n := 0
		for range f.sessions.All() {
			n++
		}
		add(float64(n))
	})
}

// logGauges adds metrics of the activity log and of the event subscribers.
func (m *monitor) logGauges() {
	r := &m.registry
	r.Gauge(
		"mcpproxy_log_queue",
		"Records that wait to be written.",
		nil,
		func(add sample) { add(float64(m.ledger.Waiting())) },
	)
	r.Total(
		"mcpproxy_log_failures_total",
		"Records that could not be written to the activity log.",
		nil,
		func(add sample) { add(float64(m.ledger.Lost())) },
	)
	r.Gauge(
		"mcpproxy_event_readers",
		"Open streams of /events.",
		nil,
		func(add sample) { n, _ := m.events.Readers(); add(float64(n)) },
	)
	r.Total("mcpproxy_event_readers_dropped_total", "Streams that were ended because they were read too slowly.", nil,
		func(add sample) { _, n := m.events.Readers(); add(float64(n)) })
}

// runtimeGauges adds metrics of the Go runtime.
func runtimeGauges(r *metrics.Registry) {
	r.Gauge("mcpproxy_goroutines", "Goroutines.", nil, func(add sample) { add(float64(runtime.NumGoroutine())) })
	r.Gauge("mcpproxy_heap_bytes", "Memory in use on the heap.", nil, func(add sample) {
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		add(float64(s.HeapInuse))
	})
}

// sending adds the outcomes of exports and alerts.
func (m *monitor) sending() {
	r := &m.registry
	r.Total(
		"mcpproxy_alerts_total",
		"Alerts for the webhook, by outcome.",
		[]string{"outcome"},
		func(add sample) {
			s := m.alerts.Stats()
			add(float64(s.Sent), "sent")
			add(float64(s.Failed), "failed")
			add(float64(s.Dropped), "dropped")
			add(float64(s.Merged), "merged")
		},
	)
	r.Gauge(
		"mcpproxy_alert_queue",
		"Alerts that wait for the webhook.",
		nil,
		func(add sample) { add(float64(m.alerts.Stats().Waiting)) },
	)
	r.Total(
		"mcpproxy_exports_total",
		"Records for collectors and syslog, by outcome.",
		[]string{"target", "outcome"},
		func(add sample) {
			for _, s := range m.exports.Stats() {
				add(float64(s.Sent), s.Name, "sent")
				add(float64(s.Dropped), s.Name, "dropped")
			}
		},
	)
	r.Gauge(
		"mcpproxy_export_queue",
		"Records that wait for collectors and syslog.",
		[]string{"target"},
		func(add sample) {
			for _, s := range m.exports.Stats() {
				add(float64(s.Waiting), s.Name)
			}
		},
	)
}

// ofServers returns a metric with a value for each server.
func (u *upstreams) ofServers(value func(upstream.Status) float64) func(sample) {
	return func(add sample) {
		for _, s := range u.manager.All() {
			st := s.Status()
			add(value(st), st.Name)
		}
	}
}

// byState returns the number of servers in each state.
func (u *upstreams) byState(add sample) {
	for _, state := range []upstream.State{upstream.Ready, upstream.Connecting, upstream.Failed, upstream.Disabled} {
		add(0, string(state))
	}
	for _, s := range u.manager.All() {
		add(1, string(s.Status().State))
	}
}
