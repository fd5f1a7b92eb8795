package gate_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gate/gatetest"
	"mcpproxy/internal/gate/journal"
)

// named returns the records of the events with that name.
func (h *rig) named(name string) (out []mcpproxy.Record) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.events {
		var r mcpproxy.Record
		if e.name != name {
			continue
		}
		if err := json.Unmarshal([]byte(e.json), &r); err != nil {
			h.t.Error(err)
		}
		out = append(out, r)
	}
	return out
}

// An alert about a stopped call must not look like an alert about a call that was made.
func TestAnAlertAboutAStopSaysThatItWasStopped(t *testing.T) {
	for name, c := range map[string]struct {
		kind mcpproxy.RecordType
		do   func(h *rig, c *mcpproxy.Call)
	}{
		"over MCP":    {mcpproxy.RecordPolicyDecision, func(h *rig, c *mcpproxy.Call) { h.does(c) }},
		"by its hook": {mcpproxy.RecordHookEvaluation, func(h *rig, c *mcpproxy.Call) { h.gate.Announced(context.Background(), c, gate.Hook{}) }},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t, t.TempDir(), defaults())
			h.reads("github", "get_file", "GITHUB_TOKEN="+gitToken)
			stolen := call("slack", "post_message", object("text", gitToken))
			if c.kind == mcpproxy.RecordHookEvaluation {
				stolen.Channel = mcpproxy.ChannelHook
			}
			c.do(h, stolen)
			alerts := h.named(journal.EventFlowAlert)
			if len(alerts) != 1 {
				t.Fatalf("%d alerts", len(alerts))
			}
			a := alerts[0]
			if a.ID != stolen.ID || a.Type != c.kind || a.Status != mcpproxy.StatusBlocked ||
				a.Decision != mcpproxy.Deny ||
				a.ErrorMessage == "" {
				t.Errorf("%+v", a)
			}
		})
	}
}

// A stopped call has the same events at its beginning and its end as other calls.
func TestTheEventsOfAStoppedCall(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	h.reads("github", "get_file", "the weather is fine")
	h.mu.Lock()
	h.events = nil
	h.mu.Unlock()
	h.does(call("github", "delete_repository", object("text", gitToken)))
	for _, name := range []string{journal.EventStarted, journal.EventCompleted, journal.EventPolicyDecision, journal.EventSensitive} {
		if n := h.published(name); n != 1 {
			t.Errorf("%s: %d times", name, n)
		}
	}
}

// orderly is a log that records which events were published before their records.
type orderly struct {
	early  []string // events about stopped calls before their record
	events []journal.Event
}

func (o *orderly) Append(_ context.Context, r *mcpproxy.Record) error {
	for _, e := range o.events {
		if e.Record.ID == r.ID && e.Name != journal.EventStarted {
			o.early = append(o.early, e.Name)
		}
	}
	return nil
}
func (o *orderly) Add(*mcpproxy.Record) {}

func TestAStopIsOnDiskBeforeItsEventsArePublished(t *testing.T) {
	o := &orderly{}
	watch := func(e journal.Event) { o.events = append(o.events, e) }
	g := gatetest.New(t, gatetest.WithLog(o), gatetest.WithEvents(watch)).Gate
	g.Do(context.Background(), call("github", "get_file", `{"path":".env"}`), answer(content("TOKEN="+gitToken)))
	over := call("slack", "post_message", object("text", gitToken))
	g.Do(context.Background(), over, answer("{}"))
	hook := call("slack", "post_message", object("text", gitToken))
	hook.Channel = mcpproxy.ChannelHook
	g.Announced(context.Background(), hook, gate.Hook{})
	for _, id := range []string{over.ID, hook.ID} {
		if !slices.ContainsFunc(
			o.events,
			func(e journal.Event) bool { return e.Name == journal.EventFlowAlert && e.Record.ID == id },
		) {
			t.Errorf("no event about %s", id)
		}
	}
	if len(o.early) > 0 {
		t.Errorf("published before the record was on disk: %q", o.early)
	}
}
