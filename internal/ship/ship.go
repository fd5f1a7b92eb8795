package ship

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"mcpproxy"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/version"
)

// The intervals of a shipper.
const (
	// lookEvery is the time between two checks for new records.
	lookEvery = time.Second
	// aliveEvery is the time after which an empty batch tells the hub that the machine is running,
	// if there are no new records.
	aliveEvery = 5 * time.Minute
)

// Source is the log whose records are sent.
type Source interface {
	// SealedAfter returns the records that follow a record in the chain, and the number of the first one.
	SealedAfter(ctx context.Context, after int64, records, bytes int) (first int64, all []ledger.Sealed, err error)
}

// Options configure a shipper.
type Options struct {
	Folder string // data folder, which has the cursor
	Source Source
	Signer *ledger.Signer
	// Bare reports whether arguments and responses stay on this machine.
	Bare func() bool
	// Demanded returns the only hub that the configuration allows; "" if it allows any.
	Demanded func() string
	// Record writes a record into the log, and returns when it is on disk.
	Record func(ctx context.Context, r *mcpproxy.Record) error
	// Every, if set, replaces the time between two checks for new records.
	Every time.Duration
}

// Shipper sends the records of a log to a hub.
type Shipper struct {
	o        Options
	client   *client
	enrolled Enrolled
	attempts

	mu     sync.Mutex
	cursor Cursor
}

// New returns a shipper that continues after the cursor in the folder. It fails with ErrNotEnrolled
// if the machine is not enrolled.
func New(ctx context.Context, o Options) (*Shipper, error) {
	e, err := ReadEnrolled(ctx, o.Folder)
	if err != nil {
		return nil, err
	}
	if e.Machine != o.Signer.ID() {
		return nil, fmt.Errorf("this machine is enrolled at %s with the key %s, but its activity log has the key %s: "+
			"enroll it again", e.Hub, e.Machine, o.Signer.ID())
	}
	cursor, err := ReadCursor(ctx, o.Folder, e)
	if err != nil {
		return nil, err
	}
	c, err := newClient(e.Hub, e.CA, o.Signer)
	if err != nil {
		return nil, err
	}
	c.last = max(cursor.Request, e.Request)
	if o.Every == 0 {
		o.Every = lookEvery
	}
	return &Shipper{
		o:        o,
		client:   c,
		enrolled: e,
		attempts: attempts{to: c.hub},
		cursor:   cursor,
	}, nil
}

// Cursor returns up to which record the hub has the log.
func (s *Shipper) Cursor() Cursor {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cursor
}

// To returns the address of the hub.
func (s *Shipper) To() string { return s.enrolled.Hub }

// Sent returns the number of the last record that the hub has, and when it confirmed records last.
func (s *Shipper) Sent() (seq int64, at time.Time) {
	c := s.Cursor()
	return c.Seq, c.Sent
}

// ended reports whether the machine's enrolment was replaced or removed since the shipper was made.
func (s *Shipper) ended(ctx context.Context) bool {
	e, err := ReadEnrolled(ctx, s.o.Folder)
	return err == nil && !e.At.Equal(s.enrolled.At) || errors.Is(err, ErrNotEnrolled)
}

// Keep sends records until ctx ends or the machine is enrolled anew.
func (s *Shipper) Keep(ctx context.Context) { s.keep(ctx, s.o.Every, s.ended, s.Send) }

// Send sends one batch. More reports whether further records wait.
func (s *Shipper) Send(ctx context.Context) (more bool, err error) {
	at := s.Cursor()
	if demanded := clean(s.o.Demanded()); demanded != "" && demanded != s.enrolled.Hub {
		return false, fmt.Errorf("ship.hub demands %s, but this machine is enrolled at %s: enroll it at the hub of ship.hub",
			demanded, s.enrolled.Hub)
	}
	first, records, err := s.next(ctx, at.Seq)
	if err != nil {
		return false, err
	}
	if len(records) == 0 {
		if time.Since(at.Sent) < aliveEvery {
			return false, nil
		}
		return false, s.deliver(ctx, at, &Batch{Program: version.String()})
	}
	if first == at.Seq+1 && records[0].Prev != at.Hash {
		return false, fmt.Errorf("the activity log does not continue the records that the hub has: "+
			"the record before record no. %d is not the last one of the hub", first)
	}
	b, err := s.batch(first, records)
	if err == nil && first > at.Seq+1 {
		err = s.recordGap(ctx, at, b)
	}
	if err == nil {
		err = s.deliver(ctx, at, b)
	}
	return s.Cursor().Seq > at.Seq, err
}

// next returns the next records that a hub accepts. It skips records in the formats of early versions.
func (s *Shipper) next(ctx context.Context, after int64) (first int64, records []ledger.Sealed, err error) {
	for {
		first, records, err = s.o.Source.SealedAfter(ctx, after, MaxRecords, batchBytes)
		if err != nil || len(records) == 0 {
			return 0, nil, err
		}
		from := slices.IndexFunc(records, takes)
		if from < 0 {
			after = first + int64(len(records)) - 1
			continue
		}
		records = records[from:]
		if to := slices.IndexFunc(records, func(r ledger.Sealed) bool { return !takes(r) }); to >= 0 {
			records = records[:to]
		}
		return first + int64(from), records, nil
	}
}

