package flow_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/flow"
)

const (
	// demoNote and demoSecret are texts that the session in the snapshots of testdata has read.
	demoNote   = "renewal at risk, asked for a 14 percent discount in March"
	demoSecret = "sk-proj-Zq7Rk2Wm9Xt4Vb8Nc3Hd6Jf5Lp1Ys0G"
)

// earlier calls f for every snapshot in testdata.
func earlier(t *testing.T, f func(t *testing.T, raw []byte)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "snapshot-*.gz"))
	if err != nil || len(files) < 3 {
		t.Fatalf("%d snapshots in testdata: %v", len(files), err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			file, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			unzipped, err := gzip.NewReader(file)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := io.ReadAll(unzipped)
			if err != nil {
				t.Fatal(err)
			}
			f(t, raw)
		})
	}
}

// A tracker that loads a snapshot of an earlier build either still finds the data or reports the session as lost.
func TestASnapshotOfAnEarlierBuildIsConvertedOrNamedAsLost(t *testing.T) {
	earlier(t, func(t *testing.T, raw []byte) {
		a := newAgent(t, limits)
		loaded, err := a.tracker.Load(strings.NewReader(string(raw)))
		if err != nil {
			t.Fatal(err)
		}
		a.principal, a.session = "local", ""
		for key := range a.store.All() {
			if strings.HasPrefix(key, "mcp:local:") {
				a.session = key
			}
		}
		s, ok := a.store.Peek(a.session)
		if !ok {
			t.Fatalf("the session is gone; there are %d", len(a.store.All()))
		}
		sum := s.Summary()
		if sum.Origins != 2 || sum.Legs.Private == nil || sum.Legs.Sensitive == nil || len(sum.Tools) != 2 {
			t.Errorf("origins, legs or tools are lost: %+v", sum)
		}
		lost := slices.Contains(loaded.Lost, a.session)
		if bucket := slices.Contains(loaded.Lost, flow.PrincipalPrefix+"local"); bucket != lost {
			t.Errorf("the session is lost: %t; the bucket of its principal is lost: %t", lost, bucket)
		}
		for _, said := range []string{demoNote, demoSecret} {
			edges := a.sends("chat", external, says(said))
			found := len(edges) == 1 && edges[0].Type == mcpproxy.InternalToExternal && edges[0].From.Server != ""
			if found == lost {
				t.Errorf("%q: found: %t, lost: %t", said, found, lost)
			}
		}
	})
}

// marked returns an agent whose session has lost results.
func marked(t *testing.T) *agent {
	a := newAgent(t, limits)
	a.reads("files", internal, content(config))
	a.tracker.Lose(a.session, flow.Loss{Record: "gap-1", Time: time.Now()}, mcpproxy.Legs{})
	return a
}

func TestASessionWithLostOriginsAssumesAFlowToEveryExternalDestination(t *testing.T) {
	a := marked(t)
	for name, c := range map[string]struct {
		to    mcpproxy.Class
		args  string
		risk  mcpproxy.RiskLevel
		match string
	}{
		"to an external server":      {external, says("nothing that was ever read"), mcpproxy.RiskMedium, flow.MatchLost},
		"to a hybrid server":         {hybrid, says("nothing that was ever read"), mcpproxy.RiskMedium, flow.MatchLost},
		"data whose origin is known": {external, says(plainKey), mcpproxy.RiskMedium, ""},
		"to an internal server":      {internal, says("nothing that was ever read"), "", ""},
		"without arguments":          {external, "{}", "", ""},
	} {
		edges := a.sends("chat", c.to, c.args)
		if c.risk == "" {
			if len(edges) > 0 {
				t.Errorf("%s: %+v", name, edges)
			}
			continue
		}
		if len(edges) != 1 || edges[0].Type != mcpproxy.InternalToExternal || edges[0].Risk.Rank() < c.risk.Rank() {
			t.Errorf("%s: %+v", name, edges)
		} else if c.match != "" && (edges[0].Match != c.match || edges[0].From.CallID != "gap-1") {
			t.Errorf("%s: %+v", name, edges[0])
		} else if c.match == "" && edges[0].Match == flow.MatchLost {
			t.Errorf("%s: the known origin is not named: %+v", name, edges[0])
		}
	}
	if edges := a.in("session-2", "alice").sends("chat", external, says("hello there")); len(edges) > 0 {
		t.Errorf("another session: %+v", edges)
	}
}

