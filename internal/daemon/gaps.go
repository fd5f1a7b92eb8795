package daemon

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"mcpproxy"
	"mcpproxy/internal/config"
	"mcpproxy/internal/ledger"
)

// gapFor is how long status, doctor and new sessions report calls that passed unjudged.
const gapFor = 24 * time.Hour

// gapWatch records the periods in which calls passed unseen, because hooks got no answer or no
// daemon ran. It also keeps the latest of them.
type gapWatch struct {
	unseen *unseenCalls
	away   *outages
}

// newGapWatch reads from the log how the last run ended and which gaps are still to be reported, so
// that a restart does not hide them. It must be called before this run writes a record.
func newGapWatch(ctx context.Context, c *config.Config, l *activityLog, current func() *config.Config) *gapWatch {
	g := &gapWatch{
		unseen: newUnseenCalls(c, l.monitor, current),
		away:   newOutages(c, l.monitor),
	}
	g.away.findLast(ctx, l.store)
	g.recall(ctx, l.store)
	return g
}

// configure applies a changed configuration.
func (g *gapWatch) configure(c *config.Config) { failClosedMarked(c) }

// recall reads recent gaps from the log.
func (g *gapWatch) recall(ctx context.Context, store ledger.Store) {
	q := ledger.Filter{
		Types: []mcpproxy.RecordType{mcpproxy.RecordGap},
		Start: time.Now().Add(-gapFor),
		Limit: 100,
		Own:   true,
	}
	err := store.Scan(ctx, q, func(r *mcpproxy.Record) error {
		switch gap, ok := mcpproxy.GapOf(r); {
		case !ok:
		case gap.Reason == mcpproxy.GapNoDaemon:
			keepLater(&g.unseen.last, gap)
		case gap.Reason.Outage():
			g.away.announceGap(gap)
		}
		return nil
	})
	if err != nil {
		slog.Warn("gaps in the activity log cannot be looked up", "error", err)
	}
}

// notice returns the message to the user at the start of a session, or "".
func (g *gapWatch) notice() string {
	var said []string
	for _, gap := range []*mcpproxy.Gap{g.unseen.recent(), g.away.recent()} {
		if gap != nil {
			said = append(said, gap.String())
		}
	}
	if len(said) == 0 {
		return ""
	}
	return "mcpproxy: " + strings.Join(said, "; ") + ". See them with: mcpproxy activity list --type gap"
}

// recentGap returns a gap that ended recently, or nil.
func recentGap(last *atomic.Pointer[mcpproxy.Gap]) *mcpproxy.Gap {
	if gap := last.Load(); gap != nil && time.Since(gap.To) < gapFor {
		return gap
	}
	return nil
}

// keepLater replaces a gap with another one that ended later.
func keepLater(last *atomic.Pointer[mcpproxy.Gap], gap mcpproxy.Gap) {
	if old := last.Load(); old == nil || gap.To.After(old.To) {
		last.Store(&gap)
	}
}
