package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcpproxy"
)

// ErrNotFound says that there is no record with the given id.
var ErrNotFound = errors.New("no such record")

// Store stores records. Implementations MUST append a batch in one transaction, in order, each
// record chained to the one before; the records MUST be on disk when Append returns; and returned
// records MUST have PrevHash and Hash set.
type Store interface {
	// Append seals and stores records. Only one goroutine calls it at a time.
	Append(ctx context.Context, records []*mcpproxy.Record) error
	// AppendPrepared is Append for records that PrepareAll has prepared. It adds the prepared ones
	// to the chain.
	AppendPrepared(ctx context.Context, records []*mcpproxy.Record, prepared []Sealed) error
	// Get returns one record, or ErrNotFound.
	Get(ctx context.Context, id string) (*mcpproxy.Record, error)
	// Scan calls f with every matching record, newest first unless the filter says otherwise, until
	// f returns an error. It keeps only a few records in memory, and nothing open while f runs.
	// Limit and offset apply; a limit of 0 means no limit.
	Scan(ctx context.Context, q Filter, f func(*mcpproxy.Record) error) error
	// Count returns how many records match, without limit, offset and cursor.
	Count(ctx context.Context, q Filter) (int, error)
	// Verify verifies the chain.
	Verify(ctx context.Context) (Report, error)
	Overviews
	Housekeeping
}

type Overviews interface {
	// CountUpTo counts like Count, but may stop when the count reaches most.
	CountUpTo(ctx context.Context, q Filter, most int) (int, error)
	// Summarize counts the matching records by their fields.
	Summarize(ctx context.Context, q Filter) (Breakdown, error)
	// Values lists at most limit values of a field, the most frequent first. It returns
	// ErrNoSuchField if the field has no list of values.
	Values(ctx context.Context, field string, limit int) ([]Value, error)
}

type Housekeeping interface {
	// Tidy removes records and bodies according to the rules, in steps that do not block writers.
	// The chain stays verifiable, and the space is returned to the file system. If the clock may be
	// wrong, nothing is removed by age; see [Tidied].
	Tidy(ctx context.Context, now time.Time, rules Rules) (Tidied, error)
}

// Rules limit what is kept. A zero field means no limit.
type Rules struct {
	MaxAge      time.Duration // older records are removed
	MaxRecords  int
	MaxBytes    int64         // of the whole log on disk
	RedactAfter time.Duration // bodies with secrets or personal data are removed after this time
	// Unsent protects the records that a hub does not have yet.
	Unsent Unsent
}

// Unsent says which records stay although the other rules would remove them. Its zero value protects none.
type Unsent struct {
	After    int64 // the number of the last record that the hub has
	MaxBytes int64 // size of the whole log on disk up to which unsent records are kept; 0 keeps none
}

// Tidied is the result of Tidy.
type Tidied struct {
	Removed  int   // records
	Redacted int   // records whose arguments and response were removed
	Bytes    int64 // bytes freed on disk
	// Doubt says why nothing was removed or redacted by age; nil if age was applied.
	Doubt *Doubt
}

// Doubt says that the clock is so far ahead of the newest records that it may be wrong.
type Doubt struct {
	Now  time.Time // time of the clock
	Last time.Time // last record that is older than a day
}

// String describes the doubt in a sentence without its final stop.
func (d Doubt) String() string {
	return fmt.Sprintf("the clock says %s, but the log was last used on %s: "+
		"if the clock stays like this for a day, removal by age goes on", At(d.Now), At(d.Last))
}

// ErrNoSuchField says that a field has no list of values.
var ErrNoSuchField = errors.New("this field has no list of values")

// Report is the result of verifying the chain.
type Report struct {
	Records  int    `json:"records"`
	OK       bool   `json:"ok"`
	BadID    string `json:"bad_id,omitempty"`    // first damaged record
	Problem  string `json:"problem,omitempty"`   // what is wrong with it
	Head     string `json:"head_hash,omitempty"` // hash of the last valid record
	Redacted int    `json:"redacted"`            // records whose bodies were removed by age
	Removed  int64  `json:"removed"`             // records removed by retention
	Gaps     int    `json:"gaps"`                // periods that the log does not cover completely
	Since    string `json:"since,omitempty"`     // record after which verification began, if not at the start
	Key      string `json:"key,omitempty"`       // KeyID of the key that signed the end
	// Replicas are the chains of all gateways, if several write to the log.
	Replicas []ReplicaReport `json:"replicas,omitempty"`
	// LastGap is the newest gap, or nil.
	LastGap *mcpproxy.Gap `json:"last_gap,omitempty"`
	// Checkpoint is the signed end of the chain. A copy stored elsewhere can later prove whether
	// the log still contains these records.
	Checkpoint *Checkpoint `json:"checkpoint,omitempty"`
}
