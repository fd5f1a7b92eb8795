package postgres

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// newRecords is the channel on which those who write to the database say that there are new records.
const newRecords = "mcpproxy_records"

// announceEvery is the time between two announcements of one process. An announcement within each transaction would
// have the transactions of all machines commit one after another.
const announceEvery = time.Second

// announcer tells the other processes at the database that there are new records.
type announcer struct {
	pool  *pgxpool.Pool
	from  string        // who announces
	fresh chan struct{} // holds an element while there are records that are not announced
}

func newAnnouncer(pool *pgxpool.Pool, from string) *announcer {
	return &announcer{pool: pool, from: from, fresh: make(chan struct{}, 1)}
}

// wrote says that records were stored.
func (a *announcer) wrote() {
	select {
	case a.fresh <- struct{}{}:
	default: // an announcement is pending
	}
}

// keep announces until ctx ends. An announcement that fails is not repeated: who listens would read the log again
// anyway after the outage.
func (a *announcer) keep(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.fresh:
		}
		if _, err := a.pool.Exec(ctx, "SELECT pg_notify($1, $2)", newRecords, a.from); err != nil && ctx.Err() == nil {
			slog.Debug("new records could not be announced", "error", err)
		}
		if !sleep(ctx, announceEvery) {
			return
		}
	}
}

// sleep waits, and reports whether ctx goes on.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// Times between attempts to listen again after the connection has broken.
const (
	firstListen = time.Second
	lastListen  = 30 * time.Second
)

// Follow calls tell after others have stored records in the database, until ctx ends. It also calls tell when it
// listens again after an outage, since it may have missed something.
func (s *Store) Follow(ctx context.Context, tell func()) {
	wait := firstListen
	for again := false; ctx.Err() == nil; again = true {
		err := s.listen(ctx, func() {
			wait = firstListen
			if again {
				tell()
			}
		}, tell)
		if ctx.Err() != nil {
			return
		}
		slog.Debug("listening for new records ended; trying again", "error", err)
		if !sleep(ctx, wait) {
			return
		}
		wait = min(2*wait, lastListen)
	}
}

// listen calls tell after each announcement of others until the connection breaks. It calls ready when it listens.
func (s *Store) listen(ctx context.Context, ready, tell func()) error {
	conn, err := pgx.ConnectConfig(ctx, s.config)
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(closing) // an error is ignored: the connection may be broken
	}()
	if _, err := conn.Exec(ctx, "LISTEN "+newRecords); err != nil {
		return err
	}
	ready()
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		if n.Payload != s.Writer() {
			tell()
		}
	}
}
