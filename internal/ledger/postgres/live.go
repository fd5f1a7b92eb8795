package postgres

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// announce tells the clients that listen to the log that there are new records, and which. The channel belongs to the
// schema, because a database can contain several logs.
const announce = "SELECT pg_notify('mcpproxy_' || md5(current_schema()), $1)"

// announceEvery is the time between two announcements of a receiver. With an announcement in each transaction, the
// transactions of all machines would have to commit one after another.
const announceEvery = time.Second

// received is what a receiver announces: records of machines, many at a time.
const received = "received"

// announcer announces the records that a receiver has stored.
type announcer struct {
	pool  *pgxpool.Pool
	fresh chan struct{} // holds an element while there are records that are not announced
}

func newAnnouncer(pool *pgxpool.Pool) *announcer {
	return &announcer{pool: pool, fresh: make(chan struct{}, 1)}
}

// wrote says that records were stored.
func (a *announcer) wrote() {
	select {
	case a.fresh <- struct{}{}:
	default: // an announcement is pending
	}
}

// keep makes announcements until ctx ends. It does not repeat an announcement that fails, because the listeners read
// the log again after an outage.
func (a *announcer) keep(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.fresh:
		}
		if _, err := a.pool.Exec(ctx, announce, received); err != nil && ctx.Err() == nil {
			slog.Debug("new records could not be announced", "error", err)
		}
		if !sleep(ctx, announceEvery) {
			return
		}
	}
}

// sleep waits. It returns false if ctx ended.
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

// listen calls heard with each announcement, and with a connection on which it may read the records, until ctx ends.
// It listens again after an outage. Announcements that were made meanwhile are left out; heard is then called with an
// empty announcement.
func (s *Store) listen(ctx context.Context, heard func(conn *pgx.Conn, said string) error) {
	wait := firstListen
	for again := false; ctx.Err() == nil; again = true {
		err := s.listenOnce(ctx, func(conn *pgx.Conn) error {
			wait = firstListen
			if again {
				return heard(conn, "")
			}
			return nil
		}, heard)
		if ctx.Err() != nil {
			return
		}
		if !again {
			slog.Warn("announcements of new records cannot be read from the database; trying again", "error", err)
		}
		if !sleep(ctx, wait) {
			return
		}
		wait = min(2*wait, lastListen)
	}
}

// listenOnce listens until the connection breaks or heard fails. It calls ready when it listens.
func (s *Store) listenOnce(
	ctx context.Context, ready func(*pgx.Conn) error, heard func(*pgx.Conn, string) error,
) error {
	conn, err := pgx.ConnectConfig(ctx, s.config)
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(closing) // an error is ignored: the connection may be broken
	}()
	var channel string
	if err := conn.QueryRow(ctx, "SELECT 'mcpproxy_' || md5(current_schema())").Scan(&channel); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
		return err
	}
	if err := ready(conn); err != nil {
		return err
	}
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		if err := heard(conn, n.Payload); err != nil {
			return err
		}
	}
}

// FollowMachines calls tell after receivers have stored records of machines in the database, until ctx ends. It also
// calls tell when it listens again after an outage, because it may have missed something.
func (s *Store) FollowMachines(ctx context.Context, tell func()) {
	s.listen(ctx, func(_ *pgx.Conn, said string) error {
		if said == "" || said == received {
			tell()
		}
		return nil
	})
}
