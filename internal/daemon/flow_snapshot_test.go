package daemon

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/config"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/sqlite"
	"mcpproxy/internal/telemetry/metrics"
	"mcpproxy/internal/text"
)

// openFlows opens the flow sessions of a data folder, as a daemon does.
func openFlows(t *testing.T, dir string) *flowSessions {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(dir, "activity.db"))
	if err != nil {
		t.Fatal(err)
	}
	c := config.Default()
	c.DataDir = dir
	c.Security.FlowTracking.SessionTimeoutMinutes = 0 // the test decides when a session times out
	c.Security.FlowPolicy.RequireJustification = false
	log := newMonitor(c, ledger.NewLog(store), api.NewEvents(), metrics.Known{})
	return newFlowSessions(c, store, log, func(string) {})
}

// crash ends the daemon without closing its sessions.
func (f *flowSessions) crash() {
	f.log.Close()
	f.store.Close()
}

// theft makes a session read a key and send it.
func (f *flowSessions) theft(t *testing.T, session string) {
	t.Helper()
	doc, err := text.Parse([]byte(`{"text":"q7Rk2vXw9LmZt4BcYd8HsN3f"}`), "x")
	if err != nil {
		t.Fatal(err)
	}
	f.tracker.Record(
		flow.Transfer{
			Call:  &mcpproxy.Call{Server: "files", FlowSession: session},
			Class: mcpproxy.Class{Side: mcpproxy.Internal},
			Doc:   doc,
		},
	)
	f.tracker.Check(
		flow.Transfer{
			Call:  &mcpproxy.Call{Server: "chat", FlowSession: session},
			Class: mcpproxy.Class{Side: mcpproxy.External},
			Doc:   doc,
		},
	)
}

// summaries returns the flow_summary records of a data folder.
func summaries(t *testing.T, dir string) []*mcpproxy.Record {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(dir, "activity.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var out []*mcpproxy.Record
	filter := ledger.Filter{Types: []mcpproxy.RecordType{mcpproxy.RecordFlowSummary}, Limit: 100}
	if err := store.Scan(
		context.Background(),
		filter,
		func(r *mcpproxy.Record) error { out = append(out, r); return nil },
	); err != nil {
		t.Fatal(err)
	}
	return out
}

// Shows: FR-090.
func TestASessionHasOneSummaryHoweverOftenTheDaemonStarts(t *testing.T) {
	dir := t.TempDir()
	f := openFlows(t, dir)
	f.theft(t, "mcp:local:/mcp")
	f.close()
	f.crash()
	if got := summaries(t, dir); len(got) != 0 {
		t.Fatalf("a session that goes on has %d summaries", len(got))
	}

	f = openFlows(t, dir)
	f.resume(time.Hour)
	f.close()
	f.crash()
	if got := summaries(t, dir); len(got) != 0 {
		t.Fatalf("a session that is in use has %d summaries", len(got))
	}

	for range 2 { // because of the crash, the file does not contain the end of the session
		f = openFlows(t, dir)
		f.resume(time.Nanosecond)
		f.crash()
		got := summaries(t, dir)
		if len(got) != 1 {
			t.Fatalf("a session that ended has %d summaries", len(got))
		}
		r := got[0]
		if r.FlowSessionID != "mcp:local:/mcp" || r.RiskLevel != mcpproxy.RiskMedium ||
			r.FlowType != mcpproxy.InternalToExternal {
			t.Errorf("got %+v", r)
		}
	}
}

// The summary of an agent's session has the agent's own session id.
// Shows: FR-092.
func TestTheSummaryOfAHookSessionHasTheAgentsID(t *testing.T) {
	dir := t.TempDir()
	f := openFlows(t, dir)
	f.theft(t, "hook:agent-7")
	f.close()
	f.crash()
	f = openFlows(t, dir)
	f.resume(time.Nanosecond)
	f.crash()
	got := summaries(t, dir)
	if len(got) != 1 || got[0].SessionID != "agent-7" || got[0].FlowSessionID != "hook:agent-7" {
		t.Errorf("got %+v", got)
	}
}

func TestSessionsThatCannotBeSavedEndWithTheDaemon(t *testing.T) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "state.key"), []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := openFlows(t, dir)
	f.resume(time.Hour)
	f.theft(t, "mcp:local:/mcp")
	f.close()
	f.crash()
	if got := summaries(t, dir); len(got) != 1 {
		t.Errorf("%d summaries", len(got))
	}
}

func TestSnapshotsWriteAMegabyteASecondAtMost(t *testing.T) {
	for bytes, want := range map[int64]time.Duration{
		0:         stateEvery,
		1 << 20:   stateEvery,
		10 << 20:  10 * time.Second,
		200 << 20: 200 * time.Second,
	} {
		if got := pauseAfter(time.Millisecond, bytes); got != want {
			t.Errorf("%d bytes: the next snapshot after %s", bytes, got)
		}
	}
	if got := pauseAfter(time.Second, 0); got != 50*time.Second {
		t.Errorf("a snapshot that took a second: the next one after %s", got)
	}
}
