package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"mcpproxy/internal/ledger"
)

// recordsPerStep is how many records one transaction removes or redacts.
const recordsPerStep = 2048

// Records are removed by age only if the clock is plausible; package sqlite explains the rule.
const (
	settled = 24 * time.Hour     // how long a time must have been in use
	pause   = 7 * 24 * time.Hour // how long the log may have been idle before that
)

// errBusy says that a partition is in use and will be dropped later.
var errBusy = errors.New("the partition is in use")

// Tidy removes records according to the rules, unless another gateway is doing so. By age and size
// it drops whole partitions: a record can stay a day longer than MaxAge, and the partition of the
// newest day always stays.
func (s *Store) Tidy(ctx context.Context, now time.Time, rules ledger.Rules) (done ledger.Tidied, err error) {
	if s.signer == nil {
		return done, errors.New("the activity log is not open for writing")
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return done, err
	}
	defer conn.Release()
	var alone bool
	err = conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", lockNumber("tidy")).Scan(&alone)
	if err != nil || !alone {
		return done, err
	}
	defer func() {
		_, _ = conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", lockNumber("tidy")) // the lock also ends with the connection
	}()
	t := &tidier{
		db:     conn.Conn(),
		signer: s.signer,
		now:    now,
		done:   &done,
	}
	before, err := t.size(ctx)
	if err != nil {
		return done, err
	}
	if done.Doubt, err = s.doubt(ctx, t.db, now); err != nil {
		return done, err
	}
	if done.Doubt != nil {
		rules.MaxAge, rules.RedactAfter = 0, 0
	}
	for _, step := range []func(context.Context, ledger.Rules) error{t.byAge, t.bySize, t.byNumber, t.redact} {
		err := step(ctx, rules)
		if errors.Is(err, errBusy) {
			slog.Info("old records of the activity log stay for now", "error", err)
			continue
		}
		if err != nil {
			return done, err
		}
	}
	after, err := t.size(ctx)
	done.Bytes = before - after
	return done, err
}

// doubt returns why records must not be removed by age now, or nil.
func (s *Store) doubt(ctx context.Context, db querier, now time.Time) (*ledger.Doubt, error) {
	s.mu.Lock()
	steady := s.clock.Steady(now)
	s.mu.Unlock()
	if steady >= settled {
		return nil, nil
	}
	var ts *int64
	yesterday := now.Add(-settled).UnixMicro()
	err := db.QueryRow(ctx, "SELECT max(ts) FROM mcpproxy_records WHERE ts <= $1", yesterday).Scan(&ts)
	if err != nil || ts == nil || *ts >= now.Add(-settled-pause).UnixMicro() {
		return nil, err
	}
	return &ledger.Doubt{Now: now.UTC(), Last: time.UnixMicro(*ts).UTC()}, nil
}

// tidier removes old records.
type tidier struct {
	db     *pgx.Conn
	signer *ledger.Signer
	now    time.Time
	done   *ledger.Tidied
}

// size returns the size of the records on disk.
func (t *tidier) size(ctx context.Context) (n int64, err error) {
	err = t.db.QueryRow(ctx, sizeQuery).Scan(&n)
	return n, err
}

const sizeQuery = `SELECT coalesce(sum(pg_total_relation_size(inhrelid)), 0)::bigint FROM pg_inherits
	WHERE inhparent = 'mcpproxy_records'::regclass`

// daySum is the stored total of the records of a day.
type daySum struct {
	day     time.Time
	records int64
	high    int64
}

// days returns the days with records, oldest first.
func (t *tidier) days(ctx context.Context) (all []daySum, err error) {
	rows, err := t.db.Query(ctx, "SELECT day, sum(records)::bigint, max(high) FROM mcpproxy_days GROUP BY day ORDER BY day")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var d daySum
		if err := rows.Scan(&d.day, &d.records, &d.high); err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, rows.Err()
}

// byAge drops the oldest partitions in which every record is too old.
func (t *tidier) byAge(ctx context.Context, rules ledger.Rules) error {
	if rules.MaxAge <= 0 {
		return nil
	}
	all, err := t.days(ctx)
	if err != nil {
		return err
	}
	oldest := t.now.Add(-rules.MaxAge).UnixMicro()
	for _, d := range all {
		if d.high >= oldest {
			return nil
		}
		if err := t.drop(ctx, d.day, oldest); err != nil {
			return err
		}
	}
	return nil
}

