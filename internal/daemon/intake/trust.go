package intake

import (
	"encoding/json"
	"log/slog"

	"mcpproxy"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/trust"
)

// The events that an intake tells of.
const (
	EventQuarantine = "activity.quarantine_change"
	EventIntegrity  = "security.integrity_alert" // something that was trusted has changed, or turned out dangerous
)

// changed writes down and tells what moved from state to state.
func (in *Intake) changed(changes []trust.Change) {
	for _, c := range changes {
		r := in.record(c)
		in.deps.Add(r)
		if c.To == trust.RugPull || c.Hard {
			look := "show"
			if c.To == trust.RugPull {
				look = "diff"
			}
			slog.Warn(
				"a definition is held",
				"definition",
				trust.Visible(c.Key.String()),
				"reason",
				c.Reason,
				"look",
				trust.Command(look, c.Key, c.Hash),
			)
			in.deps.Tell(EventIntegrity, r)
		}
		in.deps.Tell(EventQuarantine, r)
	}
}

// Quarantine holds a tool about which its server lied.
func (in *Intake) Quarantine(server, tool, reason string) {
	if _, err := in.trust.Hold(trust.Key{Server: server, Kind: trust.Tool, Name: tool}, "mcpproxy", reason); err != nil {
		slog.Error(
			"a tool that should be in quarantine is not",
			"server",
			server,
			"tool",
			trust.Visible(tool),
			"error",
			err,
		)
		return
	}
	in.Offer(server)
}

// record is a change as the log keeps it: a server chose its texts, so they
// are masked like those of calls.
func (in *Intake) record(c trust.Change) *mcpproxy.Record {
	for i := range c.Diff {
		c.Diff[i].Before, c.Diff[i].After = in.deps.Mask(c.Diff[i].Before), in.deps.Mask(c.Diff[i].After)
	}
	r := in.deps.NewRecord(mcpproxy.RecordQuarantine, c.Server, map[string]any{
		"kind": c.Kind,
		"from": c.From,
		"to":   c.To,
		"by":   c.By,
	})
	r.Timestamp = c.Time
	r.ToolName = in.deps.Mask(trust.Visible(c.Name))
	r.Metadata.Reason = in.deps.Mask(c.Reason)
	detail := r.Metadata.Detail
	for name, value := range map[string]string{"hash": c.Hash, "approved_hash": c.Before} {
		if value != "" {
			detail[name] = value
		}
	}
	if len(c.Diff) > 0 {
		detail["diff"] = c.Diff
	}
	if c.Count > 0 {
		for i, n := range c.Names {
			c.Names[i] = in.deps.Mask(trust.Visible(n))
		}
		detail["definitions"], detail["names"] = c.Count, c.Names
	}
	if c.To == trust.RugPull || c.Hard {
		r.Status = mcpproxy.StatusBlocked
		r.Decision = mcpproxy.Deny
		r.Rule = policy.RuleQuarantine
		r.RiskScore, r.RiskLevel = 90, mcpproxy.RiskCritical
	}
	return r
}

// observeInstructions takes what a server says about itself.
func (in *Intake) observeInstructions(server, said string) trust.Seen {
	var raws []json.RawMessage
	if said != "" {
		raws = append(raws, trust.OfInstructions(server, said).Raw)
	}
	return in.trust.Observe(server, trust.Instructions, raws, true)
}

// introduce says what a server brought when its definitions were read for the
// first time, and the one command that approves it.
func (in *Intake) introduce(server string) {
	count := map[trust.Kind]int{}
	waiting := 0
	findings := 0
	held := 0
	for _, i := range in.trust.Items(server) {
		if !i.Listed {
			continue
		}
		count[i.Kind]++
		findings += len(i.Findings)
		if i.Waits() {
			waiting++
		}
		if i.Hard() && !i.Trusted() {
			held++
		}
	}
	if waiting == 0 || !in.trust.Rules().Enabled {
		return
	}
	attrs := []any{
		"server",
		server,
		"tools",
		count[trust.Tool],
		"prompts",
		count[trust.Prompt],
		"findings",
		findings,
		"dangerous",
		held,
		"waiting",
		waiting,
		"look",
		"mcpproxy trust list " + trust.Quote(server),
	}
	if waiting > held {
		attrs = append(attrs, "approve", "mcpproxy trust baseline "+trust.Quote(server))
	}
	slog.Warn("what a server declares waits for your approval; agents do not see it", attrs...)
	select {
	case in.introduced <- server:
	default: // nobody is asked on a terminal, or about enough already
	}
}

// Newcomers receives the servers whose definitions wait for approval when they are read for
// the first time.
func (in *Intake) Newcomers() <-chan string { return in.introduced }

// Waiting returns the definitions of a server that a person may approve as they are.
func (in *Intake) Waiting(server string) (out []trust.Item) {
	for _, i := range in.trust.Items(server) {
		if i.Listed && i.State == trust.Quarantined && !i.Hard() {
			out = append(out, i)
		}
	}
	return out
}

// Approve approves a definition in the form that was shown; with [trust.ErrOther] it has
// another one by now. Agents see it at once.
func (in *Intake) Approve(i trust.Item) error {
	_, err := in.trust.Approve(i.Key, "user at the terminal", i.Fingerprint.CombinedHash)
	if err == nil {
		in.Offer(i.Server)
	}
	return err
}
