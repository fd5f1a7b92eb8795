package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"mcpproxy/internal/approval"
	"mcpproxy/internal/config"
	"mcpproxy/internal/gate"
)

// askingRules is what configuration means to the desk of questions.
func askingRules(c *config.Config) approval.Rules {
	a := c.Security.Approvals
	return approval.Rules{Elicitation: a.Elicitation, Wait: a.Waits(), Expiry: a.Lasts(), Policy: policyVersion(c)}
}

// policyVersion identifies what decides about calls in a configuration.
func policyVersion(c *config.Config) string {
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
func (d *daemon) asked(e approval.Event) {
	d.log.Add(e.Record)
	d.publish(gate.Event{Name: e.Name, Record: e.Record})
}
