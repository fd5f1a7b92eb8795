package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"mcpproxy/internal/approval/store"
	"mcpproxy/internal/daemon/intake"
	"mcpproxy/internal/replica"
	"mcpproxy/internal/state"
	"mcpproxy/internal/trust"
)

// Kinds of shared decisions.
const (
	kindRule  = "approval"   // a permanent approval
	kindTrust = "definition" // a decision about a definition or a server
)

// decisionWait is how long a person's decision may wait for the shared store.
const decisionWait = 10 * time.Second

// decisions connects the approvals of this replica with those of the others.
type decisions struct {
	board  *replica.Board
	always *store.Store
	intake *intake.Intake
}

// shareDecisions opens this replica's copy of the shared decisions, and makes the approvals publish theirs.
func shareDecisions(dir string, shared state.Decisions, always *store.Store, in *intake.Intake) (*decisions, error) {
	d := &decisions{always: always, intake: in}
	var err error
	d.board, err = replica.OpenBoard(shared, filepath.Join(dir, replica.BoardFile), map[string]replica.Reader{
		kindRule:  {Adopt: d.adoptRules, Known: d.adoptRules, Before: d.rulesBefore},
		kindTrust: {Adopt: d.adoptTrust, Known: d.knowTrust, Before: d.trustBefore},
	})
	if err != nil {
		return nil, err
	}
	always.Share(d.publishRule)
	in.Store().Share(d.publishTrust)
	return d, nil
}

// forgetDecisions removes the copy of the shared decisions if this gateway no longer shares them. If it joins a group
// again, it then publishes its decisions like a new replica.
func forgetDecisions(dir string) error {
	err := os.Remove(filepath.Join(dir, replica.BoardFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// encode returns a decision with the JSON form of its content.
func encode(kind, name string, content any) (state.Decision, error) {
	raw, err := json.Marshal(content)
	return state.Decision{Kind: kind, Name: name, Content: raw}, err
}

// decode reads the contents of decisions. It skips and reports decisions that a newer version has written in another
// form.
func decode[T any](ds []state.Decision) []T {
	out := make([]T, 0, len(ds))
	for _, d := range ds {
		var v T
		if err := json.Unmarshal(d.Content, &v); err != nil {
			slog.Error("a decision of another replica cannot be read", "kind", d.Kind, "error", err)
			continue
		}
		out = append(out, v)
	}
	return out
}

func encodeRule(c store.Change) (state.Decision, error) { return encode(kindRule, c.Key(), c) }

func encodeTrust(t trust.Decision) (state.Decision, error) {
	return encode(kindTrust, t.Server+"\x00"+string(t.Kind)+"\x00"+t.Name, t)
}

// publishRule publishes that a permanent approval was given or revoked.
func (d *decisions) publishRule(c store.Change) error {
	one, err := encodeRule(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), decisionWait)
	defer cancel()
	if c.Event == store.Revoked {
		d.board.Refuse(ctx, one)
		return nil
	}
	return d.board.Decide(ctx, one)
}

// publishTrust publishes decisions about definitions and servers.
func (d *decisions) publishTrust(ts []trust.Decision) error {
	ctx, cancel := context.WithTimeout(context.Background(), decisionWait)
	defer cancel()
	var refusals, approvals []state.Decision
	for _, t := range ts {
		one, err := encodeTrust(t)
		switch {
		case err != nil:
			return err
		case t.Refusal():
			refusals = append(refusals, one)
		default:
			approvals = append(approvals, one)
		}
	}
	if len(refusals) > 0 {
		d.board.Refuse(ctx, refusals...)
	}
	if len(approvals) > 0 {
		return d.board.Decide(ctx, approvals...)
	}
	return nil
}

func (d *decisions) adoptRules(ds []state.Decision) {
	if err := d.always.Adopt(decode[store.Change](ds)); err != nil {
		slog.Error("an approval that the replicas share could not be stored here", "error", err)
	}
}

// adoptTrust applies decisions about definitions, and updates what agents are offered.
func (d *decisions) adoptTrust(ds []state.Decision) {
	for _, server := range d.intake.Store().Adopt(decode[trust.Decision](ds)) {
		if d.intake.Store().Read(server) {
			go d.intake.Offer(server) // in a goroutine: the shared decisions must not wait for agents
		}
	}
}

func (d *decisions) knowTrust(ds []state.Decision) {
	d.intake.Store().Know(decode[trust.Decision](ds))
}

// rulesBefore returns the permanent approvals of the time before this replica joined the group.
func (d *decisions) rulesBefore() (refusals, others []state.Decision) {
	for _, r := range d.always.Rules() {
		if one, err := encodeRule(store.Change{Event: store.Kept, Rule: r, By: r.By}); err == nil {
			others = append(others, one)
		}
	}
	return nil, others
}

// trustBefore returns the decisions about definitions of that time.
func (d *decisions) trustBefore() (refusals, others []state.Decision) {
	no, yes := d.intake.Store().Decided()
	for _, t := range no {
		if one, err := encodeTrust(t); err == nil {
			refusals = append(refusals, one)
		}
	}
	for _, t := range yes {
		if one, err := encodeTrust(t); err == nil {
			others = append(others, one)
		}
	}
	return refusals, others
}
