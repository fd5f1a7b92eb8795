package intake

import (
	"encoding/json"
	"log/slog"

	"mcpproxy/internal/trust"
)

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
		if !i.Listed || i.Kind == trust.ProgramKind {
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