// bySize drops the oldest partitions until the log is small enough.
func (t *tidier) bySize(ctx context.Context, rules ledger.Rules) error {
	if rules.MaxBytes <= 0 {
		return nil
	}
	all, err := t.days(ctx)
	for i := 0; err == nil && i < len(all)-1; i++ {
		var size int64
		if size, err = t.size(ctx); err != nil || size <= rules.MaxBytes {
			return err
		}
		err = t.drop(ctx, all[i].day, 1<<62)
	}
	return err
}

// byNumber drops the oldest partitions, and then removes the oldest records of the next one, until
// the limit holds.
func (t *tidier) byNumber(ctx context.Context, rules ledger.Rules) error {
	if rules.MaxRecords <= 0 {
		return nil
	}
	all, err := t.days(ctx)
	if err != nil {
		return err
	}
	excess := -int64(rules.MaxRecords)
	for _, d := range all {
		excess += d.records
	}
	for i := 0; i < len(all) && excess > 0; i++ {
		if d := all[i]; d.records <= excess && i < len(all)-1 {
			if err := t.drop(ctx, d.day, 1<<62); err != nil {
				return err
			}
			excess -= d.records
			continue
		}
		return t.cut(ctx, all[i].day, excess)
	}
	return nil
}

// inStep runs f in a transaction that waits at most two seconds for a lock.
func (t *tidier) inStep(ctx context.Context, f func(pgx.Tx) error) error {
	err := pgx.BeginFunc(ctx, t.db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL lock_timeout = '2s'"); err != nil {
			return err
		}
		return f(tx)
	})
	var pg *pgconn.PgError
	if errors.As(err, &pg) && (pg.Code == "55P03" || pg.Code == "40P01") { // lock_not_available, deadlock_detected
		return fmt.Errorf("%w: %w", errBusy, err)
	}
	return err
}

// drop drops the partition of a day unless one of its records is newer than oldest. For each chain
// it adds a signed checkpoint at the chain's new beginning.
func (t *tidier) drop(ctx context.Context, day time.Time, oldest int64) error {
	name := pgx.Identifier{partition(day)}.Sanitize()
	removed := 0
	err := t.inStep(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "LOCK TABLE ONLY mcpproxy_records, "+name+" IN ACCESS EXCLUSIVE MODE")
		if err != nil {
			return err
		}
		var n int
		var high *int64
		if err := tx.QueryRow(ctx, "SELECT count(*), max(ts) FROM "+name).Scan(&n, &high); err != nil {
			return err
		}
		if high != nil && *high >= oldest {
			return nil // a newer record was added
		}
		if err := t.begin(ctx, tx, name, 1<<62); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "DELETE FROM mcpproxy_days WHERE day = $1", day); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "DROP TABLE "+name)
		removed = n
		return err
	})
	if err == nil {
		t.done.Removed += removed
	}
	return err
}

// begin signs, for each chain with records in a partition up to a position, that the chain now
// begins after the last of them.
func (t *tidier) begin(ctx context.Context, tx pgx.Tx, name string, pos int64) error {
	marks, writers, err := t.lasts(ctx, tx, "SELECT DISTINCT ON (writer) writer, seq, id, hash FROM "+name+
		" WHERE pos <= $1 ORDER BY writer, seq DESC", pos)
	if err != nil {
		return err
	}
	for i, m := range marks {
		_, err := tx.Exec(ctx, `DELETE FROM mcpproxy_checkpoints WHERE writer = $1
			AND (seq < $2 OR seq = $2 AND reason <> 'redaction')`, writers[i], m.Seq)
		if err != nil {
			return err
		}
		m.Reason = ledger.ReasonRetention
		if err := keepMark(ctx, tx, writers[i], t.signer.Sign(m, t.now)); err != nil {
			return err
		}
	}
	return nil
}

// lasts reads the last record of each of some chains as a checkpoint without a reason.
func (t *tidier) lasts(ctx context.Context, db querier, statement string, args ...any) (
	marks []ledger.Checkpoint, writers []string, err error) {
	rows, err := db.Query(ctx, statement, args...)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var m ledger.Checkpoint
		var writer string
		if err := rows.Scan(&writer, &m.Seq, &m.ID, &m.Hash); err != nil {
			return nil, nil, err
		}
		marks, writers = append(marks, m), append(writers, writer)
	}
	return marks, writers, rows.Err()
}

