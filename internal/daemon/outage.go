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

// aliveFile says when this daemon, or an earlier one, ran last. It is sealed, since it makes
// the outage shorter that the log shows.
const aliveFile = "alive"

const (
	aliveEvery = 30 * time.Second // between two writes of aliveFile
	frozenLook = 2 * time.Second
	// frozenAfter is how much longer than that a look has to be late before the process
	// counts as frozen. A machine that sleeps stops the clock that measures it.
	frozenAfter = 10 * time.Second
)

// outages records the times in which no daemon ran, whether or not a hook has noted calls. A
// daemon that was killed left no record of its stop.
type outages struct {
	log    *monitor
	path   string // of aliveFile
	key    []byte // nil when there is none
	hooked bool   // hooks are installed

	found *mcpproxy.Gap // before this run, and not recorded yet
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
		slog.Warn("when this daemon runs cannot be written down; after a crash the outage begins with the last record",
			"error", err)
		o.key = nil
	}
	return o
}

// findLast looks up how the last run ended, and when. The log alone says whether somebody
// stopped it; aliveFile only says that it ran on after its last record.
func (o *outages) findLast(ctx context.Context, store ledger.Store) {
	gap, err := lastOutage(ctx, store, o.alive(), time.Now())
	switch {
	case err != nil:
		slog.Warn("how the last run of mcpproxy ended cannot be looked up", "error", err)
	case gap != nil && (gap.Reason != mcpproxy.GapStopped || o.hooked):
		o.found = gap
	}
}

// errEnough ends a scan.
var errEnough = errors.New("enough")

// lastOutage is the time since the last run, which was seen at work at the time alive; nil
// when there was none.
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
	// Commands write to the log while no daemon runs.
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

// alive reads when a daemon ran last; the zero time when that is not known.
func (o *outages) alive() (at time.Time) {
	if o.key == nil {
		return at
	}
	err := sealed.Read(o.path, o.key, func(r io.Reader) error {
		return json.NewDecoder(io.LimitReader(r, 1<<10)).Decode(&at)
	})
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			slog.Warn("when the last daemon ran cannot be read; the outage begins with the last record",
				"file", o.path, "error", err)
		}
		return time.Time{}
	}
	return at
}

// mark writes that this daemon runs.
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
				slog.Debug("that this daemon runs could not be written down", "error", err)
			}
			marked = time.Now()
		}
		slept := time.Now()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		o.woke(slept, time.Now())
	}
}

// woke finds out whether the process stood still between two looks.
func (o *outages) woke(slept, now time.Time) {
	if o.found == nil && now.Sub(slept) > frozenLook+frozenAfter {
		o.found = &mcpproxy.Gap{Reason: mcpproxy.GapFrozen, From: slept, To: now}
	}
}

// record writes to the log what was found, and tries again with the next look if that fails.
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
	o.tellOf(*o.found)
	if o.found.Reason != mcpproxy.GapStopped {
		slog.Warn(fmt.Sprint(o.found))
		o.log.tell(intake.EventIntegrity, record)
	}
	o.found = nil
}

// tellOf has status, doctor and new sessions tell of an outage. One that nobody wanted is
// not hidden by a later stop.
func (o *outages) tellOf(gap mcpproxy.Gap) {
	if old := o.recent(); old != nil && old.Reason != mcpproxy.GapStopped && gap.Reason == mcpproxy.GapStopped {
		return
	}
	if old := o.recent(); old != nil && old.Reason == mcpproxy.GapStopped && gap.Reason != mcpproxy.GapStopped {
		o.last.Store(&gap)
		return
	}
	keepLater(&o.last, gap)
}

// recent is the last outage, if it is recent.
func (o *outages) recent() *mcpproxy.Gap { return recentGap(&o.last) }
