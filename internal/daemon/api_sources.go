package daemon

import (
	"mcpproxy/internal/api"
	"mcpproxy/internal/version"
)

// sources are the rooms that the REST API reports on.
func (d *Daemon) sources() api.Sources {
	return api.Sources{
		Store:     d.Store,
		Servers:   d.servers,
		Catalog:   d.Catalog,
		Sessions:  d.flows.sessions,
		Trust:     d.trust,
		Decided:   d.intake.Offer,
		Hooks:     d.hooks,
		Peers:     d.peers,
		Approvals: d.desk,
		Approved:  d.approved,
		Home:      d.home.store,
		Kill:      d.kill,
		Scripts:   d.scripts,
		Policies:  policies{d},
		Probes:    prober{d},
		Clients:   d.gateway.SessionCount,
		Events:    d.events,
		Metrics:   &d.log.registry,
		Alerts:    d.log.alerts.Stats,
		Exports:   d.log.exports.Stats,
		Classify:  d.gate.Classify,
		Mask:      d.shown,
		Auth:      d.auth,
		Tokens:    d.tokens,
		Facts:     d.facts,
		Version:   version.String(),
		Listen:    d.Address,

		TokenChanged: d.tokenChanged,
	}
}
