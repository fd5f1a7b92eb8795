package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// chain is the end of this gateway's chain, and the connection that writes it.
type chain struct {
	config *pgx.ConnConfig
	signer *ledger.Signer
	writer string

	conn   *pgx.Conn // nil while not connected
	ahead  time.Duration
	known  bool // whether the end has been read
	head   ledger.Checkpoint
	day    time.Time // day of the last record
	marked ledger.Checkpoint
	days   map[time.Time]bool // days with a partition
	ids    ids

	// attempt describes the last transaction while it is unknown whether it was committed: the end of
	// the chain after it, and the ids of its records. It is nil if there is no such transaction.
	attempt *attempt
	settled map[string]bool // ids of records in such transactions that were committed
	down    bool            // the last write failed
}

type attempt struct {
	head ledger.Checkpoint
	day  time.Time
	ids  []string
}

func newChain(config *pgx.ConnConfig, signer *ledger.Signer) *chain {
	return &chain{
		config:  config,
		signer:  signer,
		writer:  signer.ID(),
		days:    map[time.Time]bool{},
		settled: map[string]bool{},
	}
}

// drop closes the connection.
func (c *chain) drop() {
	if c.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = c.conn.Close(ctx) // an error is ignored: the connection may be broken
	c.conn = nil
}

// connect connects and reads the end of the chain. It takes an advisory lock, so that no other process
// can write the chain until the connection is closed.
func (c *chain) connect(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, c.config)
	if err != nil {
		return err
	}
	c.conn = conn
	if err := c.take(ctx); err != nil {
		c.drop()
		return err
	}
	return nil
}

func (c *chain) take(ctx context.Context) error {
	var alone bool
	var server time.Time
	err := c.conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1), clock_timestamp()", lockNumber("writer "+c.writer)).
		Scan(&alone, &server)
	if err != nil {
		return err
	}
	if !alone {
		return ErrSharedKey
	}
	c.ahead = time.Until(server)
	host, _ := os.Hostname()
	if err := c.join(ctx, host); err != nil {
		return err
	}
	return c.readEnd(ctx)
}

// join adds the gateway and its key to the table of writers if they are missing.
func (c *chain) join(ctx context.Context, host string) error {
	_, err := c.conn.Exec(ctx, "INSERT INTO mcpproxy_writers (writer, key, host) VALUES ($1, $2, $3) ON CONFLICT (writer) DO NOTHING",
		c.writer, []byte(c.signer.Keys()[0]), clean(host))
	return err
}

const checkpointColumns = "seq, reason, id, hash, count, time, key, signature"

// headColumns are the columns that read a chain's head as a checkpoint.
const headColumns = "seq, 'head' AS reason, id, hash, count, time, key, signature"

func scanCheckpoint(row pgx.Row, more ...any) (c ledger.Checkpoint, err error) {
	var at int64
	var reason string
	err = row.Scan(append(more, &c.Seq, &reason, &c.ID, &c.Hash, &c.Count, &at, &c.Key, &c.Signature)...)
	c.Reason, c.Time = ledger.Reason(reason), time.UnixMicro(at).UTC()
	return c, err
}

// readEnd reads the end of the chain, and finds out whether c.attempt was committed.
func (c *chain) readEnd(ctx context.Context) error {
	var day time.Time
	head, err := scanCheckpoint(
		c.conn.QueryRow(ctx, "SELECT day, "+headColumns+" FROM mcpproxy_heads WHERE writer = $1", c.writer), &day)
	missing := errors.Is(err, pgx.ErrNoRows)
	if err != nil && !missing {
		return err
	}
	switch a := c.attempt; {
	case a != nil && head.Seq == a.head.Seq && head.Hash == a.head.Hash:
		c.head, c.day = a.head, a.day
		for _, id := range a.ids {
			c.settled[id] = true
		}
	case c.known && head.Seq == c.head.Seq && head.Hash == c.head.Hash:
		if a != nil {
			c.ids.forget(a.ids)
		}
	default:
		if err := c.findEnd(ctx, head, missing); err != nil {
			return err
		}
	}
	c.attempt = nil
	c.known = true
	return nil
}

