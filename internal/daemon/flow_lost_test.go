package daemon

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon/intake"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/state/sealed"
	"mcpproxy/internal/text"
)

const (
	timeout = time.Hour
	ever    = 1_000_000 * time.Hour // the snapshots in testdata are old
)

// reads makes a session read a result, and records it, as the gate does.
func (f *flowSessions) reads(t *testing.T, session string, ago time.Duration) {
	t.Helper()
	doc, err := text.Parse([]byte(`{"text":"the discount is fourteen percent, and nobody may know"}`), "response")
	if err != nil {
		t.Fatal(err)
	}
	call := &mcpproxy.Call{
		ID:          gate.NewID(),
		Server:      "files",
		Tool:        "read",
		FlowSession: session,
		Principal:   "local",
	}
	f.tracker.Record(flow.Transfer{Call: call, Class: mcpproxy.Class{Side: mcpproxy.Internal}, Doc: doc})
	f.append(
		t,
		&mcpproxy.Record{Timestamp: time.Now().Add(-ago), FlowSessionID: session, Status: mcpproxy.StatusSuccess},
	)
}

// append adds the record of a call.
func (f *flowSessions) append(t *testing.T, r *mcpproxy.Record) {
	t.Helper()
	r.ID = gate.NewID()
	r.Type = mcpproxy.RecordToolCall
	r.ToolName = "read"
	r.ServerName = "files"
	r.Principal = "local"
	if err := f.log.ledger.Append(t.Context(), r); err != nil {
		t.Fatal(err)
	}
}

