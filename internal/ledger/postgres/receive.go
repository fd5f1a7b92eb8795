package postgres

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// maxReceivers is how many connections of one hub write at once.
const maxReceivers = 4

// The errors of requests that are refused.
var (
	// ErrToken is returned for an enrolment token that is unknown, used or expired.
	ErrToken = errors.New("the enrolment token is unknown, was used before or has expired")
	// ErrNoMachine is returned for a machine that is not enrolled.
	ErrNoMachine = errors.New("this machine is not enrolled")
	// ErrRevoked is returned for a machine whose enrolment was revoked.
	ErrRevoked = errors.New("the enrolment of this machine was revoked")
	// ErrReplayed is returned for a request whose number is not greater than the previous request's.
	ErrReplayed = errors.New("this request is not newer than the last one of this machine")
	// ErrForged is returned for records that the machine's key has not signed.
	ErrForged = errors.New("the records are not signed by the machine")
	// ErrFork is returned for records that contradict the machine's records on the hub.
	ErrFork = errors.New("the records contradict the records that the hub has of this machine")
	// ErrAhead is returned for records that do not continue the machine's chain on the hub.
	ErrAhead = errors.New("the records do not follow the last one that the hub has of this machine")
)

// Receiver stores the records that machines send. Each machine has its own chain, sealed and signed
// by the machine. Gateways that write to the same database have chains of their own.
type Receiver struct {
	pool *pgxpool.Pool
	role string
	news *announcer
	stop context.CancelFunc // ends news
	done sync.WaitGroup

	mu   sync.Mutex
	days map[time.Time]bool // that have a partition
}

// OpenReceiver opens the log in the database at url to store what machines send, and creates missing tables.
func OpenReceiver(ctx context.Context, url string) (*Receiver, error) {
	c, err := configOf(url)
	if err != nil {
		return nil, err
	}
	c.MaxConns = maxReceivers
	conn, err := pgx.ConnectConfig(ctx, c.ConnConfig)
	if err == nil {
		if err = checkServer(ctx, conn); err == nil {
			err = migrate(ctx, conn)
		}
		err = errors.Join(err, conn.Close(ctx))
	}
	r := &Receiver{role: c.ConnConfig.User, days: map[time.Time]bool{}}
	if err == nil {
		r.pool, err = pgxpool.NewWithConfig(ctx, c)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the activity log in PostgreSQL: %w", explained(err, r.role))
	}
	r.news = newAnnouncer(r.pool)
	beside, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.stop = stop
	r.done.Go(func() { r.news.keep(beside) })
	return r, nil
}

// Close closes the connections.
func (r *Receiver) Close() {
	r.stop()
	r.done.Wait()
	r.pool.Close()
}

// Delivery holds consecutive records of one machine's chain.
type Delivery struct {
	Request int64  // number of the request, greater than every earlier one's
	Version string // of the machine's mcpproxy
	First   int64  // number of the first record
	// Records are consecutive; only the first has Prev set. A delivery without records only says
	// that the machine is running.
	Records []ledger.Sealed
	// Head is the last hash of the records, signed by the machine.
	Head ledger.Checkpoint
	// Skipped is the machine's signed statement that it does not send the records before the first;
	// nil if none are skipped.
	Skipped *ledger.Checkpoint
	// Withheld is the machine's signed statement that bodies of records are missing; nil if all are there.
	Withheld *ledger.Checkpoint
}

// Receive stores records of a machine, and returns the head of its chain, also with ErrAhead.
// Records that the hub already has are not stored again. A delivery is stored completely or not at
// all.
func (r *Receiver) Receive(ctx context.Context, m ledger.Machine, d *Delivery) (end ledger.Head, err error) {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	rows, err := d.check(m)
	if err != nil {
		return end, err
	}
	var last time.Time // the last day of the machine's chain, as far as an attempt has read it
	for attempt := 0; ; attempt++ {
		end, err = r.store(ctx, m, d, rows, &last)
		var pg *pgconn.PgError
		if attempt > 0 || !errors.As(err, &pg) || pg.Code != noPartition {
			return end, err
		}
		r.mu.Lock()
		clear(r.days) // retention has dropped a partition
		r.mu.Unlock()
	}
}

