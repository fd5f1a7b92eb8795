package daemon

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"mcpproxy"
	"mcpproxy/internal/alert"
	"mcpproxy/internal/api"
	"mcpproxy/internal/atrest"
	"mcpproxy/internal/config"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/telemetry"
	"mcpproxy/internal/telemetry/metrics"
	"mcpproxy/internal/version"
)

// monitor passes every record and event to all receivers: the log, readers of /events, the webhook,
// exporters and metrics.
type monitor struct {
	ledger    *ledger.Log
	events    *api.Events
	alerts    *alert.Sender
	exports   *telemetry.Exporter
	calls     *metrics.Calls
	registry  metrics.Registry
	decisions decisionLog
	// seal masks personal data in the daemon's own records; nil until there is a gate.
	seal atomic.Pointer[func(*mcpproxy.Record) *mcpproxy.Record]
}

// newMonitor returns a monitor of l. Known says which names may be metric labels.
func newMonitor(c *config.Config, l *ledger.Log, events *api.Events, known metrics.Known) *monitor {
	m := &monitor{
		ledger:  l,
		events:  events,
		alerts:  alert.New(alertSettings(c), alert.Timing{}),
		exports: telemetry.New(ExportSettings(c)),
	}
	m.decisions.configure(c)
	m.calls = metrics.NewCalls(&m.registry, known)
	return m
}

// Append writes a record and returns when it is durable. The other receivers get the record even if
// writing failed, because they may then have the only copy.
func (m *monitor) Append(ctx context.Context, r *mcpproxy.Record) error {
	r = m.sealed(r)
	err := m.ledger.Append(ctx, r)
	m.observe(r)
	return err
}

// Add writes a record asynchronously.
func (m *monitor) Add(r *mcpproxy.Record) {
	r = m.sealed(r)
	m.ledger.Add(r)
	m.observe(r)
}

// sealOwn sets the function that masks personal data in the daemon's own records.
func (m *monitor) sealOwn(f func(*mcpproxy.Record) *mcpproxy.Record) { m.seal.Store(&f) }

// sealed returns a record with personal data masked. The gate has done that for records of calls.
func (m *monitor) sealed(r *mcpproxy.Record) *mcpproxy.Record {
	seal := m.seal.Load()
	switch r.Type {
	case mcpproxy.RecordToolCall, mcpproxy.RecordPolicyDecision, mcpproxy.RecordHookEvaluation:
		return r
	}
	if seal == nil {
		return r
	}
	return (*seal)(r)
}

// record writes asynchronously that mcpproxy itself did something.
func (m *monitor) record(t mcpproxy.RecordType, server string, detail map[string]any) {
	m.Add(SystemRecord(t, server, detail))
}

// SystemRecord returns a record of an action of mcpproxy itself.
func SystemRecord(t mcpproxy.RecordType, server string, detail map[string]any) *mcpproxy.Record {
	return &mcpproxy.Record{
		ID:           gate.NewID(),
		Type:         t,
		Source:       "system",
		Timestamp:    time.Now().UTC(),
		ServerName:   server,
		Status:       mcpproxy.StatusSuccess,
		CoverageMode: mcpproxy.CoverageProxyOnly,
		Metadata:     mcpproxy.Metadata{Detail: detail},
	}
}

func (m *monitor) observe(r *mcpproxy.Record) {
	r = atrest.Mask(r)
	m.calls.Hear(r)
	m.exports.Hear(r)
	m.decisions.hear(r)
	if _, turned := r.Metadata.Detail["kill_switch"]; turned && r.Type == mcpproxy.RecordConfigChange {
		m.alerts.Hear(alert.EventKill, r)
	}
}

// stopped records that the daemon stops, and returns when the record is durable. The log then
// contains everything that the final snapshot of the flow sessions contains.
func (m *monitor) stopped() {
	if err := m.Append(context.Background(), SystemRecord(mcpproxy.RecordSystemStop, "", nil)); err != nil {
		slog.Error("cannot record that mcpproxy stopped", "error", err)
	}
}

// publishRecord publishes an event about a masked record, without its bodies.
func (m *monitor) publishRecord(name string, r *mcpproxy.Record) {
	bare := atrest.Mask(m.sealed(r).Bare())
	m.events.Publish(name, *bare)
	m.alerts.Hear(name, bare)
}

// publish forwards the gate's events.
func (m *monitor) publish(e journal.Event) { m.publishRecord(e.Name, e.Record) }

// configure follows a changed configuration.
func (m *monitor) configure(c *config.Config) {
	m.decisions.configure(c)
	m.alerts.Configure(alertSettings(c))
	m.exports.Configure(ExportSettings(c))
}

// farewell is how long the webhook and the collectors may take for pending data when the daemon
// stops.
const farewell = 2 * time.Second

// Close writes pending records to the log, and sends other pending data within a short time.
func (m *monitor) Close() {
	m.ledger.Close()
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	done := make(chan struct{})
	go func() { defer close(done); m.exports.Close(ctx) }()
	m.alerts.Close(ctx)
	<-done
}

// alertSettings returns the settings of alerts.
func alertSettings(c *config.Config) alert.Settings {
	a := c.Security.Alerts
	return alert.Settings{URL: a.WebhookURL, Secret: a.WebhookSecret, PII: a.PIIExposure}
}

// ExportSettings returns the settings of exports.
func ExportSettings(c *config.Config) telemetry.Settings {
	t := c.Telemetry
	s := telemetry.Settings{Service: t.ServiceName, Version: version.String()}
	if t.Enabled {
		s.OTLP = telemetry.OTLP{Endpoint: t.OTLPEndpoint, Headers: t.OTLPHeaders}
		s.Syslog = telemetry.Syslog{Address: t.Syslog.Address, Network: t.Syslog.Network, Format: t.Syslog.Format}
	}
	return s
}