// findEnd finds the last record of the chain. If the signed end in the database is missing or names
// another record, findEnd signs the last record as the end. It keeps a wrong end as a checkpoint, so
// that verification detects it.
func (c *chain) findEnd(ctx context.Context, head ledger.Checkpoint, missing bool) error {
	last := ledger.Checkpoint{Reason: ledger.ReasonHead}
	day := time.Unix(0, 0).UTC() // for an empty chain
	err := c.conn.QueryRow(ctx, `SELECT day, seq, id, hash FROM mcpproxy_records WHERE writer = $1
		AND day = (SELECT max(day) FROM mcpproxy_days WHERE writer = $1) ORDER BY seq DESC LIMIT 1`, c.writer).
		Scan(&day, &last.Seq, &last.ID, &last.Hash)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	c.ids = ids{}
	err = c.conn.QueryRow(ctx, "SELECT coalesce(max(high_id), '') FROM mcpproxy_days WHERE writer = $1", c.writer).
		Scan(&c.ids.older)
	if err != nil {
		return err
	}
	signed := !missing && c.signer.Keys().Signed(head)
	if signed && (head.Seq == last.Seq && head.Hash == last.Hash || last.Seq == 0) {
		c.head, c.marked = head, head
		c.day = day
		return nil
	}
	if !missing {
		if err := c.keepMark(ctx, head); err != nil {
			return err
		}
		if last.Seq == 0 {
			last = head // the next record follows the head, although its record is missing
		}
	}
	last.Reason, last.Count = ledger.ReasonHead, last.Seq
	c.head, c.day = c.signer.Sign(last, time.Now()), day
	c.marked = c.head
	_, err = c.conn.Exec(ctx, `INSERT INTO mcpproxy_heads (writer, day, seq, id, hash, count, time, key, signature)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (writer) DO UPDATE SET day = excluded.day, seq = excluded.seq,
		id = excluded.id, hash = excluded.hash, count = excluded.count, time = excluded.time, key = excluded.key,
		signature = excluded.signature`, c.writer, c.day, c.head.Seq, c.head.ID, c.head.Hash, c.head.Count,
		c.head.Time.UnixMicro(), c.head.Key, c.head.Signature)
	return err
}

// keepMark stores a checkpoint.
func (c *chain) keepMark(ctx context.Context, m ledger.Checkpoint) error {
	return keepMark(ctx, c.conn, c.writer, m)
}

func keepMark(ctx context.Context, db querier, writer string, m ledger.Checkpoint) error {
	_, err := db.Exec(ctx, addMark, markArgs(writer, m)...)
	return err
}

const addMark = `INSERT INTO mcpproxy_checkpoints (writer, seq, reason, id, hash, count, time, key, signature)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (writer, seq, reason) DO NOTHING`

func markArgs(writer string, m ledger.Checkpoint) []any {
	return []any{
		writer, m.Seq, string(m.Reason), m.ID, m.Hash, m.Count, m.Time.UnixMicro(), m.Key, m.Signature,
	}
}

// mark signs and stores a checkpoint at the end of the chain.
func (c *chain) mark(ctx context.Context, why ledger.Reason) error {
	if c.head.Seq == 0 || c.head.Seq == c.marked.Seq && why == c.marked.Reason {
		return nil
	}
	m := c.head
	m.Reason = why
	m = c.signer.Sign(m, time.Now())
	if err := c.keepMark(ctx, m); err != nil {
		return err
	}
	c.marked = m
	return nil
}

// today returns the current day by the server's clock.
func (c *chain) today() time.Time { return dayOf(time.Now().Add(c.ahead)) }

func dayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// Append seals and stores records.
func (s *Store) Append(ctx context.Context, records []*mcpproxy.Record) error {
	sealed, err := ledger.PrepareAll(records)
	if err != nil {
		return err
	}
	return s.AppendPrepared(ctx, records, sealed)
}

