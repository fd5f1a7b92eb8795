package sqlite

import (
	"context"
	"time"

	"mcpproxy/internal/ledger"
)

// Records are removed by age only if the clock is plausible. It is plausible if one of these
// conditions holds:
//
//   - The log has a record that is between one and eight days old by this clock: it was in use
//     within the week before yesterday.
//   - The log has no record older than a day, so that little can be lost.
//   - The clock has run steadily for a day in this process.
//
// A clock that is a year ahead at one start, or at several within a day, satisfies none of them.
// After a real pause of more than a week the oldest records stay a day longer. It is not enough to
// look at the newest record: the start itself writes one, so the second start with a wrong clock
// would find the clock plausible.
const (
	settled = 24 * time.Hour     // how long a time must have been in use
	pause   = 7 * 24 * time.Hour // how long the log may have been idle before that
)

// doubt returns why records must not be removed by age now, or nil.
func (s *Store) doubt(ctx context.Context, now time.Time) (*ledger.Doubt, error) {
	s.mu.Lock()
	steady := s.clock.Steady(now)
	s.mu.Unlock()
	if steady >= settled {
		return nil, nil
	}
	yesterday := now.Add(-settled).UnixMicro()
	ts, found, err := s.newestUpTo(ctx, yesterday)
	if err != nil || !found || ts >= now.Add(-settled-pause).UnixMicro() {
		return nil, err
	}
	return &ledger.Doubt{Now: now.UTC(), Last: time.UnixMicro(ts).UTC()}, nil
}

// newestUpTo returns the time of the last record that is not later than a time. Both are in
// microseconds.
func (s *Store) newestUpTo(ctx context.Context, end int64) (ts int64, found bool, err error) {
	p := &queryPlan{
		low:   lowest,
		high:  highest,
		timed: true,
		start: lowest,
		end:   end,
	}
	err = walkFrom(ctx, s.reads, p.after(p.begin()), 0, func(r *row) bool {
		ts, found = r.ts, true
		return false
	})
	return ts, found, err
}
