package daemon

import (
	"mcpproxy/internal/api"
	"mcpproxy/internal/version"
)

// sources returns the data that the REST API reports.
func (d *Daemon) sources() api.Sources {
	return api.Sources{
		Store:     d.log.masked(),
		Clear:     d.log.clear(),
		Servers:   d.servers.manager,
		Catalog:   d.servers.catalog,
		Sessions:  d.flows.sessions,
		Trust:     d.servers.trust(),
		Decided:   d.servers.intake.Offer,
		Read:      d.servers.intake.FirstRead,
		Hooks:     d.channels.hooks,
		Hooked:    d.hooked,
		Peers:     d.callers.peers,
		Approvals: d.approvals.desk,
		Approved:  d.approvals.always,
		Home:      d.home.store,
		Kill:      d.gateManager.kill,
		Scripts:   d.channels.scripts,
		Policies:  d.policies(),
		Probes:    d.prober(),
		Clients:   d.channels.gateway.SessionCount,
		Events:    d.events,
		Metrics:   &d.log.monitor.registry,
		Alerts:    d.log.monitor.alerts.Stats,
		Exports:   d.log.monitor.exports.Stats,
		Classify:  d.gateManager.gate.Classify,
		Fleet:     d.hub.fleet(),
		Mask:      d.gateManager.shown,
		Auth:      d.callers.auth,
		Tokens:    d.callers.tokens,
		Facts:     d.facts,
		Version:   version.String(),
		Listen:    d.Address(),
		Scheme:    d.config.now().Scheme(),

		TokenChanged: d.callers.tokenChanged,
		SignedIn:     d.callers.signedIn,
	}
}

// policies returns the policy in force, for the API and for auditors.
func (d *Daemon) policies() policies {
	return policies{
		path:   d.config.path,
		rules:  d.gateManager.rules.Load,
		config: d.config.now,
	}
}

// prober runs probes for the API.
func (d *Daemon) prober() prober {
	return prober{
		config: d.config.now,
		base:   d.config.now().Scheme() + "://" + d.Address(),
		mask:   d.gateManager.gate.Mask,
		log:    d.log.monitor,
	}
}

// facts returns the daemon's own state.
func (d *Daemon) facts() api.Facts {
	c := d.config.now()
	f := api.Facts{
		ConfigFile: d.config.path,
		Idle:       c.Idle(),
		MCPAuth:    c.RequireMCPAuth,
		Unseen:     d.gaps.unseen.recent(),
		Outage:     d.gaps.away.recent(),
		Log:        d.log.facts(c),
		State:      d.replicas.facts(),
		Ship:       d.shipping.facts(),
		ShipBucket: d.uploading.facts(),
	}
	tools := d.servers.declaredTools("")
	f.Unmatched, f.Shared = c.UnmatchedOverrides(tools), sharedNames(tools)
	f.ConfigRead, f.ConfigError = d.config.state.now()
	return f
}