// check verifies the records with the machine's signatures, and returns their rows.
func (d *Delivery) check(m ledger.Machine) ([]row, error) {
	keys := ledger.Keys{m.Key}
	if len(d.Records) == 0 {
		return nil, nil
	}
	prev := d.Records[0].Prev
	for i := range d.Records {
		d.Records[i].Follow(prev)
		prev = d.Records[i].Hash
	}
	last := d.First + int64(len(d.Records)) - 1
	h := d.Head
	switch {
	case d.First < 1, h.Seq != last, h.Hash != prev, h.Reason != ledger.ReasonHead, h.Key != m.ID, !keys.Signed(h):
		return nil, fmt.Errorf("%w: the signed head does not match the records", ErrForged)
	case d.Skipped != nil && (d.Skipped.Seq != d.First-1 || d.Skipped.Hash != d.Records[0].Prev ||
		d.Skipped.Reason != ledger.ReasonSkipped || !keys.Signed(*d.Skipped)):
		return nil, fmt.Errorf("%w: the statement about records that are not sent is not signed", ErrForged)
	case d.Withheld != nil && (d.Withheld.Seq != h.Seq || d.Withheld.Hash != h.Hash || d.Withheld.ID != h.ID ||
		d.Withheld.Reason != ledger.ReasonWithheld || !keys.Signed(*d.Withheld)):
		return nil, fmt.Errorf("%w: the statement about bodies that are not sent is not signed", ErrForged)
	}
	rows, err := d.examine()
	if err == nil && rows[len(rows)-1].ID != clean(h.ID) {
		err = fmt.Errorf("%w: the last record has another id than the signed head", ErrForged)
	}
	return rows, err
}

// examine verifies the digests of each record, on all processors.
func (d *Delivery) examine() ([]row, error) {
	rows := make([]row, len(d.Records))
	var group errgroup.Group
	size := max(1, (len(rows)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0))
	for from := 0; from < len(rows); from += size {
		group.Go(func() error {
			for i := from; i < min(from+size, len(rows)); i++ {
				record, problem := d.Records[i].ExamineContent() // check has computed the hashes
				switch {
				case problem == "" && (record.ID == "" || !expressible(record.Timestamp)):
					problem = "it has no id, or its time is invalid"
				case problem == "" && record.Redacted && d.Withheld == nil:
					problem = "its arguments and response are missing, and the machine does not say so"
				}
				if problem != "" {
					return fmt.Errorf("%w: no. %d: %s", ErrForged, d.First+int64(i), problem)
				}
				rows[i] = rowOf(record)
			}
			return nil
		})
	}
	return rows, group.Wait()
}

// expressible reports whether a time can be written as JSON in every time zone.
func expressible(t time.Time) bool { return t.UTC().Year() >= 1970 && t.UTC().Year() < 9999 }

// oldestDays is the largest age of a partition in days. It keeps a machine from making thousands of partitions.
const oldestDays = 400

// days returns the day under which each row is stored: the day of its time, but not before the
// previous row's day, not in the future, and not older than oldestDays.
func (d *Delivery) days(rows []row, day time.Time) []time.Time {
	today := dayOf(time.Now())
	out := make([]time.Time, len(rows))
	for i := range rows {
		own := dayOf(time.UnixMicro(rows[i].TS))
		if own.After(today) {
			own = today
		}
		if oldest := today.AddDate(0, 0, -oldestDays); own.Before(oldest) {
			own = oldest
		}
		if day.Before(own) {
			day = own
		}
		out[i] = day
	}
	return out
}

// store stores the records in one transaction. It sets last to the last day of the machine's chain, and makes the
// partition of the day that last has before: retention may have dropped it, and a machine whose clock was set back
// sends records of earlier days, which are stored under the last day.
func (r *Receiver) store(
	ctx context.Context, m ledger.Machine, d *Delivery, rows []row, last *time.Time,
) (end ledger.Head, err error) {
	conn, err := r.pool.Acquire(ctx)
	if err != nil {
		return end, err
	}
	defer conn.Release()
	// A row is stored under its own day, or under the chain's last day if that is later. makeDays makes the
	// partitions of the rows' own days and of today.
	days := d.days(rows, time.Time{})
	if !last.IsZero() {
		days = append(days, *last)
	}
	if err := r.makeDays(ctx, conn.Conn(), days); err != nil {
		return end, err
	}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		day, head, err := admit(ctx, tx, m, d)
		end, *last = ledger.HeadOf(head), day
		if err != nil || len(d.Records) == 0 {
			return err
		}
		b, err := d.rest(ctx, tx, m, head, rows)
		if err != nil || b == nil {
			return err
		}
		b.days = d.days(b.rows, day)
		b.day = b.days[len(b.days)-1]
		var q pgx.Batch
		if d.Withheld != nil { // the newest of these covers all records before it
			q.Queue("DELETE FROM mcpproxy_checkpoints WHERE writer = $1 AND reason = $2", m.ID, string(ledger.ReasonWithheld))
		}
		if err := b.copy(ctx, tx, m.ID, head.Seq+1+b.skipped); err != nil {
			return err
		}
		b.queueEnd(&q, m.ID, head)
		if err := tx.SendBatch(ctx, &q).Close(); err != nil {
			return err
		}
		end = ledger.HeadOf(b.head)
		return nil
	})
	if err == nil && len(d.Records) > 0 {
		r.news.wrote()
	}
	return end, err
}

