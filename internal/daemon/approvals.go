package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/approval"
	"mcpproxy/internal/approval/store"
	"mcpproxy/internal/config"
	"mcpproxy/internal/gate/journal"
)

// approvals holds the questions that wait for a person, and the permanent answers. Both are
// recorded and published as events.
type approvals struct {
	desk   *approval.Desk
	always *store.Store
	forAll *companyApprovals
	log    *monitor
	events *api.Events
}

// openApprovals opens the permanent answers in the data folder. Calls that waited when the last run
// ended are dropped.
func openApprovals(c *config.Config, log *monitor, events *api.Events) (*approvals, error) {
	a := &approvals{log: log, events: events}
	var err error
	if a.always, err = store.Open(filepath.Join(c.DataDir, store.File), a.changed); err != nil {
		return nil, err
	}
	a.desk = approval.New(askingRules(c), a.asked)
	a.forAll = &companyApprovals{RuleStore: a.always}
	a.forAll.configure(c)
	a.desk.Keep(a.forAll)
	a.desk.Watch(func() bool { return events.Pages() > 0 })
	return a, nil
}

// asked records a question or its answer, and publishes it as an event.
func (a *approvals) asked(e approval.Event) {
	a.log.Add(e.Record)
	a.log.publish(journal.Event{Name: e.Name, Record: e.Record})
}

// changed records the change of a permanent answer, and publishes it as an event.
func (a *approvals) changed(c store.Change) {
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
	a.log.record(mcpproxy.RecordConfigChange, c.Rule.Boundary.Server, detail)
	a.events.Publish("approval.rules.changed", c)
}

// askingRules returns the settings of the approval desk.
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

// PolicyVersion identifies the parts of a configuration that decide about calls.
func PolicyVersion(c *config.Config) string {
	raw, err := json.Marshal(struct {
		Security config.Security
		Groups   map[string]config.Group
		Company  *config.Company
	}{c.Security, c.Groups, c.Company})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}
