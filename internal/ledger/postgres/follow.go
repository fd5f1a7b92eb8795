package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// announce tells the gateways that follow the log which records of a chain a transaction has added. The channel
// belongs to the schema, because a database can hold several logs.
const announce = "SELECT pg_notify('mcpproxy_' || md5(current_schema()), $1)"

// mostAnnounced is the maximum number of records that a gateway reads after one announcement.
const mostAnnounced = 512

// followAgain is the time between two attempts to connect.
const followAgain = time.Second

// added describes what a transaction has added to a chain.
type added struct {
	writer   string
	day      time.Time // of the first record
	from, to int64     // numbers of the records
}

func (a added) String() string {
	return fmt.Sprintf("%s %s %d %d", a.writer, a.day.Format(time.DateOnly), a.from, a.to)
}

// parseAdded decodes the result of String. Anybody who can connect to the database can send other texts.
func parseAdded(said string) (a added, err error) {
	words := strings.Split(said, " ")
	if len(words) != 4 {
		return a, errors.New("an announcement has four words")
	}
	a.writer = words[0]
	var errs [3]error
	a.day, errs[0] = time.Parse(time.DateOnly, words[1])
	a.from, errs[1] = strconv.ParseInt(words[2], 10, 64)
	a.to, errs[2] = strconv.ParseInt(words[3], 10, 64)
	return a, errors.Join(errs[:]...)
}

// Follow calls f with the records that other gateways append, without their bodies, shortly after they were committed,
// until ctx ends. While wanted returns false, it reads none. It is for display: records that are written while the
// database cannot be reached are left out.
func (s *Store) Follow(ctx context.Context, wanted func() bool, f func(*mcpproxy.Record)) {
	for said := false; ctx.Err() == nil; {
		err := s.follow(ctx, wanted, f)
		if ctx.Err() != nil {
			return
		}
		if !said {
			slog.Warn("events of other gateways cannot be read from the database; trying again", "error", err)
		}
		said = true
		select {
		case <-ctx.Done():
		case <-time.After(followAgain):
		}
	}
}

// follow follows the log until its connection breaks.
func (s *Store) follow(ctx context.Context, wanted func() bool, f func(*mcpproxy.Record)) error {
	conn, err := pgx.ConnectConfig(ctx, s.config)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var channel string
	if err := conn.QueryRow(ctx, "SELECT 'mcpproxy_' || md5(current_schema())").Scan(&channel); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
		return err
	}
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		a, err := parseAdded(n.Payload)
		if err != nil || a.writer == s.Writer() || !wanted() {
			continue
		}
		if err := readAdded(ctx, conn, a, f); err != nil {
			return err
		}
	}
}

// readAdded calls f with the records of an announcement, oldest first.
func readAdded(ctx context.Context, conn *pgx.Conn, a added, f func(*mcpproxy.Record)) error {
	rows, err := conn.Query(ctx, `SELECT form, prev, hash, body, salt, NULL::bytea, NULL::bytea FROM mcpproxy_records
		WHERE writer = $1 AND day >= $2 AND seq BETWEEN $3 AND $4 ORDER BY seq LIMIT $5`,
		a.writer, a.day, a.from, a.to, mostAnnounced)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var sealed ledger.Sealed
		if err := rows.Scan(sealedFields(&sealed)...); err != nil {
			return err
		}
		if r, err := open(&sealed, true); err == nil {
			f(r)
		}
	}
	return rows.Err()
}
