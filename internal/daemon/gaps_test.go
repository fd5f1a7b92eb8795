package daemon

import (
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/gate"
)

func TestNewSessionsAreToldOfRecentGapsEvenAfterARestart(t *testing.T) {
	now := time.Now()
	hour := func(reason mcpproxy.GapReason, ago time.Duration) mcpproxy.Gap {
		return mcpproxy.Gap{
			Reason: reason,
			From:   now.Add(-ago - time.Hour),
			To:     now.Add(-ago),
			Lost:   3,
		}
	}
	gaps := func(all ...mcpproxy.Gap) []mcpproxy.Gap { return all }
	lately := now.Add(-time.Hour).UTC().Format(time.RFC3339)
	for name, c := range map[string]struct {
		logged []mcpproxy.Gap
		says   []string // "" if there are no gaps
	}{
		"no gap":                    {},
		"calls that hooks let pass": {gaps(hour(mcpproxy.GapNoDaemon, time.Hour)), []string{"3 calls were not seen"}},
		"a daemon that was killed":  {gaps(hour(mcpproxy.GapKilled, time.Hour)), []string{"crashed or was killed"}},
		"both": {
			gaps(hour(mcpproxy.GapNoDaemon, 0), hour(mcpproxy.GapKilled, 0)),
			[]string{"not seen", "; mcpproxy crashed"},
		},
		"calls that are long past": {gaps(hour(mcpproxy.GapNoDaemon, 2*gapFor)), nil},
		"records that are missing": {gaps(hour(mcpproxy.GapLogFailure, time.Hour)), nil},
		"a stop after the kill": {
			gaps(hour(mcpproxy.GapKilled, 5*time.Hour), hour(mcpproxy.GapStopped, time.Hour)),
			[]string{"crashed or was killed"},
		},
		"a kill before another kill": {
			gaps(hour(mcpproxy.GapKilled, 5*time.Hour), hour(mcpproxy.GapKilled, time.Hour)),
			[]string{lately},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newPartRig(t)
			for _, gap := range c.logged {
				if err := r.log.monitor.Append(t.Context(), gap.Record(gate.NewID())); err != nil {
					t.Fatal(err)
				}
			}
			g := newGapWatch(t.Context(), r.config, r.log, r.now)
			said := g.notice()
			if (said == "") != (len(c.says) == 0) {
				t.Errorf("it says %q", said)
			}
			for _, part := range c.says {
				if !strings.Contains(said, part) {
					t.Errorf("it says %q, and nothing of %q", said, part)
				}
			}
		})
	}
}
