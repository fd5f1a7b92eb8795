package daemon

import (
	"path/filepath"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/ledger/sqlite"
)

// The log and the time at which a daemon was last alive show how long no daemon ran.
func TestTheLogSaysHowTheLastRunEnded(t *testing.T) {
	now := time.Now().UTC().Truncate(time.Second)
	ago := func(minutes int) time.Time { return now.Add(-time.Duration(minutes) * time.Minute) }
	type entry struct {
		kind    mcpproxy.RecordType
		source  string
		minutes int
	}
	killed := func(from time.Time) *mcpproxy.Gap { return &mcpproxy.Gap{Reason: mcpproxy.GapKilled, From: from} }
	stopped := func(from time.Time) *mcpproxy.Gap { return &mcpproxy.Gap{Reason: mcpproxy.GapStopped, From: from} }
	start := entry{mcpproxy.RecordSystemStart, "system", 60}
	call := entry{mcpproxy.RecordToolCall, "mcp", 40}
	stop := entry{mcpproxy.RecordSystemStop, "system", 30}
	command := entry{mcpproxy.RecordConfigChange, "cli", 10}
	for name, c := range map[string]struct {
		log   []entry
		alive time.Time
		want  *mcpproxy.Gap
	}{
		"a new log":             {},
		"only commands":         {log: []entry{command}},
		"stopped":               {log: []entry{start, call, stop}, want: stopped(ago(30))},
		"stopped, then changed": {log: []entry{start, stop, command}, want: stopped(ago(30))},
		"killed":                {log: []entry{start, call}, want: killed(ago(40))},
		"killed, then changed":  {log: []entry{start, call, command}, want: killed(ago(40))},
		"killed later":          {log: []entry{start, call}, alive: ago(20), want: killed(ago(20))},
		"an old time of life":   {log: []entry{start, call}, alive: ago(50), want: killed(ago(40))},
		"a time still to come":  {log: []entry{start, call}, alive: ago(-5), want: killed(ago(40))},
		"killed after a stop": {
			log:   []entry{start, stop, {mcpproxy.RecordSystemStart, "system", 20}},
			alive: ago(25),
			want:  killed(ago(20)),
		},
		"the start is no longer kept": {log: []entry{call}, want: killed(ago(40))},
		"the clock was set back": {
			log:  []entry{{mcpproxy.RecordSystemStart, "system", -60}},
			want: killed(now),
		},
	} {
		t.Run(name, func(t *testing.T) {
			store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "activity.db"))
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			for _, e := range c.log {
				r := &mcpproxy.Record{
					ID:        gate.NewID(),
					Type:      e.kind,
					Source:    e.source,
					Timestamp: ago(e.minutes),
				}
				if err := store.Append(t.Context(), []*mcpproxy.Record{r}); err != nil {
					t.Fatal(err)
				}
			}
			gap, err := lastOutage(t.Context(), store, c.alive, now)
			if err != nil {
				t.Fatal(err)
			}
			if (gap == nil) != (c.want == nil) {
				t.Fatalf("got %v, want %v", gap, c.want)
			}
			if gap != nil && (gap.Reason != c.want.Reason || !gap.From.Equal(c.want.From) || !gap.To.Equal(now)) {
				t.Errorf("got %v from %v to %v, want %v", gap, gap.From, gap.To, c.want)
			}
		})
	}
}

// A file that says when the daemon last ran is ignored if it is not sealed with the daemon's key.
func TestAForgedTimeOfLifeIsIgnored(t *testing.T) {
	w := newWatched(t)
	o := newOutages(w.Config(), w.log.monitor)
	if err := o.mark(); err != nil {
		t.Fatal(err)
	}
	if at := o.alive(); time.Since(at) > time.Minute {
		t.Errorf("the daemon was seen at work at %v", at)
	}
	o.key = make([]byte, len(o.key))
	if at := o.alive(); !at.IsZero() {
		t.Errorf("with another key it was seen at work at %v", at)
	}
}

// A process that was suspended counts as an outage. One that is busy for a moment does not.
func TestASuspendedProcessCountsAsAnOutage(t *testing.T) {
	w := newWatched(t)
	o := newOutages(w.Config(), w.log.monitor)
	slept := time.Now()
	o.detectFreeze(slept, slept.Add(frozenLook+time.Second))
	if o.found != nil {
		t.Errorf("a moment counts as %v", o.found)
	}
	o.detectFreeze(slept, slept.Add(time.Minute))
	o.record()
	if gap := o.recent(); gap == nil || gap.Reason != mcpproxy.GapFrozen || gap.To.Sub(gap.From) != time.Minute {
		t.Errorf("a minute counts as %v", gap)
	}
	o.announceGap(mcpproxy.Gap{Reason: mcpproxy.GapStopped, From: slept, To: slept.Add(time.Hour)})
	if gap := o.recent(); gap == nil || gap.Reason != mcpproxy.GapFrozen {
		t.Errorf("a later stop hides it behind %v", gap)
	}
}