// takes reports whether a hub accepts a record.
func takes(r ledger.Sealed) bool { return r.Form == ledger.FormKeyed }

// batch makes a batch of records and signs the last hash.
func (s *Shipper) batch(first int64, records []ledger.Sealed) (*Batch, error) {
	b := &Batch{Program: version.String(), First: first, Prev: records[0].Prev}
	bare, missing := s.o.Bare(), false
	prev := b.Prev
	for i, r := range records {
		if r.Prev != prev || ledger.Hash(prev, r.Body) != r.Hash {
			return nil, fmt.Errorf("record no. %d of the activity log was changed after it was written: "+
				"run mcpproxy activity verify", first+int64(i))
		}
		prev = r.Hash
		out := Record{Body: r.Body}
		if !bare {
			out = Record{
				Body:      r.Body,
				Salt:      r.Salt,
				Arguments: r.Arguments,
				Response:  r.Response,
			}
		}
		missing = missing || len(out.Salt) == 0
		b.Records = append(b.Records, out)
	}
	last, err := records[len(records)-1].Open()
	if err != nil {
		return nil, err
	}
	seq := first + int64(len(records)) - 1
	head := ledger.Checkpoint{
		Seq:    seq,
		ID:     last.ID,
		Hash:   prev,
		Count:  seq,
		Reason: ledger.ReasonHead,
	}
	now := time.Now()
	b.Head = s.o.Signer.Sign(head, now)
	if missing { // or the records never had bodies; the hub need not know which
		head.Reason = ledger.ReasonWithheld
		withheld := s.o.Signer.Sign(head, now)
		b.Withheld = &withheld
	}
	return b, nil
}

// recordGap adds a signed statement to the batch that the records before it are not sent. It writes a
// gap record with their number into the log, once: the cursor remembers that it was written.
func (s *Shipper) recordGap(ctx context.Context, at Cursor, b *Batch) error {
	missing := b.First - at.Seq - 1
	skipped := s.o.Signer.Sign(ledger.Checkpoint{
		Seq:    b.First - 1,
		Hash:   b.Prev,
		Count:  b.First - 1,
		Reason: ledger.ReasonSkipped,
	}, time.Now())
	b.Skipped = &skipped
	if at.Told >= b.First-1 {
		return nil
	}
	first, err := (&ledger.Sealed{Form: ledger.FormKeyed, Body: b.Records[0].Body}).Open()
	if err != nil {
		return err
	}
	gap := mcpproxy.Gap{
		Reason: mcpproxy.GapUnsent,
		From:   at.Sent,
		To:     first.Timestamp,
		Lost:   missing,
	}
	if err := record(ctx, s.o.Record, gap, s.client.hub); err != nil {
		return err
	}
	return s.move(func(c *Cursor) { c.Told = b.First - 1 })
}

// record writes into the log that the records of a gap will never be sent to the hub or bucket with the address to.
func record(
	ctx context.Context,
	write func(context.Context, *mcpproxy.Record) error,
	gap mcpproxy.Gap,
	to string,
) error {
	if gap.From.IsZero() || gap.From.After(gap.To) {
		gap.From = gap.To
	}
	if err := write(ctx, gap.Record(ulid.Make().String())); err != nil {
		return fmt.Errorf("recording that %d records are not sent to %s: %w", gap.Lost, to, err)
	}
	slog.Warn("records were not sent and never will be", "to", to, "records", gap.Lost)
	return nil
}

// move changes the cursor on disk, then in memory.
func (s *Shipper) move(change func(*Cursor)) error {
	next := s.Cursor()
	change(&next)
	if err := next.Save(s.o.Folder); err != nil {
		return err
	}
	s.mu.Lock()
	s.cursor = next
	s.mu.Unlock()
	return nil
}

// deliver sends a batch and moves the cursor to the last record that the hub has.
func (s *Shipper) deliver(ctx context.Context, at Cursor, b *Batch) error {
	raw, err := b.Encode()
	if err != nil {
		return err
	}
	a, err := s.client.post(ctx, PathRecords, raw)
	var refused *Refusal
	if errors.As(err, &refused) && refused.Answer.Code == CodeAhead && refused.Answer.Seq < at.Seq {
		// The hub's database was restored from an older backup. Send the missing records again, if
		// the log still has them.
		slog.Warn("the hub has fewer records of this machine than before; sending them again",
			"had", at.Seq, "has", refused.Answer.Seq)
		a, err = &refused.Answer, nil
	}
	if err != nil {
		return err
	}
	return s.move(func(c *Cursor) {
		c.Seq, c.Hash = a.Seq, a.Hash
		c.Sent = time.Now().UTC()
		c.Request = s.client.last
	})
}
