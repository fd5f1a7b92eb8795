package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"time"

	"mcpproxy"
	"mcpproxy/internal/catalog"
	"mcpproxy/internal/config"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/scan/definition"
	"mcpproxy/internal/text"
	"mcpproxy/internal/trust"
	"mcpproxy/internal/upstream"
)

// openTrust opens the file of approvals.
func (d *daemon) openTrust(c *config.Config) (*trust.Store, error) {
	d.scans.secrets = func(doc *text.Document) ([]mcpproxy.Signal, error) { return d.gate.Secrets(doc) }
	return trust.Open(filepath.Join(c.DataDir, "trust.json"), trustRules(c), trust.Deps{
		Scan: d.scans.scan, Clean: definition.Clean, Changed: d.trustChanged,
		Failed: func(err error) {
			slog.Error("what servers declare could not be written down; it is held all the same", "error", err)
		}})
}

// trustRules is what configuration means to trust.
func trustRules(c *config.Config) trust.Rules {
	q := c.Security.ToolQuarantine
	return trust.Rules{Enabled: q.Enabled, QuarantineNew: q.AutoQuarantineNewTools, RugPull: q.RugPullDetection, QuarantineServer: q.QuarantineServerOnRugPull}
}

// The events of trust.
const (
	eventQuarantine = "activity.quarantine_change"
	eventIntegrity  = "security.integrity_alert" // something that was trusted has changed, or turned out dangerous
)

// trustChanged writes down and tells what moved from state to state.
func (d *daemon) trustChanged(changes []trust.Change) {
	for _, c := range changes {
		r := d.trustRecord(c)
		d.log.Add(r)
		if c.To == trust.RugPull || c.Hard {
			slog.Warn("a definition is held", "definition", trust.Visible(c.Key.String()), "reason", c.Reason,
				"look", trust.Command(map[bool]string{true: "diff", false: "show"}[c.To == trust.RugPull], c.Key, c.Hash))
			d.log.tell(eventIntegrity, r)
		}
		d.log.tell(eventQuarantine, r)
	}
}

// held says why a call uses what nobody has approved. An agent's hooks tell of
// calls to servers of its own, too, which are not ours to approve.
func (d *daemon) held(c *mcpproxy.Call) string {
	if _, ours := d.servers.Get(c.Server); c.Channel == mcpproxy.ChannelHook && !ours {
		return ""
	}
	return d.trust.Held(c)
}

// declared is a tool that a server declares, whether or not agents may see it.
func (d *daemon) declared(server, name string) (*mcpproxy.Tool, bool) {
	if t, ok := d.catalog.Tool(server, name); ok {
		return t, true
	}
	i, ok := d.trust.Item(trust.Key{Server: server, Kind: trust.Tool, Name: name})
	if !ok {
		return nil, false
	}
	t, err := catalog.Parse(server, i.Raw)
	if err != nil { // nobody can say what it is, and it is held
		t = &mcpproxy.Tool{Server: server, Name: name}
	}
	return t, true
}

// quarantine holds a tool about which its server lied.
func (d *daemon) quarantine(server, tool, reason string) {
	if _, err := d.trust.Hold(trust.Key{Server: server, Kind: trust.Tool, Name: tool}, "mcpproxy", reason); err != nil {
		slog.Error("a tool that should be in quarantine is not", "server", server, "tool", trust.Visible(tool), "error", err)
		return
	}
	d.offer(server)
}

// trustRecord is a change as the log keeps it: a server chose its texts, so they
// are masked like those of calls.
func (d *daemon) trustRecord(c trust.Change) *mcpproxy.Record {
	for i := range c.Diff {
		c.Diff[i].Before, c.Diff[i].After = d.gate.Mask(c.Diff[i].Before), d.gate.Mask(c.Diff[i].After)
	}
	r := systemRecord(mcpproxy.RecordQuarantine, c.Server, map[string]any{"kind": c.Kind, "from": c.From, "to": c.To, "by": c.By})
	r.Timestamp, r.ToolName, r.Metadata.Reason = c.Time, d.gate.Mask(trust.Visible(c.Name)), d.gate.Mask(c.Reason)
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
			c.Names[i] = d.gate.Mask(trust.Visible(n))
		}
		detail["definitions"], detail["names"] = c.Count, c.Names
	}
	if c.To == trust.RugPull || c.Hard {
		r.Status, r.Decision, r.Rule = mcpproxy.StatusBlocked, mcpproxy.Deny, policy.RuleQuarantine
		r.RiskScore, r.RiskLevel = 90, mcpproxy.RiskCritical
	}
	return r
}

