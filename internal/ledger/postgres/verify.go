package postgres

import (
	"context"
	"fmt"
	"time"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// newcomerFor is how long a new gateway may be missing from the rolls of others.
const newcomerFor = 4 * RollEvery

// Verify verifies the chains and compares all tables with the records.
func (s *Store) Verify(ctx context.Context) (ledger.Report, error) {
	return s.Check(ctx, ledger.Check{})
}

// Check is Verify with options. It trusts the keys of the store, and the keys in every roll that a
// trusted key has signed.
func (s *Store) Check(ctx context.Context, how ledger.Check) (ledger.Report, error) {
	tx, err := s.snapshot(ctx)
	if err != nil {
		return ledger.Report{}, err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // read-only transaction
	v := &verifier{
		db:   tx,
		keys: s.keys,
		how:  how,
		rep:  ledger.Report{OK: true},
		days: map[dayKey]dayRow{},
	}
	if err := v.readWriters(ctx); err != nil || !v.rep.OK {
		return v.rep, err
	}
	for _, w := range v.writers {
		c := &chainCheck{verifier: v, writer: w}
		if err := c.check(ctx); err != nil || !v.rep.OK {
			return v.rep, err
		}
		if len(v.writers) == 1 || len(s.keys) > 0 && ledger.KeyID(s.keys[0]) == w.id {
			v.rep.Head = c.prev
			v.rep.Checkpoint, v.rep.Key = w.head, w.head.Key
		}
	}
	if err := v.checkDays(ctx); err != nil || !v.rep.OK {
		return v.rep, err
	}
	return v.rep, v.checkTotal(ctx)
}

// verifier verifies one snapshot of the log.
type verifier struct {
	db      querier
	keys    ledger.Keys // trusted keys
	how     ledger.Check
	rep     ledger.Report
	writers []writer
	rolls   []ledger.Roll // rolls signed by trusted keys
	total   int64         // number of records according to the table of days
	days    map[dayKey]dayRow
}

type dayKey struct {
	day    time.Time
	writer string
}

type dayRow struct{ records, low, high int64 }

func (v *verifier) fail(id, format string, args ...any) {
	v.rep.OK = false
	v.rep.BadID = id
	v.rep.Problem = fmt.Sprintf(format, args...)
}

// readWriters reads the gateways and decides which of them are trusted.
func (v *verifier) readWriters(ctx context.Context) (err error) {
	if v.writers, err = readWriters(ctx, v.db); err != nil {
		return err
	}
	err = v.db.QueryRow(ctx, "SELECT coalesce(sum(records), 0)::bigint FROM mcpproxy_days").Scan(&v.total)
	if err != nil {
		return err
	}
	if err := v.trust(ctx); err != nil {
		return err
	}
	var now time.Time
	if err := v.db.QueryRow(ctx, "SELECT now()").Scan(&now); err != nil {
		return err
	}
	for _, w := range v.writers {
		switch {
		case w.id != ledger.KeyID(w.key):
			v.fail("", "the key of the gateway on %s (%s) was replaced", w.host, w.id)
		case !v.trusted(w.id) && now.Sub(w.joined) > newcomerFor:
			v.fail("", "the gateway on %s writes to the log, and no gateway whose key is trusted has seen it "+
				"(key %s): name its public key with --key if it is yours", w.host, w.id)
		case w.head == nil:
			v.fail("", "the signed end of the chain of the gateway on %s (key %s) is missing", w.host, w.id)
		}
	}
	for _, roll := range v.rolls {
		if err := v.holdRoll(ctx, roll); err != nil || !v.rep.OK {
			return err
		}
	}
	return nil
}

func (v *verifier) trusted(id string) bool {
	for _, key := range v.keys {
		if ledger.KeyID(key) == id {
			return true
		}
	}
	return false
}

// trust adds the keys in trusted rolls.
func (v *verifier) trust(ctx context.Context) error {
	rows, err := v.db.Query(ctx, "SELECT body FROM mcpproxy_rolls")
	if err != nil {
		return err
	}
	defer rows.Close()
	var all []ledger.Roll
	for rows.Next() {
		var raw []byte
		if err := rows.Scan(&raw); err != nil {
			return err
		}
		roll, err := ledger.ParseRoll(raw)
		if err != nil {
			v.fail("", "a roll of the gateways cannot be read")
			return nil
		}
		all = append(all, roll)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for more := true; more; {
		more = false
		for i, roll := range all {
			if roll.Replicas == nil || !v.keys.SignedRoll(roll) {
				continue
			}
			v.rolls, more = append(v.rolls, roll), true
			for id, r := range roll.Replicas {
				if !v.trusted(id) && ledger.KeyID(r.Key) == id {
					v.keys = append(v.keys[:len(v.keys):len(v.keys)], r.Key)
				}
			}
			all[i].Replicas = nil
		}
	}
	for _, roll := range all {
		if roll.Replicas != nil && v.trusted(roll.Writer) {
			v.fail("", "the roll of gateway %s is not signed by its key: it was changed", roll.Writer)
		}
	}
	return nil
}

// holdRoll compares the chains with their ends in a roll.
func (v *verifier) holdRoll(ctx context.Context, roll ledger.Roll) error {
	for id, r := range roll.Replicas {
		problem, err := headProblem(ctx, v.db, v.writers, id, r.Head)
		if err != nil {
			return err
		}
		there := false
		for _, w := range v.writers {
			there = there || w.id == id
		}
		if problem == "" && !there {
			problem = "its key was removed"
		}
		if problem != "" {
			v.fail("", "the records of the gateway on %s (key %s): %s", r.Host, id, problem)
			return nil
		}
	}
	return nil
}

// checkDays compares the table of days, which searches use to skip partitions, with the records.
func (v *verifier) checkDays(ctx context.Context) error {
	if v.how.SinceCheckpoint {
		return nil
	}
	rows, err := v.db.Query(ctx, "SELECT day, writer, records, low, high FROM mcpproxy_days")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var k dayKey
		var got dayRow
		if err := rows.Scan(&k.day, &k.writer, &got.records, &got.low, &got.high); err != nil {
			return err
		}
		want, ok := v.days[k]
		agrees := got.records == want.records && (!ok || got.low <= want.low && got.high >= want.high)
		if !agrees {
			v.fail("", "the log's totals for %s do not agree with its records", k.day.Format(time.DateOnly))
			return nil
		}
		delete(v.days, k)
	}
	if len(v.days) > 0 && rows.Err() == nil {
		v.fail("", "the log's table of days lacks days that have records")
	}
	return rows.Err()
}

// checkTotal finds records that belong to no chain.
func (v *verifier) checkTotal(ctx context.Context) error {
	if v.how.SinceCheckpoint {
		return nil
	}
	var n int
	err := v.db.QueryRow(ctx, "SELECT count(*) FROM mcpproxy_records").Scan(&n)
	if err == nil && n != v.rep.Records {
		v.fail("", "the log has %d records that no gateway has written", n-v.rep.Records)
	}
	return err
}

// chainCheck verifies the chain of one gateway.
type chainCheck struct {
	*verifier
	writer writer

	marks    []ledger.Checkpoint
	redacted int64            // bodies may be missing up to this record
	withheld int64            // bodies may never have been sent up to this record
	skips    map[int64]string // hashes of the records before which some were not sent
	removed  int64
	first    int64 // first record to verify
	since    bool
	prev     string // hash of the record before
	lastID   string
	last     int64
	at       place // position of the previous record
	records  int
}

func (c *chainCheck) check(ctx context.Context) error {
	for _, step := range []func(context.Context) error{c.readMarks, c.walk, c.checkEnd} {
		if err := step(ctx); err != nil || !c.rep.OK {
			return err
		}
	}
	c.rep.Removed += c.removed
	c.rep.Replicas = append(c.rep.Replicas, ledger.ReplicaReport{
		Writer:  c.writer.id,
		Host:    c.writer.host,
		Records: c.records,
		Removed: c.removed,
		Head:    c.prev,
		Last:    c.writer.head.Time,
	})
	return nil
}

// readMarks checks the signatures and determines where to begin. A chain's own key must have signed
// its end. Any trusted key may have signed its retention and redaction checkpoints.
func (c *chainCheck) readMarks(ctx context.Context) error {
	rows, err := c.db.Query(ctx, "SELECT "+checkpointColumns+
		" FROM mcpproxy_checkpoints WHERE writer = $1 ORDER BY seq, reason", c.writer.id)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		m, err := scanCheckpoint(rows)
		if err != nil {
			return err
		}
		c.marks = append(c.marks, m)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	own := ledger.Keys{c.writer.key}
	for _, m := range append(c.marks[:len(c.marks):len(c.marks)], *c.writer.head) {
		upkeep := m.Reason == ledger.ReasonRetention || m.Reason == ledger.ReasonRedaction
		if !own.Signed(m) && !(upkeep && c.keys.Signed(m)) {
			c.fail(m.ID, "the checkpoint at this record is not signed by the key of its gateway (%s, key %s): "+
				"the log was changed, or the key was", c.writer.host, c.writer.id)
			return nil
		}
	}
	for _, m := range c.marks {
		switch {
		case m.Reason == ledger.ReasonRetention:
			c.first, c.prev = m.Seq, m.Hash
			c.removed = m.Seq
		case m.Reason == ledger.ReasonRedaction:
			c.redacted = m.Seq
		case m.Reason == ledger.ReasonWithheld:
			c.withheld = m.Seq
		case m.Reason == ledger.ReasonSkipped:
			if c.skips == nil {
				c.skips = map[int64]string{}
			}
			c.skips[m.Seq] = m.Hash
		case c.how.SinceCheckpoint:
			c.first, c.prev = m.Seq, m.Hash
			c.since, c.rep.Since = true, m.ID
		}
	}
	if !c.since { // otherwise the signed record itself must exist
		c.first++
	}
	c.last = c.first - 1
	return nil
}

// progressEvery is the number of records between two progress reports.
const progressEvery = 5000

func (c *chainCheck) walk(ctx context.Context) error {
	rows, err := c.db.Query(ctx, "SELECT day, pos, seq, "+rowColumns+", "+sealedColumns+
		" FROM mcpproxy_records WHERE writer = $1 AND seq >= $2 ORDER BY seq", c.writer.id, c.fromSeq())
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() && c.rep.OK {
		var at place
		var seq int64
		var line row
		var sealed ledger.Sealed
		fields := append([]any{&at.day, &at.pos, &seq}, line.fields()...)
		if err := rows.Scan(append(fields, sealedFields(&sealed)...)...); err != nil {
			return err
		}
		c.record(at, seq, &line, &sealed)
		if c.how.Progress != nil && c.rep.Records%progressEvery == 0 {
			c.how.Progress(int64(c.rep.Records), c.total)
		}
	}
	return rows.Err()
}

// fromSeq returns the number of the first record to read. Records before the beginning of the chain were
// inserted.
func (c *chainCheck) fromSeq() int64 {
	if c.since {
		return c.first
	}
	return -1 << 62
}

// record checks one record.
func (c *chainCheck) record(at place, seq int64, line *row, sealed *ledger.Sealed) {
	r, problem := sealed.Examine(seq, ledger.Keys{c.writer.key})
	id := line.ID
	if r != nil {
		id = r.ID
	}
	switch {
	case problem != "":
	case sealed.Form != ledger.FormKeyed:
		problem = "the record's form is unknown"
	case !c.follows(seq, sealed.Prev):
		problem = "a record before this one was removed, inserted or moved"
	case at.day.Before(c.at.day), at.day.Equal(c.at.day) && at.pos <= c.at.pos:
		problem = "the record was moved to another place in the log"
	case r.Redacted && seq > c.withheld && (seq > c.redacted || !line.Sensitive):
		problem = "its arguments and response were removed, and no checkpoint says why"
	default:
		if column := line.disagrees(rowOf(r)); column != "" {
			problem = fmt.Sprintf("the column %s does not agree with the record", column)
		}
	}
	if problem == "" {
		problem = c.atMark(seq, r)
	}
	if problem != "" {
		c.fail(id, "%s", problem)
		return
	}
	if r.Redacted {
		c.rep.Redacted++
	}
	if gap, ok := mcpproxy.GapOf(r); ok && gap.Reason != mcpproxy.GapStopped {
		c.rep.Gaps++
		if c.rep.LastGap == nil || gap.To.After(c.rep.LastGap.To) {
			c.rep.LastGap = &gap
		}
	}
	c.prev, c.at = sealed.Hash, at
	c.last, c.lastID = seq, r.ID
	c.records++
	c.rep.Records++
	k := dayKey{at.day, c.writer.id}
	d, ok := c.days[k]
	if !ok {
		d.low, d.high = line.TS, line.TS
	}
	c.days[k] = dayRow{d.records + 1, min(d.low, line.TS), max(d.high, line.TS)}
}

// follows reports whether a record with the number seq that follows the hash prev may come next.
func (c *chainCheck) follows(seq int64, prev string) bool {
	if seq == c.last+1 {
		return prev == c.prev || c.since && seq == c.first
	}
	hash, skipped := c.skips[seq-1]
	return skipped && seq > c.last && prev == hash
}

// atMark holds the checkpoints at a record against it, and drops them.
func (c *chainCheck) atMark(seq int64, r *mcpproxy.Record) (problem string) {
	for len(c.marks) > 0 && c.marks[0].Seq <= seq {
		m := c.marks[0]
		c.marks = c.marks[1:]
		if m.Seq == seq && (m.Hash != r.Hash || m.ID != r.ID) { // that of records that were skipped is before seq
			return "the record is not the one that was signed at this place: the log was written anew from some record on"
		}
	}
	return ""
}

// checkEnd compares the last verified record with the signed head.
func (c *chainCheck) checkEnd(context.Context) error {
	for _, m := range c.marks {
		if m.Seq > c.last {
			c.fail(c.lastID, "records of the gateway on %s after this one were removed: a checkpoint was signed at %s",
				c.writer.host, m.ID)
			return nil
		}
	}
	switch head := c.writer.head; {
	case head.Seq > c.last:
		c.fail(c.lastID, "records of the gateway on %s after this one were removed", c.writer.host)
	case head.Seq < c.last:
		c.fail(c.lastID, "this record was not written by mcpproxy: the log was signed up to one before it")
	case head.Hash != c.prev, c.lastID != "" && head.ID != c.lastID:
		c.fail(c.lastID, "this record is not the end that was signed")
	}
	return nil
}