// AppendPrepared stores prepared records. While the database cannot be reached, it tries again for
// [Patience]. It does not try again if the previous call failed because of an outage.
func (s *Store) AppendPrepared(ctx context.Context, records []*mcpproxy.Record, sealed []ledger.Sealed) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.chain
	if c == nil {
		return errors.New("the activity log is not open for writing")
	}
	if len(records) == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // a batch is short, so it is not cancelled
	began := time.Now()
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, 500*time.Millisecond) {
		before := c.head
		err := c.write(ctx, records, sealed)
		if err == nil {
			c.down = false
			if c.head.Seq < before.Seq {
				s.moved = fmt.Errorf("the chain ended at record no. %d", c.head.Seq)
			}
			s.heads.Move(c.head)
			return nil
		}
		if !outage(err) {
			return err
		}
		if c.down || time.Since(began) > Patience {
			c.down = true
			return err
		}
		if wait == 20*time.Millisecond {
			slog.Warn("the database of the activity log cannot be reached; trying again", "error", err)
		}
		time.Sleep(wait)
	}
}

// outage reports whether an error is caused by the database and not by the records.
func outage(err error) bool {
	var pg *pgconn.PgError
	switch {
	case errors.Is(err, ledger.ErrDuplicate), errors.Is(err, errRecord):
		return false
	case errors.As(err, &pg):
		switch pg.Code[:2] {
		case "08", "53", "55", "57", "58", "40", "XX": // connection, resources, operators, system
			return true
		}
		return pg.Code == readOnly || pg.Code == endMoved || pg.Code == noPartition
	}
	return true
}

// Codes of PostgreSQL's errors.
const (
	readOnly    = "25006" // read_only_sql_transaction: a standby
	noPartition = "23514" // check_violation: there is no partition for the row
	endMoved    = "MP001" // see mcpproxy_move
)

// errRecord is returned for a record that cannot be written in any state of the database.
var errRecord = errors.New("the record cannot be written")

// write writes records in one transaction.
func (c *chain) write(ctx context.Context, records []*mcpproxy.Record, sealed []ledger.Sealed) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	if c.conn == nil || c.conn.IsClosed() {
		c.drop()
		if err := c.connect(ctx); err != nil {
			return err
		}
	}
	if c.allSettled(records) {
		return nil
	}
	b, err := c.batch(ctx, records, sealed)
	if err != nil {
		if outage(err) {
			c.drop()
		}
		return err
	}
	c.attempt = &attempt{head: b.head, day: b.day, ids: b.ids}
	if err := c.send(ctx, b); err != nil {
		var pg *pgconn.PgError
		if errors.As(err, &pg) && !c.conn.IsClosed() { // the server rolled the transaction back
			c.ids.forget(b.ids)
			c.attempt = nil
			if pg.Code == noPartition {
				clear(c.days) // a partition was dropped
			}
		}
		if outage(err) {
			c.drop()
		}
		return err
	}
	c.attempt = nil
	c.head, c.day = b.head, b.day
	if len(b.marks) > 0 {
		c.marked = b.marks[0]
	}
	c.ids.age()
	return nil
}

// allSettled reports whether an earlier transaction, whose commit was confirmed late, has written all records.
func (c *chain) allSettled(records []*mcpproxy.Record) bool {
	if len(c.settled) == 0 {
		return false
	}
	for _, r := range records {
		if !c.settled[r.ID] {
			return false
		}
	}
	for _, r := range records {
		delete(c.settled, r.ID)
	}
	return true
}

// batch is the content of a transaction.
type batch struct {
	rows   []row
	sealed []ledger.Sealed
	days   []time.Time // days of the rows
	head   ledger.Checkpoint
	day    time.Time
	marks  []ledger.Checkpoint // that are due
	ids    []string

	skipped int64 // records between the end of the chain and the first row
}