// observeInstructions takes what a server says about itself.
func (d *daemon) observeInstructions(server, said string) trust.Seen {
	var raws []json.RawMessage
	if said != "" {
		raws = append(raws, trust.OfInstructions(server, said).Raw)
	}
	return d.trust.Observe(server, trust.Instructions, raws, true)
}

// introduce says what a server brought when its definitions were read for the
// first time, and the one command that approves it.
func (d *daemon) introduce(server string) {
	count, waiting, findings, held := map[trust.Kind]int{}, 0, 0, 0
	for _, i := range d.trust.Items(server) {
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
	if waiting == 0 || !d.trust.Rules().Enabled {
		return
	}
	attrs := []any{"server", server, "tools", count[trust.Tool], "prompts", count[trust.Prompt], "findings", findings, "dangerous", held, "waiting", waiting,
		"look", "mcpproxy trust list " + trust.Quote(server)}
	if waiting > held {
		attrs = append(attrs, "approve", "mcpproxy trust baseline "+trust.Quote(server))
	}
	slog.Warn("what a server declares waits for your approval; agents do not see it", attrs...)
	select {
	case d.newcomers <- server:
	default: // nobody is asked on a terminal, or about enough already
	}
}

// screen is what the gateway asks before it shows definitions to agents.
type screen struct{ d *daemon }

// trustKinds are the kinds of definitions, by the name of the list they stand in.
var trustKinds = map[string]trust.Kind{"tools": trust.Tool, "prompts": trust.Prompt}

func (s screen) List(server, list string, sent []json.RawMessage) []json.RawMessage {
	kind := trustKinds[list]
	if seen := s.d.trust.Observe(server, kind, sent, false); len(seen.Changes) > 0 && kind == trust.Tool {
		s.d.offer(server)
		s.Doubt(server) // the daemon's own list may be another one by now
	}
	shown := []json.RawMessage{}
	for _, raw := range sent {
		name, err := trust.NameOf(raw)
		if err != nil {
			continue
		}
		if clean, ok := s.d.trust.Shown(trust.Definition{Key: trust.Key{Server: server, Kind: kind, Name: name}, Raw: raw}); ok {
			shown = append(shown, clean)
		}
	}
	return shown
}

func (s screen) Instructions(server, text string) string {
	if text == "" {
		return ""
	}
	d := trust.OfInstructions(server, text)
	s.d.trust.Observe(server, trust.Instructions, []json.RawMessage{d.Raw}, false)
	clean, ok := s.d.trust.Shown(d)
	if !ok {
		return ""
	}
	var out struct {
		Instructions string `json:"instructions"`
	}
	if json.Unmarshal(clean, &out) != nil {
		return ""
	}
	return out.Instructions
}

func (s screen) Holds(server, tool string) bool { return s.d.trust.Known(server, tool) }

// readPatience is how long a call waits for the first reading of its server.
const readPatience = 10 * time.Second

func (s screen) Ready(ctx context.Context, server string) error {
	if s.d.trust.Read(server) || !s.d.trust.Rules().Enabled {
		return nil
	}
	up, ok := s.d.servers.Get(server)
	if !ok {
		return nil // the gateway says so itself
	}
	if _, err := up.Shared(ctx); err != nil { // connects, if need be
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, readPatience)
	defer cancel()
	const unread = "what the server %q declares could not be read, so nothing of it can be called yet"
	var err error
	for _, read := range s.d.refresh(up) {
		select {
		case <-read.done: // and offered
			if s.d.trust.Read(server) {
				return nil
			}
			err = read.err
		case <-ctx.Done():
			return mcpproxy.Errorf(mcpproxy.CodeTimeout, ctx.Err(), unread, server)
		}
	}
	if err == nil {
		return nil
	}
	return mcpproxy.Errorf(mcpproxy.CodeOf(err), err, unread+": %s", server, mcpproxy.AgentMessage(err))
}

// doubtPause is the time in which a server is not doubted again.
const doubtPause = 15 * time.Second

func (s screen) Doubt(server string) {
	up, ok := s.d.servers.Get(server)
	if !ok {
		return
	}
	s.d.mu.Lock()
	now := time.Now()
	soon := now.Sub(s.d.doubt[server]) < doubtPause
	if !soon {
		s.d.doubt[server] = now
	}
	s.d.mu.Unlock()
	if !soon && up.Status().State == upstream.Ready {
		s.d.refresh(up)
	}
}
