package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"

	"mcpproxy"
	"mcpproxy/internal/approval"
	"mcpproxy/internal/approval/store"
	"mcpproxy/internal/config"
	"mcpproxy/internal/gate/journal"
)

// askingRules is what configuration means to the desk of questions.
func askingRules(c *config.Config) approval.Rules {
	a := c.Security.Approvals
	return approval.Rules{
		Elicitation: a.Elicitation,
		Wait:        a.Waits(),
		Watched:     a.WaitsWatched(),
		Expiry:      a.Lasts(),
		Policy:      PolicyVersion(c),
	}
}

// PolicyVersion identifies what decides about calls in a configuration.
func PolicyVersion(c *config.Config) string {
	raw, err := json.Marshal(struct {
		Security config.Security
		Groups   map[string]config.Group
	}{c.Security, c.Groups})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}

// asked writes a question or its answer down and tells of it.
func (d *Daemon) asked(e approval.Event) {
	d.log.Add(e.Record)
	d.publish(journal.Event{Name: e.Name, Record: e.Record})
}

// openApproved opens the answers for always.
func (d *Daemon) openApproved(c *config.Config) (err error) {
	d.approved, err = store.Open(filepath.Join(c.DataDir, store.File), d.approvedChanged)
	return err
}

// approvedChanged writes down what became of an answer for always, and tells of it.
func (d *Daemon) approvedChanged(c store.Change) {
	detail := map[string]any{
		"approval_rule": c.Event,
		"rule":          c.Rule.ID,
		"within":        c.Rule.Boundary.Within(),
		"boundary":      c.Rule.Boundary,
		"by":            c.By,
	}
	if c.Rule.Request != "" {
		detail["request"] = c.Rule.Request
	}
	d.record(mcpproxy.RecordConfigChange, c.Rule.Boundary.Server, detail)
	d.events.Publish("approval.rules.changed", c)
}
