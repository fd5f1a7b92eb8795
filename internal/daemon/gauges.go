package daemon

import (
	"runtime"
	"slices"
	"time"

	"mcpproxy/internal/telemetry/metrics"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/version"
)

// hasServer reports whether a server is configured: its name may be a label.
func (d *Daemon) hasServer(name string) bool {
	_, ok := d.servers.Get(name)
	return ok
}

// hasTool reports whether a server declares a tool, and agents see it.
func (d *Daemon) hasTool(server, name string) bool {
	_, ok := d.Catalog.Tool(server, name)
	return ok
}

// sample takes one value of a metric.
type sample = func(value float64, labels ...string)

// gauges adds to the metrics what is read when they are shown.
func (d *Daemon) gauges(m *monitor) {
	buildGauges(&m.registry)
	d.serverGauges(&m.registry)
	d.sessionGauges(&m.registry)
	m.logGauges()
	m.sending()
	runtimeGauges(&m.registry)
}

// buildGauges adds the version and the start of this daemon.
func buildGauges(r *metrics.Registry) {
	started := time.Now()
	r.Gauge(
		"mcpproxy_build_info",
		"Always 1; the label says the version.",
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

// serverGauges adds the state of the configured servers and of what they define.
func (d *Daemon) serverGauges(r *metrics.Registry) {
	r.Gauge(
		"mcpproxy_server_up",
		"Whether a configured server is connected.",
		[]string{"server"},
		d.ofServers(func(s upstream.Status) float64 {
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
		d.breakers,
	)
	r.Gauge(
		"mcpproxy_server_calls_in_flight",
		"Calls under way.",
		[]string{"server"},
		d.ofServers(func(s upstream.Status) float64 { return float64(s.InFlight) }),
	)
	r.Gauge(
		"mcpproxy_server_calls_queued",
		"Calls that wait for their turn.",
		[]string{"server"},
		d.ofServers(func(s upstream.Status) float64 { return float64(s.Queued) }),
	)
	r.Total(
		"mcpproxy_server_faults_total",
		"Calls and attempts to connect at which a server failed.",
		[]string{"server"},
		d.ofServers(func(s upstream.Status) float64 { return float64(s.Faults) }),
	)
	r.Gauge("mcpproxy_servers", "Configured servers, by state.", []string{"state"}, d.serversBy)
	r.Gauge(
		"mcpproxy_tools",
		"Tools that agents can find and call.",
		nil,
		func(add sample) { add(float64(len(d.Catalog.All()))) },
	)
	r.Gauge(
		"mcpproxy_definitions_held",
		"Definitions that agents do not see: they wait for approval, changed or are blocked.",
		nil,
		func(add sample) { add(float64(d.trust.Count().Held)) },
	)
}

// breakers samples the breaker of each server that has one.
func (d *Daemon) breakers(add sample) {
	states := []upstream.BreakerState{upstream.Closed, upstream.HalfOpen, upstream.Open}
	for _, s := range d.servers.All() {
		if st := s.Status(); st.Breaker != "" {
			add(float64(slices.Index(states, st.Breaker)), st.Name)
		}
	}
}

// sessionGauges adds the number of open sessions.
func (d *Daemon) sessionGauges(r *metrics.Registry) {
	r.Gauge(
		"mcpproxy_mcp_sessions",
		"Open MCP sessions of revisions that have sessions.",
		nil,
		func(add sample) { add(float64(d.gateway.SessionCount())) },
	)
	r.Gauge("mcpproxy_flow_sessions", "Sessions in which data is followed.", nil, func(add sample) {
		n := 0
		for range d.flows.sessions.All() {
			n++
		}
		add(float64(n))
	})
}

// logGauges adds the activity log and the readers of its events.
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

// runtimeGauges adds what the Go runtime knows about this process.
func runtimeGauges(r *metrics.Registry) {
	r.Gauge("mcpproxy_goroutines", "Goroutines.", nil, func(add sample) { add(float64(runtime.NumGoroutine())) })
	r.Gauge("mcpproxy_heap_bytes", "Memory in use on the heap.", nil, func(add sample) {
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		add(float64(s.HeapInuse))
	})
}

// sending adds what became of what is sent away.
func (m *monitor) sending() {
	r := &m.registry
	r.Total(
		"mcpproxy_alerts_total",
		"Alerts for the webhook, by what became of them.",
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
		"Records for collectors and syslog, by what became of them.",
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

// ofServers is a metric with a value for each server.
func (d *Daemon) ofServers(value func(upstream.Status) float64) func(sample) {
	return func(add sample) {
		for _, s := range d.servers.All() {
			st := s.Status()
			add(value(st), st.Name)
		}
	}
}

func (d *Daemon) serversBy(add sample) {
	for _, state := range []upstream.State{upstream.Ready, upstream.Connecting, upstream.Failed, upstream.Disabled} {
		add(0, string(state))
	}
	for _, s := range d.servers.All() {
		add(1, string(s.Status().State))
	}
}
