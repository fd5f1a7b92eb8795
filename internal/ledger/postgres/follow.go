package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// mostAnnounced is the maximum number of records that a gateway reads after one announcement.
const mostAnnounced = 512

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
	s.listen(ctx, func(conn *pgx.Conn, said string) error {
		a, err := parseAdded(said)
		if err != nil || a.writer == s.Writer() || !wanted() {
			return nil // it announces something else
		}
		return readAdded(ctx, conn, a, f)
	})
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
