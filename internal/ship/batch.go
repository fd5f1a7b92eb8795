package ship

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/klauspost/compress/zstd"

	"mcpproxy/internal/ledger"
)

// The limits of a batch.
const (
	// MaxRecords is the largest number of records of a batch.
	MaxRecords = 2000
	// MaxBody is the largest compressed size of a batch that a hub reads, in bytes.
	MaxBody = 16 << 20
	// MaxContent is the largest size of a batch before compression, in bytes.
	MaxContent = 64 << 20
	// batchBytes is the size at which a batch is full: no further record is added to it.
	batchBytes = 4 << 20
)

// batchForm is the version of the format of batches.
const batchForm = 2

// Batch is a run of consecutive records of one machine's chain. A batch without records only tells
// the hub that the machine is running.
//
// It is sent as one Zstandard frame: the JSON of the batch, followed by the fields of each record in
// the order of the type Record. The JSON and each field are preceded by their length as a varint.
type Batch struct {
	Form     int                `json:"form"`
	Program  string             `json:"program"`        // version of the machine's mcpproxy
	First    int64              `json:"first"`          // number of the first record
	Prev     string             `json:"prev,omitempty"` // hash of the record before it
	Count    int                `json:"count"`          // of the records
	Records  []Record           `json:"-"`
	Head     ledger.Checkpoint  `json:"head"`
	Skipped  *ledger.Checkpoint `json:"skipped,omitempty"`
	Withheld *ledger.Checkpoint `json:"withheld,omitempty"`
}

// Record is a sealed record. Its hash is not sent: the hub computes it from the body and the previous hash.
type Record struct {
	Body, Salt, Arguments, Response []byte
}

// Sealed returns the records in the form that stores use. Prev is set only in the first one.
func (b *Batch) Sealed() []ledger.Sealed {
	out := make([]ledger.Sealed, len(b.Records))
	for i, r := range b.Records {
		out[i] = ledger.Sealed{
			Form:      ledger.FormKeyed,
			Body:      r.Body,
			Salt:      r.Salt,
			Arguments: r.Arguments,
			Response:  r.Response,
		}
	}
	if len(out) > 0 {
		out[0].Prev = b.Prev
	}
	return out
}

// window is the number of earlier bytes in which the compression finds repetitions. A machine keeps that many bytes in
// memory.
const window = 256 << 10

// zip compresses batches. It and unzip are safe for concurrent use.
var zip = sync.OnceValues(func() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true))
})

var unzip = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(MaxContent))
})

// Encode returns the compressed bytes of a batch.
func (b *Batch) Encode() ([]byte, error) {
	b.Form, b.Count = batchForm, len(b.Records)
	z, err := zip()
	if err != nil {
		return nil, fmt.Errorf("encoding records for the hub: %w", err)
	}
	head, err := json.Marshal(b)
	if err != nil {
		return nil, fmt.Errorf("encoding records for the hub: %w", err)
	}
	size := len(head) + binary.MaxVarintLen32
	for _, r := range b.Records {
		size += len(r.Body) + len(r.Salt) + len(r.Arguments) + len(r.Response) + 4*binary.MaxVarintLen32
	}
	content := appendField(make([]byte, 0, size), head)
	for _, r := range b.Records {
		for _, field := range [][]byte{r.Body, r.Salt, r.Arguments, r.Response} {
			content = appendField(content, field)
		}
	}
	return z.EncodeAll(content, nil), nil
}

func appendField(content, field []byte) []byte {
	return append(binary.AppendUvarint(content, uint64(len(field))), field...)
}

// ErrForm is returned for bytes that are not a valid batch.
var ErrForm = errors.New("the batch cannot be read")

// Decode reads the compressed bytes of a batch. It checks the format, but not the hashes and signatures.
func Decode(raw []byte) (*Batch, error) {
	z, err := unzip()
	if err != nil {
		return nil, err
	}
	content, err := z.DecodeAll(raw, nil)
	switch {
	case errors.Is(err, zstd.ErrDecoderSizeExceeded), err == nil && len(content) > MaxContent:
		return nil, fmt.Errorf("%w: it has more than %d MB", ErrForm, MaxContent>>20)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrForm, err)
	}
	head, content, err := cutField(content)
	if err != nil {
		return nil, err
	}
	var b Batch
	if err := json.Unmarshal(head, &b, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrForm, err)
	}
	switch {
	case b.Form != batchForm:
		return nil, fmt.Errorf("%w: its format is %d, and this hub reads format %d", ErrForm, b.Form, batchForm)
	case b.Count < 0 || b.Count > MaxRecords:
		return nil, fmt.Errorf("%w: it has more than %d records", ErrForm, MaxRecords)
	case b.Count > 0 && b.First < 1:
		return nil, fmt.Errorf("%w: its first record has number %d", ErrForm, b.First)
	}
	if b.Count > 0 {
		b.Records = make([]Record, b.Count)
	}
	for i := range b.Records {
		r := &b.Records[i]
		for _, field := range []*[]byte{&r.Body, &r.Salt, &r.Arguments, &r.Response} {
			if *field, content, err = cutField(content); err != nil {
				return nil, err
			}
		}
	}
	if len(content) > 0 {
		return nil, fmt.Errorf("%w: there are bytes after its last record", ErrForm)
	}
	return &b, nil
}

// cutField returns the first field of the content, nil if it is empty, and the rest of the content.
func cutField(content []byte) (field, rest []byte, err error) {
	length, n := binary.Uvarint(content)
	if n <= 0 || length > uint64(len(content)-n) {
		return nil, nil, fmt.Errorf("%w: it ends in the middle of a record", ErrForm)
	}
	content = content[n:]
	if length == 0 {
		return nil, content, nil
	}
	return content[:length:length], content[length:], nil
}
