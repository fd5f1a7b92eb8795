package daemon

import (
	"log/slog"
	"path/filepath"

	"mcpproxy"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon/intake"
	"mcpproxy/internal/peer"
	"mcpproxy/internal/policy"
)

// agentsFile says which agents run, in the data folder.
const agentsFile = "agents.json"

// openPeers begins to watch which processes speak to the daemon.
func (d *Daemon) openPeers(c *config.Config) {
	d.peers = peer.NewRegistry(peer.Self())
	d.peers.AllowNested(c.Security.Hooks.NestedAgents == mcpproxy.Allow)
	d.peers.Refused = d.peerRefused
	if err := d.peers.Keep(filepath.Join(c.DataDir, agentsFile)); err != nil {
		slog.Warn("which agents were running before this start is not known", "error", err)
	}
}

// peerRefused records that a process tried what only the user or an agent itself may do.
// A refused event of a hook has a record of its own.
func (d *Daemon) peerRefused(r *peer.Refusal) {
	slog.Warn("a process was refused", "asked_for", r.What, "process", r.Process.String(), "below", r.Below.String())
	if r.What == peer.HookEvent {
		return
	}
	record := SystemRecord(mcpproxy.RecordPolicyDecision, "", map[string]any{
		"asked_for": r.What,
		"process":   r.Process.String(),
		"below":     r.Below.String(),
		"unsaid":    r.Unsaid, // others of the kind since the last record
	})
	record.Status = mcpproxy.StatusBlocked
	record.Decision = mcpproxy.Deny
	record.Rule = policy.RuleSelf
	record.ErrorMessage, record.Metadata.Reason = r.Error(), r.Error()
	d.log.Add(record)
	d.log.tell(intake.EventIntegrity, record)
}