// lost returns the marked sessions, and the gap records in the log.
func (f *flowSessions) lost(t *testing.T) (keys []string, gaps []*mcpproxy.Record) {
	t.Helper()
	for key, s := range f.sessions.All() {
		if s.Summary().Loss.Matters() {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	f.log.Close()
	q := ledger.Filter{Types: []mcpproxy.RecordType{mcpproxy.RecordGap}}
	err := f.store.Scan(context.Background(), q, func(r *mcpproxy.Record) error {
		gaps = append(gaps, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	f.store.Close()
	return keys, gaps
}

func TestAfterACleanEndNoSessionIsMarked(t *testing.T) {
	dir := t.TempDir()
	f := openFlows(t, dir)
	f.reads(t, "hook:a", 0)
	f.state.save()
	late := &mcpproxy.Record{Timestamp: time.Now(), FlowSessionID: "hook:a", Status: mcpproxy.StatusSuccess}
	f.append(t, late)
	f.log.stopped()
	f.close()
	f.crash()

	f = openFlows(t, dir)
	f.resume(timeout)
	if keys, gaps := f.lost(t); len(keys)+len(gaps) > 0 {
		t.Errorf("marked: %v, gaps: %d", keys, len(gaps))
	}
}

func TestAfterACrashTheSessionsThatReadSomethingSinceTheSnapshotAreMarked(t *testing.T) {
	dir := t.TempDir()
	f := openFlows(t, dir)
	f.reads(t, "hook:quiet", 0)
	f.reads(t, "hook:busy", 0)
	f.state.save()
	f.reads(t, "hook:busy", 0)
	f.reads(t, "hook:new", 0)
	stopped := &mcpproxy.Record{Timestamp: time.Now(), FlowSessionID: "hook:quiet", Status: mcpproxy.StatusBlocked}
	f.append(t, stopped) // the session has read nothing
	f.crash()

	f = openFlows(t, dir)
	alarms := make(chan string, 10)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		alarms <- string(body)
	}))
	defer hook.Close()
	c := config.Default()
	c.Security.Alerts.WebhookURL = hook.URL
	f.log.configure(c)
	f.resume(timeout)
	select {
	case alarm := <-alarms:
		if !strings.Contains(alarm, intake.EventIntegrity) || !strings.Contains(alarm, "flow_state_lost") {
			t.Errorf("the alarm is %s", alarm)
		}
	case <-time.After(10 * time.Second):
		t.Error("nobody is told")
	}
	if n := api.CountLost(f.sessions); n != 2 {
		t.Errorf("status says %d", n)
	}
	keys, gaps := f.lost(t)
	if diff := cmp.Diff([]string{"hook:busy", "hook:new"}, keys); diff != "" {
		t.Error(diff)
	}
	if len(gaps) != 1 {
		t.Fatalf("gaps: %+v", gaps)
	}
	if said := gaps[0].Metadata.Detail; said["reason"] != "flow_state_lost" || fmt.Sprint(said["sessions"]) != "2" {
		t.Errorf("the record says %v", said)
	}
}

// A call's result reaches its session before its record reaches the log. A snapshot between the two contains the
// result but names an earlier record. The next snapshot names the call's own record, so that the result does not count
// as lost.
func TestAResultThatIsInTheSnapshotIsNotLostWhenItsRecordCameLater(t *testing.T) {
	dir := t.TempDir()
	f := openFlows(t, dir)
	f.theft(t, "mcp:local:/mcp")
	f.state.save()
	f.append(t, &mcpproxy.Record{
		Timestamp:     time.Now(),
		FlowSessionID: "mcp:local:/mcp",
		Status:        mcpproxy.StatusSuccess,
	})
	f.state.save()
	if f.state.record != f.lastRecord() {
		t.Errorf("the snapshot names the record %q, and the last one is %q", f.state.record, f.lastRecord())
	}
	written := f.state.record
	f.append(t, &mcpproxy.Record{Timestamp: time.Now(), Status: mcpproxy.StatusSuccess})
	if !f.state.save() || f.state.record != written {
		t.Error("a snapshot was written although no session had changed")
	}
	f.crash()

	f = openFlows(t, dir)
	f.resume(timeout)
	if keys, gaps := f.lost(t); len(keys) != 0 || len(gaps) != 0 {
		t.Errorf("marked %v, %d gaps", keys, len(gaps))
	}
}

func TestAResultAfterTheSnapshotCountsAsLostHoweverEarlyItsCallBegan(t *testing.T) {
	dir := t.TempDir()
	f := openFlows(t, dir)
	f.reads(t, "hook:quiet", 0)
	f.state.save()
	f.append(t, &mcpproxy.Record{
		Timestamp:     time.Now().Add(-timeout / 2),
		DurationMS:    60_000,
		FlowSessionID: "hook:slow",
		Status:        mcpproxy.StatusSuccess,
	})
	f.crash()
	f = openFlows(t, dir)
	f.resume(timeout)
	if keys, _ := f.lost(t); !slices.Equal(keys, []string{"hook:slow"}) {
		t.Errorf("marked: %v", keys)
	}
}

func TestWithoutAUsableSnapshotTheSessionsInTheLogAreMarked(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, dir string) error{
		"missing":     func(_ *testing.T, dir string) error { return os.Remove(filepath.Join(dir, "flow.state")) },
		"cut off":     func(_ *testing.T, dir string) error { return os.Truncate(filepath.Join(dir, "flow.state"), 100) },
		"empty":       func(_ *testing.T, dir string) error { return os.Truncate(filepath.Join(dir, "flow.state"), 0) },
		"another key": func(_ *testing.T, dir string) error { return os.Remove(filepath.Join(dir, "state.key")) },
		"an invalid key": func(_ *testing.T, dir string) error {
			return os.WriteFile(filepath.Join(dir, "state.key"), []byte("none"), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			f := openFlows(t, dir)
			f.reads(t, "hook:old", 2*timeout)
			f.reads(t, "hook:a", timeout/2)
			leg := &mcpproxy.Leg{CallID: "01A", Name: "vault:read"}
			f.append(t, &mcpproxy.Record{
				Timestamp:     time.Now(),
				FlowSessionID: "hook:b",
				Status:        mcpproxy.StatusSuccess,
				Metadata:      mcpproxy.Metadata{Facts: mcpproxy.Facts{Legs: mcpproxy.Legs{Private: leg, Sensitive: leg}}},
			})
			f.log.stopped()
			f.close()
			f.crash()
			if err := spoil(t, dir); err != nil {
				t.Fatal(err)
			}

			f = openFlows(t, dir)
			f.resume(timeout)
			if got := f.tracker.Legs("hook:b"); got.Sensitive == nil || got.Sensitive.CallID != "01A" {
				t.Errorf("legs: %+v", got)
			}
			keys, gaps := f.lost(t)
			if diff := cmp.Diff([]string{"hook:a", "hook:b", "principal:local"}, keys); diff != "" {
				t.Error(diff)
			}
			if len(gaps) != 1 {
				t.Errorf("%d gaps", len(gaps))
			}
		})
	}
}

// flowSnapshots are snapshots that earlier builds wrote.
var flowSnapshots = filepath.Join("..", "flow", "testdata")

func TestTheSessionsOfASnapshotThatThisBuildCannotReadAreMarked(t *testing.T) {
	for _, commit := range []string{"fd92478", "e973344", "8189aa7"} { // of the forms 2, 4 and 6
		t.Run(commit, func(t *testing.T) {
			dir := t.TempDir()
			sealAs(t, dir, filepath.Join(flowSnapshots, "snapshot-"+commit+".gz"))
			f := openFlows(t, dir)
			f.resume(ever)
			keys, gaps := f.lost(t)
			if len(keys) != 2 || !strings.HasPrefix(keys[0], "mcp:local:") || keys[1] != "principal:local" {
				t.Fatalf("marked: %v", keys)
			}
			if len(gaps) != 1 ||
				!strings.Contains(fmt.Sprint(gaps[0].Metadata.Detail["cause"]), "another version of mcpproxy") {
				t.Errorf("gaps: %+v", gaps)
			}
			edges := f.posts(t, keys[0], "lunch at noon?")
			if len(edges) != 1 || edges[0].Type != mcpproxy.InternalToExternal {
				t.Errorf("edges: %+v", edges)
			}
		})
	}
}

// The build before has the same form, without the names of documents that a session has read.
func TestTheSessionsOfTheBuildBeforeGoOnAfterAnUpgrade(t *testing.T) {
	dir := t.TempDir()
	sealAs(t, dir, filepath.Join(flowSnapshots, "snapshot-6aeed63.gz"))
	f := openFlows(t, dir)
	f.resume(ever)
	if keys, gaps := f.lost(t); len(keys)+len(gaps) > 0 {
		t.Fatalf("marked: %v, gaps: %+v", keys, gaps)
	}
	const session = "mcp:local:3QMZO267TKT6B6WG5ONIHV6XHQ"
	for said, from := range map[string]string{
		"deploy with sk-proj-Zq7Rk2Wm9Xt4Vb8Nc3Hd6Jf5Lp1Ys0G":               "vault",
		"Aurora: renewal at risk, asked for a 14 percent discount in March": "database",
		"lunch at noon?": "",
	} {
		got := ""
		for _, e := range f.posts(t, session, said) {
			got = e.From.Server
		}
		if got != from {
			t.Errorf("%q comes from %q, want %q", said, got, from)
		}
	}
}

// posts returns where a message comes from that a session posts.
func (f *flowSessions) posts(t *testing.T, session, said string) []mcpproxy.Edge {
	t.Helper()
	doc, err := text.Parse([]byte(fmt.Sprintf(`{"text":%q}`, said)), "arguments")
	if err != nil {
		t.Fatal(err)
	}
	call := &mcpproxy.Call{
		ID:          "c",
		Server:      "chat",
		Tool:        "post",
		FlowSession: session,
		Principal:   "local",
	}
	return f.tracker.Check(flow.Transfer{Call: call, Class: mcpproxy.Class{Side: mcpproxy.External}, Doc: doc}).Edges
}

// sealAs writes a snapshot to a data folder, in the form of the build that made it.
func sealAs(t *testing.T, dir, name string) {
	t.Helper()
	key, err := sealed.Key(filepath.Join(dir, "state.key"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	err = sealed.Write(filepath.Join(dir, "flow.state"), key, func(w io.Writer) error {
		_, err := io.Copy(w, z)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