// batch appends records to the chain in memory, and creates the partitions that they need.
func (c *chain) batch(ctx context.Context, records []*mcpproxy.Record, sealed []ledger.Sealed) (*batch, error) {
	b := &batch{sealed: sealed, head: c.head, day: c.day}
	today := c.today()
	var missing []time.Time
	for i, r := range records {
		if err := c.isNew(ctx, clean(r.ID)); err != nil {
			c.ids.forget(b.ids)
			return nil, fmt.Errorf("record %s: %w", r.ID, err)
		}
		b.ids = append(b.ids, clean(r.ID))
		sealed[i].Follow(b.head.Hash)
		b.head.Seq++
		b.head.ID, b.head.Hash = r.ID, sealed[i].Hash
		day := dayOf(r.Timestamp)
		if day.After(today) { // a fast clock must not determine the partition of all later records
			day = today
		}
		if b.day.Before(day) {
			b.day = day
		}
		b.days, b.rows = append(b.days, b.day), append(b.rows, rowOf(r))
		if !c.days[b.day] && (len(missing) == 0 || missing[len(missing)-1] != b.day) {
			missing = append(missing, b.day)
		}
	}
	b.head.Count, b.head.Reason = b.head.Seq, ledger.ReasonHead
	now := time.Now()
	b.head = c.signer.Sign(b.head, now)
	if b.head.Seq-c.marked.Seq >= ledger.CheckpointEvery || now.Sub(c.marked.Time) >= ledger.CheckpointAfter {
		m := b.head
		m.Reason = ledger.ReasonInterval
		m = c.signer.Sign(m, now)
		b.marks = append(b.marks, m)
	}
	if len(missing) > 0 {
		for d := range daysAhead { // so that batches rarely wait for a new partition
			missing = append(missing, b.day.AddDate(0, 0, d+1))
		}
		if err := makePartitions(ctx, c.conn, missing); err != nil {
			c.ids.forget(b.ids)
			return nil, err
		}
		for _, day := range missing {
			c.days[day] = true
		}
	}
	return b, nil
}

// insertRows is the statement that inserts the rows in the order of its array arguments.
var insertRows = func() string {
	types := strings.Fields(`date text bigint text bigint text text text text text text text text text text text text
		smallint boolean text smallint smallint text text bytea bytea bytea bytea`)
	var args []string
	for i, t := range types {
		args = append(args, fmt.Sprintf("$%d::%s[]", i+1, t))
	}
	return "INSERT INTO mcpproxy_records (day, writer, seq, " + rowColumns + ", " + sealedColumns + ") SELECT * FROM unnest(" +
		strings.Join(args, ", ") + ")"
}()

// columns returns the values of the batch by column.
func (b *batch) columns(writer string, first int64) []any {
	n := len(b.rows)
	writers, seqs := make([]string, n), make([]int64, n)
	forms := make([]int16, n)
	var prev, hash []string
	var body, salt, arguments, response [][]byte
	for i, s := range b.sealed {
		writers[i], seqs[i] = writer, first+int64(i)
		forms[i] = int16(s.Form) //nolint:gosec // there are only a few forms
		prev, hash = append(prev, s.Prev), append(hash, s.Hash)
		body, salt = append(body, s.Body), append(salt, s.Salt)
		arguments, response = append(arguments, orNull(s.Arguments)), append(response, orNull(s.Response))
	}
	out := []any{b.days, writers, seqs}
	out = append(out, column(b.rows, func(r *row) string { return r.ID }),
		column(b.rows, func(r *row) int64 { return r.TS }),
		column(b.rows, func(r *row) string { return r.Type }),
		column(b.rows, func(r *row) string { return r.Session }),
		column(b.rows, func(r *row) string { return r.Flow }),
		column(b.rows, func(r *row) string { return r.Request }),
		column(b.rows, func(r *row) string { return r.Parent }),
		column(b.rows, func(r *row) string { return r.Principal }),
		column(b.rows, func(r *row) string { return r.Server }),
		column(b.rows, func(r *row) string { return r.Tool }),
		column(b.rows, func(r *row) string { return r.Status }),
		column(b.rows, func(r *row) string { return r.Decision }),
		column(b.rows, func(r *row) string { return r.Rule }),
		column(b.rows, func(r *row) string { return r.FlowType }),
		column(b.rows, func(r *row) int16 { return r.Risk }),
		column(b.rows, func(r *row) bool { return r.Sensitive }),
		column(b.rows, func(r *row) string { return r.Detections }),
		column(b.rows, func(r *row) int16 { return r.Severity }))
	return append(out, forms, prev, hash, body, salt, arguments, response)
}

