package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcpproxy"
)

// ErrNotFound says that no record has the id asked for.
var ErrNotFound = errors.New("no such record")

// Store keeps records. Implementations MUST append a batch in one transaction,
// in order, each sealed onto the one before; MUST be durable when Append
// returns; and MUST hand records out with PrevHash and Hash set.
type Store interface {
	// Append seals and keeps records. One goroutine calls it at a time.
	Append(ctx context.Context, records []*mcpproxy.Record) error
	// AppendPrepared is Append of records that PrepareAll has prepared, which it
	// does not do again. It puts the prepared ones into the chain.
	AppendPrepared(ctx context.Context, records []*mcpproxy.Record, prepared []Sealed) error
	// Get returns one record, or ErrNotFound.
	Get(ctx context.Context, id string) (*mcpproxy.Record, error)
	// Scan calls f with every record that matches, newest first, or oldest
	// first when the filter says so, until f returns an error. It holds a few
	// records at a time, and nothing open while f runs. Limit and offset apply; a
	// limit of 0 means no limit.
	Scan(ctx context.Context, q Filter, f func(*mcpproxy.Record) error) error
	// Count returns how many records match, without limit, offset and cursor.
	Count(ctx context.Context, q Filter) (int, error)
	// Verify walks the chain.
	Verify(ctx context.Context) (Report, error)
	Overviews
	Housekeeping
}

// Overviews answer questions about many records without reading them all.
type Overviews interface {
	// CountUpTo is Count that may stop counting at most.
	CountUpTo(ctx context.Context, q Filter, most int) (int, error)
	// Summarize counts what matches by what it is.
	Summarize(ctx context.Context, q Filter) (Breakdown, error)
	// Values lists the values that a field has in the log, the most frequent
	// first, at most limit. ErrNoSuchField when it has no list of values.
	Values(ctx context.Context, field string, limit int) ([]Value, error)
}

// Housekeeping bounds what is kept.
type Housekeeping interface {
	// Tidy removes what the rules say, in steps that keep no writer waiting. It
	// leaves the chain provable and gives the space back. While the clock may be wrong,
	// age counts for nothing: see [Tidied].
	Tidy(ctx context.Context, now time.Time, rules Rules) (Tidied, error)
}

// Rules say what is kept. A zero field is no bound.
type Rules struct {
	MaxAge      time.Duration // records older than this go
	MaxRecords  int
	MaxBytes    int64         // of the whole log on disk
	RedactAfter time.Duration // bodies of records with secrets or personal data, older than this, go
}

// Tidied is what Tidy did.
type Tidied struct {
	Removed  int   // records
	Redacted int   // records that lost arguments and response
	Bytes    int64 // on disk before, less those after
	// Doubt says why nothing was removed and redacted by age; nil when it was.
	Doubt *Doubt
}

// Doubt says that the clock is so far ahead of the log that it may be wrong.
type Doubt struct {
	Now  time.Time // what the clock says
	Last time.Time // the last record that is older than a day
}

// String is the doubt in a sentence, without its end.
func (d Doubt) String() string {
	return fmt.Sprintf("the clock says %s, and the log was last in use on %s: "+
		"records stay until that time was in use for a day", At(d.Now), At(d.Last))
}

// ErrNoSuchField says that a field has no list of values.
var ErrNoSuchField = errors.New("this field has no list of values")

// Report is the outcome of walking the chain.
type Report struct {
	Records  int    `json:"records"`
	OK       bool   `json:"ok"`
	BadID    string `json:"bad_id,omitempty"`    // the first record that does not hold
	Problem  string `json:"problem,omitempty"`   // what is wrong with it
	Head     string `json:"head_hash,omitempty"` // hash of the last good record
	Redacted int    `json:"redacted"`            // records whose bodies were removed with age
	Removed  int64  `json:"removed"`             // records that retention has removed
	Gaps     int    `json:"gaps"`                // times of which the log does not say everything
	Since    string `json:"since,omitempty"`     // the record after which the chain was walked, when not all of it was
	Key      string `json:"key,omitempty"`       // KeyID of the key that signed the end
	// LastGap is the newest of the gaps; nil when there are none.
	LastGap *mcpproxy.Gap `json:"last_gap,omitempty"`
	// Checkpoint is the signed end of the chain. Who keeps it elsewhere can tell
	// later whether the log still holds what it held.
	Checkpoint *Checkpoint `json:"checkpoint,omitempty"`
}
