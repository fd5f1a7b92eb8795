package intake

import (
	"encoding/json"
	"log/slog"

	"mcpproxy/internal/trust"
)

// Quarantine holds a tool whose behaviour contradicted its definition.
func (in *Intake) Quarantine(server, tool, reason string) {
	if _, err := in.trust.Hold(trust.Key{Server: server, Kind: trust.Tool, Name: tool}, "mcpproxy", reason); err != nil {
		slog.Error(
			"could not put a tool into quarantine",
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

// observeInstructions passes a server's instructions to the store.
func (in *Intake) observeInstructions(server, said string) trust.Seen {
	var raws []json.RawMessage
	if said != "" {
		raws = append(raws, trust.OfInstructions(server, said).Raw)
	}
	return in.trust.Observe(server, trust.Instructions, raws, true)
}

// introduce reports the definitions of a server that was read for the first time, and the command
// that approves them.
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
	slog.Warn("the definitions of a server wait for your approval; agents do not see them", attrs...)
	select {
	case in.introduced <- server:
	default: // no person is asked on a terminal, or the queue is full
	}
}

// Newcomers receives the servers whose definitions wait for approval after the first read.
func (in *Intake) Newcomers() <-chan string { return in.introduced }

// Waiting returns the definitions of a server that a person may approve in their current form.
func (in *Intake) Waiting(server string) (out []trust.Item) {
	for _, i := range in.trust.Items(server) {
		if i.Listed && i.State == trust.Quarantined && !i.Hard() {
			out = append(out, i)
		}
	}
	return out
}

// Approve approves a definition in the form that was shown. It fails with [trust.ErrOther] if the
// definition has changed since. Agents see the definition at once.
func (in *Intake) Approve(i trust.Item) error {
	_, err := in.trust.Approve(i.Key, "user at the terminal", i.Fingerprint.CombinedHash)
	if err == nil {
		in.Offer(i.Server)
	}
	return err
}
