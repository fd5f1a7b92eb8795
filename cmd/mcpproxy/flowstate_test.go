package main

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
	"mcpproxy/internal/state/memory"
	"mcpproxy/internal/text"
)

// flowDaemon is as much of a daemon as its flow sessions need.
func flowDaemon(t *testing.T, dir string) *daemon {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(dir, "activity.db"))
	if err != nil {
		t.Fatal(err)
	}
	d := &daemon{store: store, events: api.NewEvents()}
	d.log = newMonitor(d, config.Default(), ledger.NewLog(store))
	d.sessions = memory.New(0, func(string) *flow.Session { return flow.NewSession() }, d.sessionEnded)
	d.tracker = flow.New(d.sessions, flow.Limits{Enabled: true, MaxOrigins: 100, MinLength: 20, MaxBytes: 65536})
	d.state = newFlowState(dir, d.tracker)
	return d
}

// crash ends the daemon without a word to its sessions.
func (d *daemon) crash() {
	d.log.Close()
	d.store.Close()
}

// theft lets a session read a key and send it on.
func (d *daemon) theft(t *testing.T, session string) {
	t.Helper()
	doc, err := text.Parse([]byte(`{"text":"q7Rk2vXw9LmZt4BcYd8HsN3f"}`), "x")
	if err != nil {
		t.Fatal(err)
	}
	d.tracker.Record(flow.Passage{Call: &mcpproxy.Call{Server: "files", FlowSession: session}, Class: mcpproxy.Class{Side: mcpproxy.Internal}, Doc: doc})
	d.tracker.Check(flow.Passage{Call: &mcpproxy.Call{Server: "chat", FlowSession: session}, Class: mcpproxy.Class{Side: mcpproxy.External}, Doc: doc})
}

// summaries are the flow_summary records of a data folder.
func summaries(t *testing.T, dir string) []*mcpproxy.Record {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(dir, "activity.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var out []*mcpproxy.Record
	filter := ledger.Filter{Types: []mcpproxy.RecordType{mcpproxy.RecordFlowSummary}, Limit: 100}
	if err := store.Scan(context.Background(), filter, func(r *mcpproxy.Record) error { out = append(out, r); return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestASessionHasOneSummaryHoweverOftenTheDaemonStarts(t *testing.T) {
	dir := t.TempDir()
	d := flowDaemon(t, dir)
	d.theft(t, "mcp:local:/mcp")
	d.leaveSessions()
	d.crash()
	if got := summaries(t, dir); len(got) != 0 {
		t.Fatalf("a session that goes on has %d summaries", len(got))
	}

	d = flowDaemon(t, dir)
	d.resume(time.Hour)
	d.leaveSessions()
	d.crash()
	if got := summaries(t, dir); len(got) != 0 {
		t.Fatalf("a session that is in use has %d summaries", len(got))
	}

	for range 2 { // the crash keeps the end of the session out of the file
		d = flowDaemon(t, dir)
		d.resume(time.Nanosecond)
		d.crash()
		got := summaries(t, dir)
		if len(got) != 1 {
			t.Fatalf("a session that ended has %d summaries", len(got))
		}
		if r := got[0]; r.FlowSessionID != "mcp:local:/mcp" || r.RiskLevel != mcpproxy.RiskMedium || r.FlowType != mcpproxy.InternalToExternal {
			t.Errorf("got %+v", r)
		}
	}
}

func TestSessionsThatCannotBeSavedEndWithTheDaemon(t *testing.T) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "state.key"), []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := flowDaemon(t, dir)
	d.resume(time.Hour)
	d.theft(t, "mcp:local:/mcp")
	d.leaveSessions()
	d.crash()
	if got := summaries(t, dir); len(got) != 1 {
		t.Errorf("%d summaries", len(got))
	}
}
