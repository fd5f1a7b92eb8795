package sqlite

import (
	"context"
	"time"

	"mcpproxy/internal/ledger"
)

// Records are removed by age only when the clock is believed. It is when one of these
// holds:
//
//   - The log has a record that is between one and eight days old: it was in use within
//     the week before yesterday, by this clock.
//   - The log has no record older than a day, so that little can be lost.
//   - The clock has run as steadily as time does for a day, in this process.
//
// A clock that is a year ahead at one start, or at several within a day, satisfies none
// of them. After a real pause of more than a week the oldest records stay a day longer.
// Looking at the newest record alone would not do: the start writes one itself, so the
// second start with a wrong clock would find it right.
const (
	settled = 24 * time.Hour     // how long a time must have been in use
	pause   = 7 * 24 * time.Hour // how long a log may have been idle before that
)

// doubt returns why nothing may be removed by age now; nil when it may.
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

// newestUpTo returns the time of the last record in the log that is not later than a
// time, both in microseconds.
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