func TestALossSurvivesSnapshotsAndJoinedSessions(t *testing.T) {
	a := marked(t)
	a.tracker.Join(a.session, "hook:h")
	b := restarted(t, snapshot(t, a))
	b.calls = 100
	old := b.in("session-1", "alice")
	old.calls = 200 // call ids must differ
	for name, c := range map[string]*agent{"joined": a.in("hook:h", "alice"), "joined and restarted": b.in("hook:h", "alice"), "its old name": old} {
		edges := c.sends("chat", external, says("hello there"))
		if len(edges) != 1 || edges[0].Match != flow.MatchLost {
			t.Errorf("%s: %+v", name, edges)
		}
	}
}

func TestALossOfAPrincipalHoldsForItsSessionsUntilItEnds(t *testing.T) {
	for name, c := range map[string]struct {
		until time.Time
		want  int
	}{"before": {time.Now().Add(time.Hour), 1}, "after": {time.Now().Add(-time.Second), 0}} {
		a := newAgent(t, limits)
		a.tracker.LosePrincipal("alice", flow.Loss{Record: "gap-1", Time: time.Now(), Until: c.until})
		if edges := a.sends("chat", external, says("hello there")); len(edges) != c.want {
			t.Errorf("%s its time: %+v", name, edges)
		}
		if edges := a.in("session-1", "bob").sends("chat", external, says("hello there")); len(edges) != 0 {
			t.Errorf("another principal: %+v", edges)
		}
	}
}

// If a newer build wrote the snapshot, this build loads the sessions. It marks each session whose results it cannot
// load.
func TestSessionsOfANewerSnapshotAreLoadedAndMarkedAsLost(t *testing.T) {
	raw := strings.Replace(string(snapshot(t, busy(t))), `{"version":1,`, `{"version":9,`, 1)
	a := newAgent(t, limits)
	loaded, err := a.tracker.Load(strings.NewReader(raw))
	if err != nil || loaded.Version != 9 {
		t.Fatalf("version %d, %v", loaded.Version, err)
	}
	for key, s := range a.store.All() {
		if s.Summary().Origins > 0 != slices.Contains(loaded.Lost, key) {
			t.Errorf("%s has read %d results; lost are %v", key, s.Summary().Origins, loaded.Lost)
		}
	}
	if len(loaded.Lost) < 2 {
		t.Errorf("lost: %v", loaded.Lost)
	}
}

func TestASnapshotSaysAfterWhichRecordItWasTaken(t *testing.T) {
	a := busy(t)
	var raw strings.Builder
	before := time.Now().Add(-time.Second)
	if err := a.tracker.Save(&raw, "01RECORD"); err != nil {
		t.Fatal(err)
	}
	loaded, err := newAgent(t, limits).tracker.Load(strings.NewReader(raw.String()))
	if err != nil || loaded.Record != "01RECORD" || loaded.Time.Before(before) || len(loaded.Lost) > 0 {
		t.Errorf("%+v, %v", loaded, err)
	}
}

func TestAFlowIsAssumedOnceForTheDocumentsOfACall(t *testing.T) {
	a := marked(t)
	args := a.passage("chat", "post", external, says("hello there"), "arguments")
	extra := a.passage("chat", "post", external, says("a label"), "params")
	extra.Call = args.Call
	if first, second := a.tracker.Check(args).Edges, a.tracker.Check(extra).Edges; len(first) != 1 || len(second) != 0 {
		t.Errorf("arguments: %+v\nthe rest: %+v", first, second)
	}
}
