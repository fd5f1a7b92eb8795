package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"mcpproxy"
)

// ErrNotFound says that no record has the id asked for.
var ErrNotFound = errors.New("no such record")

// Store keeps records. Implementations MUST append a batch in one transaction,
// in order, each sealed onto the one before; MUST be durable when Append
// returns; and MUST hand records out with PrevHash and Hash set.
type Store interface {
	// Append seals and keeps records.
	Append(ctx context.Context, records []*mcpproxy.Record) error
	// Get returns one record, or ErrNotFound.
	Get(ctx context.Context, id string) (*mcpproxy.Record, error)
	// Scan calls f with every record that matches, newest first, or oldest
	// first when the filter says so, until f returns an error. It holds one
	// record at a time. Limit and offset apply; a limit of 0 is none.
	Scan(ctx context.Context, q Filter, f func(*mcpproxy.Record) error) error
	// Count returns how many records match, without limit and offset.
	Count(ctx context.Context, q Filter) (int, error)
	// Verify walks the chain.
	Verify(ctx context.Context) (Report, error)
}

// Report is the outcome of walking the chain.
type Report struct {
	Records int    `json:"records"`
	OK      bool   `json:"ok"`
	BadID   string `json:"bad_id,omitempty"`    // the first record that does not hold
	Problem string `json:"problem,omitempty"`   // what is wrong with it
	Head    string `json:"head_hash,omitempty"` // hash of the last good record
}

// Seal returns the bytes to store for r and their hash in the chain. It leaves r
// as it is: others may be reading it.
func Seal(prev string, r *mcpproxy.Record) (body []byte, hash string, err error) {
	bare := *r
	bare.PrevHash, bare.Hash, bare.Arguments, bare.Response = "", "", nil, nil
	if body, err = json.Marshal(bare); err != nil {
		return nil, "", fmt.Errorf("encoding record %s: %w", r.ID, err)
	}
	// The bodies go in as they are: encoding them again would cost more than
	// everything else that is done for a record.
	for _, part := range []struct {
		name string
		raw  []byte
	}{{"arguments", r.Arguments}, {"response", r.Response}} {
		if len(part.raw) == 0 {
			continue
		}
		if !jsontext.Value(part.raw).IsValid(jsontext.AllowDuplicateNames(true)) {
			return nil, "", fmt.Errorf("encoding record %s: its %s are not valid JSON", r.ID, part.name)
		}
		body = append(body[:len(body)-1], `,"`+part.name+`":`...)
		body = append(append(body, part.raw...), '}')
	}
	return body, Hash(prev, body), nil
}

// Hash is the chain hash of stored bytes: hex SHA-256 over the previous hash
// and the bytes.
func Hash(prev string, body []byte) string {
	h := sha256.New()
	h.Write([]byte(prev))
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}

// Open is the inverse of Seal: the record that stored bytes describe.
func Open(body []byte, prev, hash string) (*mcpproxy.Record, error) {
	var r mcpproxy.Record
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, fmt.Errorf("decoding a stored record: %w", err)
	}
	r.PrevHash, r.Hash = prev, hash
	return &r, nil
}
