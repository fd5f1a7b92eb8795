package daemon

import (
	"mcpproxy"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon/intake"
	"mcpproxy/internal/text"
	"mcpproxy/internal/trust"
	"mcpproxy/internal/upstream"
)

// openIntake opens what takes in the definitions of servers. The rooms that it needs are
// wired later.
func (d *Daemon) openIntake(c *config.Config) (err error) {
	d.intake, err = intake.Open(c.DataDir, trustRules(c), intake.Deps{
		Catalog:   d.Catalog,
		Heads:     d.Store.Heads(),
		Servers:   func() *upstream.Manager { return d.servers },
		Secrets:   func(doc *text.Document) ([]mcpproxy.Signal, error) { return d.gate.Secrets(doc) },
		Mask:      func(s string) string { return d.gate.Mask(s) },
		NewRecord: SystemRecord,
		Add:       func(r *mcpproxy.Record) { d.log.Add(r) },
		Tell:      func(event string, r *mcpproxy.Record) { d.log.tell(event, r) },
		ToolsChanged: func() {
			if d.gateway != nil {
				d.gateway.ToolsChanged()
			}
		},
	})
	if err == nil {
		d.trust = d.intake.Store()
	}
	return err
}

// trustRules is what configuration means to trust.
func trustRules(c *config.Config) trust.Rules {
	q := c.Security.ToolQuarantine
	return trust.Rules{
		Enabled:          q.Enabled,
		QuarantineNew:    q.AutoQuarantineNewTools,
		RugPull:          q.RugPullDetection,
		QuarantineServer: q.QuarantineServerOnRugPull,
	}
}