// cut removes the n oldest records of a partition, in steps.
func (t *tidier) cut(ctx context.Context, day time.Time, n int64) error {
	name := pgx.Identifier{partition(day)}.Sanitize()
	for n > 0 {
		step := min(n, recordsPerStep)
		removed := int64(0)
		err := t.inStep(ctx, func(tx pgx.Tx) error {
			var pos int64
			err := tx.QueryRow(ctx, "SELECT coalesce(max(pos), 0) FROM (SELECT pos FROM "+name+
				" ORDER BY pos LIMIT $1) AS oldest", step).Scan(&pos)
			if err != nil {
				return err
			}
			if err := t.begin(ctx, tx, name, pos); err != nil {
				return err
			}
			rows, err := tx.Query(ctx, "WITH gone AS (DELETE FROM "+name+
				" WHERE pos <= $1 RETURNING writer) SELECT writer, count(*) FROM gone GROUP BY writer ORDER BY writer", pos)
			if err != nil {
				return err
			}
			counts, err := pgx.CollectRows(rows, pgx.RowToStructByPos[writerCount])
			for _, c := range counts {
				if err != nil {
					return err
				}
				removed += c.Records
				_, err = tx.Exec(ctx, "UPDATE mcpproxy_days SET records = records - $3 WHERE day = $1 AND writer = $2", day,
					c.Writer, c.Records)
			}
			return err
		})
		if err != nil {
			return err
		}
		t.done.Removed += int(removed)
		if n -= removed; removed == 0 {
			return nil
		}
	}
	return nil
}

type writerCount struct {
	Writer  string
	Records int64
}

// redact removes arguments and responses from old records in which secrets or personal data were
// found. In each chain it stops at the first record that is young enough.
func (t *tidier) redact(ctx context.Context, rules ledger.Rules) error {
	if rules.RedactAfter <= 0 {
		return nil
	}
	oldest := t.now.Add(-rules.RedactAfter).UnixMicro()
	const young = `SELECT min(y.seq) FROM mcpproxy_records y WHERE y.writer = r.writer AND y.ts >= $1
		AND y.day >= coalesce((SELECT min(day) FROM mcpproxy_days d WHERE d.writer = r.writer AND d.high >= $1), 'infinity')`
	writers, err := readWriters(ctx, t.db)
	if err != nil {
		return err
	}
	for _, w := range writers {
		var through *int64
		err := t.db.QueryRow(ctx, "SELECT ("+young+") FROM (SELECT $2::text AS writer) AS r", oldest, w.id).Scan(&through)
		if err != nil {
			return err
		}
		before := int64(1) << 62
		if through != nil {
			before = *through
		}
		for more := true; more; {
			if more, err = t.strip(ctx, w.id, before, oldest); err != nil {
				return err
			}
		}
	}
	return nil
}

// strip removes the bodies of one step's records and adds a signed checkpoint at the last of them.
func (t *tidier) strip(ctx context.Context, writer string, before, oldest int64) (more bool, err error) {
	n := 0
	err = t.inStep(ctx, func(tx pgx.Tx) error {
		marks, _, err := t.lasts(ctx, tx, `SELECT writer, seq, id, hash FROM mcpproxy_records WHERE writer = $1 AND seq < $2
			AND ts < $3 AND sensitive AND salt IS NOT NULL ORDER BY seq LIMIT `+fmt.Sprint(recordsPerStep), writer, before, oldest)
		if n = len(marks); err != nil || n == 0 {
			return err
		}
		last := marks[n-1]
		_, err = tx.Exec(ctx, `UPDATE mcpproxy_records SET salt = NULL, arguments = NULL, response = NULL
			WHERE writer = $1 AND seq <= $2 AND ts < $3 AND sensitive AND salt IS NOT NULL`, writer, last.Seq, oldest)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "DELETE FROM mcpproxy_checkpoints WHERE writer = $1 AND reason = 'redaction' AND seq <= $2", writer,
			last.Seq)
		if err != nil {
			return err
		}
		last.Reason = ledger.ReasonRedaction
		return keepMark(ctx, tx, writer, t.signer.Sign(last, t.now))
	})
	if err == nil {
		t.done.Redacted += n
	}
	return n == recordsPerStep && err == nil, err
}

// Bytes returns the size of all gateways' records on disk, or 0 if unknown.
func (s *Store) Bytes() (n int64) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if s.pool.QueryRow(ctx, sizeQuery).Scan(&n) != nil {
		return 0
	}
	return n
}
