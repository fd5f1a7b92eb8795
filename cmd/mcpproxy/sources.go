package main

import "mcpproxy/internal/api"

// sources are the rooms that the REST API reports on.
func (d *daemon) sources() api.Sources {
	return api.Sources{
		Store:     d.store,
		Servers:   d.servers,
		Catalog:   d.catalog,
		Sessions:  d.sessions,
		Trust:     d.trust,
		Decided:   d.offer,
		Hooks:     d.hooks,
		Approvals: d.desk,
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
		Door:      d.door,
		Tokens:    d.tokens,
		Facts:     d.facts,
		Version:   buildVersion(),
		Listen:    d.address,

		TokenChanged: d.tokenChanged,
	}
}
