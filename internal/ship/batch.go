package ship

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"

	"mcpproxy/internal/ledger"
)

// How much a batch holds.
const (
	// MaxRecords is how many records a batch may have.
	MaxRecords = 2000
	// MaxBody is the size of the largest compressed batch that a hub reads.
	MaxBody = 16 << 20
	// MaxContent is the size of the largest batch.
	MaxContent = 64 << 20
	// batchBytes is the size of the records of a batch after which no further record is added.
	batchBytes = 4 << 20
)

// batchForm is the version of the form of batches.
const batchForm = 1

// Batch is a run of records of one machine's chain. A batch without records says that the machine is
// there.
type Batch struct {
	Form     int                `json:"form"`
	Program  string             `json:"program"`        // version of the machine's mcpproxy
	First    int64              `json:"first"`          // number of the first record
	Prev     string             `json:"prev,omitempty"` // hash of the record before it
	Records  []Record           `json:"records,omitempty"`
	Head     ledger.Checkpoint  `json:"head"`
	Skipped  *ledger.Checkpoint `json:"skipped,omitempty"`
	Withheld *ledger.Checkpoint `json:"withheld,omitempty"`
}

// Record is a sealed record. Its hash follows from the body and from the hash before it.
type Record struct {
	Body      []byte `json:"body"`
	Salt      []byte `json:"salt,omitempty"`
	Arguments []byte `json:"arguments,omitempty"`
	Response  []byte `json:"response,omitempty"`
}

// Sealed returns the records as stores have them. Only the first has its Prev.
func (b *Batch) Sealed() []ledger.Sealed {
	out := make([]ledger.Sealed, len(b.Records))
	for i, r := range b.Records {
		out[i] = ledger.Sealed{
			Form:      ledger.FormKeyed,
			Body:      r.Body,
			Salt:      orNil(r.Salt),
			Arguments: orNil(r.Arguments),
			Response:  orNil(r.Response),
		}
	}
	if len(out) > 0 {
		out[0].Prev = b.Prev
	}
	return out
}

// orNil is b; nil if it is empty.
func orNil(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return b
}

// Encode returns the compressed bytes of a batch.
func (b *Batch) Encode() ([]byte, error) {
	b.Form = batchForm
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(json.MarshalWrite(zip, b), zip.Close()); err != nil {
		return nil, fmt.Errorf("encoding records for the hub: %w", err)
	}
	return out.Bytes(), nil
}

// ErrForm is the error of bytes that are not a batch.
var ErrForm = errors.New("the batch cannot be read")

// Decode reads the compressed bytes of a batch. It checks their form, and neither hashes nor signatures.
func Decode(raw []byte) (*Batch, error) {
	zip, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrForm, err)
	}
	content, err := io.ReadAll(io.LimitReader(zip, MaxContent+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrForm, err)
	case len(content) > MaxContent:
		return nil, fmt.Errorf("%w: it has more than %d MB", ErrForm, MaxContent>>20)
	}
	var b Batch
	if err := json.Unmarshal(content, &b, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrForm, err)
	}
	switch {
	case b.Form != batchForm:
		return nil, fmt.Errorf("%w: it has form %d, and this hub reads form %d", ErrForm, b.Form, batchForm)
	case len(b.Records) > MaxRecords:
		return nil, fmt.Errorf("%w: it has more than %d records", ErrForm, MaxRecords)
	case len(b.Records) > 0 && b.First < 1:
		return nil, fmt.Errorf("%w: its first record has number %d", ErrForm, b.First)
	}
	return &b, nil
}
