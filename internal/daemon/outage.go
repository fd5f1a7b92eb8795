package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"time"

	"mcpproxy"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon/intake"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/settings"
	"mcpproxy/internal/state/sealed"
)

// aliveFile stores when this or an earlier daemon last ran. It is sealed, because a forged time
// would shorten the reported outage.
const aliveFile = "alive"

const (
	aliveEvery = 30 * time.Second // between two writes of aliveFile
	frozenLook = 2 * time.Second
	// frozenAfter is how late a check must be for the process to count as frozen. On a suspended
	// machine the clock that measures it stops.
	frozenAfter = 10 * time.Second
)

// outages records the periods in which no daemon ran, whether or not a hook recorded calls. A
// killed daemon leaves no record of its stop.
type outages struct {
	log    *monitor
	path   string // path of aliveFile
	key    []byte // nil without a key
	hooked bool   // hooks are installed

	found *mcpproxy.Gap // outage before this run that is not recorded yet
	last  atomic.Pointer[mcpproxy.Gap]
}

func newOutages(c *config.Config, log *monitor) *outages {
	o := &outages{
		log:    log,
		path:   filepath.Join(c.DataDir, aliveFile),
		hooked: len(settings.Files(HookBackups(c))) > 0,
	}
	var err error
	if o.key, err = sealed.Key(filepath.Join(c.DataDir, "state.key")); err != nil {
		slog.Warn("cannot save when this daemon runs; after a crash, the outage counts from the last record",
			"error", err)
		o.key = nil
	}
	return o
}

// findLast determines how and when the last run ended. Only the log says whether somebody stopped
// that run. If it was killed, aliveFile says how long it ran after its last record.
func (o *outages) findLast(ctx context.Context, store ledger.Store) {
	gap, err := lastOutage(ctx, store, o.alive(), time.Now())
	switch {
	case err != nil:
		slog.Warn("cannot find out how the last run of mcpproxy ended", "error", err)
	case gap != nil && (gap.Reason != mcpproxy.GapStopped || o.hooked):
		o.found = gap
	}
}

// errEnough ends a scan.
var errEnough = errors.New("enough")

// lastOutage returns the time since the last run, which was alive at the time alive, or nil if
// there was no outage.
func lastOutage(ctx context.Context, store ledger.Store, alive, now time.Time) (*mcpproxy.Gap, error) {
	newest := func(types []mcpproxy.RecordType, fits func(*mcpproxy.Record) bool) (found *mcpproxy.Record, err error) {
		err = store.Scan(ctx, ledger.Filter{Types: types, Brief: true, Own: true}, func(r *mcpproxy.Record) error {
			if fits(r) {
				found = r
				return errEnough
			}
			return nil
		})
		if errors.Is(err, errEnough) {
			err = nil
		}
		return found, err
	}
	// Commands write to the log while the daemon is not running.
	last, err := newest(nil, func(r *mcpproxy.Record) bool { return r.Source != "cli" })
	if last == nil || err != nil {
		return nil, err
	}
	turns := []mcpproxy.RecordType{mcpproxy.RecordSystemStart, mcpproxy.RecordSystemStop}
	turn, err := newest(turns, func(*mcpproxy.Record) bool { return true })
	if err != nil {
		return nil, err
	}
	gap := &mcpproxy.Gap{Reason: mcpproxy.GapKilled, From: ended(last), To: now}
	switch {
	case turn != nil && turn.Type == mcpproxy.RecordSystemStop:
		gap.Reason, gap.From = mcpproxy.GapStopped, turn.Timestamp
	case alive.After(gap.From) && alive.Before(now):
		gap.From = alive
	}
	if gap.From.After(now) { // the clock was set back
		gap.From = now
	}
	return gap, nil
}

// alive returns when a daemon last ran, or the zero time if unknown.
func (o *outages) alive() (at time.Time) {
	if o.key == nil {
		return at
	}
	err := sealed.Read(o.path, o.key, func(r io.Reader) error {
		return json.NewDecoder(io.LimitReader(r, 1<<10)).Decode(&at)
	})
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			slog.Warn("cannot read when the last daemon ran; the outage is counted from the last record",
				"file", o.path, "error", err)
		}
		return time.Time{}
	}
	return at
}

// mark writes that this daemon is running.
func (o *outages) mark() error {
	if o.key == nil {
		return nil
	}
	return sealed.Write(o.path, o.key, func(w io.Writer) error { return json.NewEncoder(w).Encode(time.Now().UTC()) })
}

// keep records outages until ctx ends.
func (o *outages) keep(ctx context.Context) {
	tick := time.NewTicker(frozenLook)
	defer tick.Stop()
	var marked time.Time
	for {
		o.record()
		if time.Since(marked) >= aliveEvery {
			if err := o.mark(); err != nil {
				slog.Debug("could not save that this daemon is running", "error", err)
			}
			marked = time.Now()
		}
		slept := time.Now()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		o.detectFreeze(slept, time.Now())
	}
}

// detectFreeze detects that the process was frozen between two checks.
func (o *outages) detectFreeze(slept, now time.Time) {
	if o.found == nil && now.Sub(slept) > frozenLook+frozenAfter {
		o.found = &mcpproxy.Gap{Reason: mcpproxy.GapFrozen, From: slept, To: now}
	}
}

// record writes the found outage to the log. If that fails, the next check tries again.
func (o *outages) record() {
	if o.found == nil {
		return
	}
	record := o.found.Record(gate.NewID())
	if o.found.Reason != mcpproxy.GapStopped {
		record.RiskLevel = mcpproxy.RiskHigh
	}
	if err := o.log.Append(context.Background(), record); err != nil {
		return
	}
	o.announceGap(*o.found)
	if o.found.Reason != mcpproxy.GapStopped {
		slog.Warn(fmt.Sprint(o.found))
		o.log.publishRecord(intake.EventIntegrity, record)
	}
	o.found = nil
}

// announceGap makes status, doctor and new sessions report an outage. A later intended stop does not
// hide an unintended outage.
func (o *outages) announceGap(gap mcpproxy.Gap) {
	if old := o.recent(); old != nil && old.Reason != mcpproxy.GapStopped && gap.Reason == mcpproxy.GapStopped {
		return
	}
	if old := o.recent(); old != nil && old.Reason == mcpproxy.GapStopped && gap.Reason != mcpproxy.GapStopped {
		o.last.Store(&gap)
		return
	}
	keepLater(&o.last, gap)
}

// recent returns the last outage if it is recent.
func (o *outages) recent() *mcpproxy.Gap { return recentGap(&o.last) }