// makeDays makes the partitions of days.
func (r *Receiver) makeDays(ctx context.Context, conn *pgx.Conn, days []time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var missing []time.Time
	for _, day := range append(slices.Compact(days), dayOf(time.Now())) {
		if !r.days[day] {
			missing = append(missing, day)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if err := makePartitions(ctx, conn, missing); err != nil {
		return err
	}
	for _, day := range missing {
		r.days[day] = true
	}
	return nil
}

// admit records the number of the request, and reads the head of the machine's chain. It fails if the
// machine is revoked or the request was received before. It locks the chain until the transaction ends.
func admit(
	ctx context.Context,
	tx pgx.Tx,
	m ledger.Machine,
	d *Delivery,
) (day time.Time, head ledger.Checkpoint, err error) {
	var last int64
	var revoked bool
	err = tx.QueryRow(ctx, "SELECT request, revoked IS NOT NULL FROM mcpproxy_machines WHERE writer = $1 FOR UPDATE", m.ID).
		Scan(&last, &revoked)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return day, head, ErrNoMachine
	case err != nil:
		return day, head, err
	case revoked:
		return day, head, ErrRevoked
	case d.Request <= last:
		return day, head, ErrReplayed
	}
	_, err = tx.Exec(ctx, "UPDATE mcpproxy_machines SET request = $2, seen = now(), version = $3 WHERE writer = $1",
		m.ID, d.Request, short(d.Version))
	if err == nil {
		head, err = scanCheckpoint(
			tx.QueryRow(ctx, "SELECT day, "+headColumns+" FROM mcpproxy_heads WHERE writer = $1 FOR UPDATE", m.ID), &day)
	}
	return day, head, err
}

// rest returns the records that the hub does not have yet; nil if it has them all.
func (d *Delivery) rest(
	ctx context.Context,
	tx pgx.Tx,
	m ledger.Machine,
	head ledger.Checkpoint,
	rows []row,
) (*batch, error) {
	last := d.First + int64(len(d.Records)) - 1
	b := &batch{sealed: d.Records, rows: rows, head: d.Head}
	known := head.Seq + 1 - d.First // of the records
	switch {
	case last <= head.Seq:
		return nil, d.sameAt(ctx, tx, m, last)
	case known > 0:
		if d.Records[known-1].Hash != head.Hash {
			return nil, ErrFork
		}
		b.sealed, b.rows = d.Records[known:], rows[known:]
	case known == 0:
		if d.Records[0].Prev != head.Hash {
			return nil, ErrFork
		}
	case d.Skipped == nil:
		return nil, ErrAhead
	default:
		b.skipped = -known
		b.marks = append(b.marks, *d.Skipped)
	}
	if d.Withheld != nil {
		b.marks = append(b.marks, *d.Withheld)
	}
	if head.Seq/ledger.CheckpointEvery != last/ledger.CheckpointEvery {
		b.marks = append(b.marks, d.Head)
	}
	return b, nil
}

// sameAt reports whether the last record of a repeated delivery is the one that the hub has.
func (d *Delivery) sameAt(ctx context.Context, tx pgx.Tx, m ledger.Machine, seq int64) error {
	var hash string
	err := tx.QueryRow(ctx, "SELECT hash FROM mcpproxy_records WHERE writer = $1 AND seq = $2", m.ID, seq).Scan(&hash)
	if errors.Is(err, pgx.ErrNoRows) { // retention has removed the hub's record, or it was skipped
		return nil
	}
	if err == nil && hash != d.Head.Hash {
		err = ErrFork
	}
	return err
}

// Record types in which a tool is named.
var toolTypes = []string{
	string(mcpproxy.RecordToolCall), string(mcpproxy.RecordPolicyDecision), string(mcpproxy.RecordHookEvaluation),
}