func column[T any](rows []row, value func(*row) T) []T {
	out := make([]T, len(rows))
	for i := range rows {
		out[i] = value(&rows[i])
	}
	return out
}

// orNull returns nil for an empty value, so that NULL is stored.
func orNull(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return b
}

// send sends a transaction in one round trip. It was committed if send returns nil.
func (c *chain) send(ctx context.Context, b *batch) error {
	var q pgx.Batch
	b.queue(&q, c.writer, c.head)
	q.Queue(announce, added{c.writer, b.days[0], c.head.Seq + 1, b.head.Seq}.String())
	return c.conn.SendBatch(ctx, &q).Close()
}

// queue queues the statements that append the batch to the chain of a writer. at is the end of the chain so far.
func (b *batch) queue(q *pgx.Batch, writer string, at ledger.Checkpoint) {
	q.Queue(insertRows, b.columns(writer, at.Seq+1+b.skipped)...)
	b.queueEnd(q, writer, at)
}

// queueEnd queues the statements that move the end of a writer's chain to the last record of the batch, but
// not those that store the records. at is the end of the chain so far.
func (b *batch) queueEnd(q *pgx.Batch, writer string, at ledger.Checkpoint) {
	q.Queue("SELECT mcpproxy_move($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)", writer, at.Seq, at.Hash,
		b.day, b.head.Seq, clean(b.head.ID), b.head.Hash, b.head.Count, b.head.Time.UnixMicro(), b.head.Key,
		b.head.Signature)
	for from := 0; from < len(b.rows); {
		day, to := b.days[from], from
		low, high := b.rows[from].TS, b.rows[from].TS
		highID := ""
		for ; to < len(b.rows) && b.days[to].Equal(day); to++ {
			low, high = min(low, b.rows[to].TS), max(high, b.rows[to].TS)
			highID = max(highID, b.rows[to].ID)
		}
		q.Queue(`INSERT INTO mcpproxy_days AS d (day, writer, records, low, high, high_id) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (day, writer) DO UPDATE SET records = d.records + excluded.records, low = least(d.low, excluded.low),
			high = greatest(d.high, excluded.high), high_id = greatest(d.high_id, excluded.high_id)`,
			day, writer, to-from, low, high, highID)
		from = to
	}
	for _, m := range b.marks {
		q.Queue(addMark, markArgs(writer, m)...)
	}
}

// ids records which record ids this gateway has written. It stores the newest ids. Of older ids it
// stores only the greatest, because a new id is usually greater than all earlier ones.
type ids struct {
	older          string // the greatest id that is in neither of the two maps
	newest, before map[string]bool
}

// idsKnown is the number of ids in each of the two maps.
const idsKnown = 2048

// isNew returns [ledger.ErrDuplicate] if a record with the id exists. Otherwise it adds the id to the known ids.
func (c *chain) isNew(ctx context.Context, id string) error {
	there := c.ids.newest[id] || c.ids.before[id]
	if !there && id <= c.ids.older {
		err := c.conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM mcpproxy_records WHERE id = $1)", id).Scan(&there)
		if err != nil {
			return err
		}
	}
	if there {
		return ledger.ErrDuplicate
	}
	if c.ids.newest == nil {
		c.ids.newest = map[string]bool{}
	}
	c.ids.newest[id] = true
	return nil
}

// forget removes ids whose records were not written.
func (k *ids) forget(all []string) {
	for _, id := range all {
		delete(k.newest, id)
		delete(k.before, id)
	}
}

// age drops the oldest known ids.
func (k *ids) age() {
	if len(k.newest) < idsKnown {
		return
	}
	for old := range k.before {
		k.older = max(k.older, old)
	}
	k.before, k.newest = k.newest, make(map[string]bool, idsKnown)
}
