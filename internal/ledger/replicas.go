package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Replica is one gateway's knowledge of another gateway's chain in the same log.
type Replica struct {
	Key  []byte `json:"key"` // the public half of its key
	Host string `json:"host"`
	Head Head   `json:"head"`
}

// Roll is a signed list of the gateways that write to a log, with the ends of their chains. It is
// the common checkpoint of the chains: it shows that a chain was removed or cut.
type Roll struct {
	Writer   string             `json:"writer"`   // the signer
	Replicas map[string]Replica `json:"replicas"` // by the short names of their keys
	Time     time.Time          `json:"time"`

	Signature []byte `json:"signature,omitempty"` // Ed25519
}

// message returns the bytes that are signed.
func (r Roll) message() []byte {
	r.Signature = nil
	raw, err := json.Marshal(r)
	if err != nil {
		panic(err) // cannot fail: strings, numbers and times
	}
	return append([]byte("mcpproxy ledger roll\n"), raw...)
}

// SignRoll dates and signs a roll.
func (s *Signer) SignRoll(r Roll) Roll {
	r.Writer, r.Time = s.id, now()
	r.Signature = s.sign(r.message())
	return r
}

// SignedRoll reports whether one of the keys signed the roll.
func (k Keys) SignedRoll(r Roll) bool { return k.valid(r.message(), r.Signature) }

// ParseRoll parses the JSON of a roll. It does not check the signature.
func ParseRoll(raw []byte) (Roll, error) {
	var r Roll
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return Roll{}, fmt.Errorf("decoding a roll of the activity log: %w", err)
	}
	return r, nil
}

// ID returns the short name of the signer's key.
func (s *Signer) ID() string { return s.id }

// ReplicaReport is the result of verifying one gateway's chain.
type ReplicaReport struct {
	Writer  string    `json:"writer"` // short name of its key
	Host    string    `json:"host"`
	Records int       `json:"records"`
	Removed int64     `json:"removed"` // records removed by retention
	Head    string    `json:"head_hash,omitempty"`
	Last    time.Time `json:"last,omitzero"` // when the end was signed
}

// Check holds the options of a verification.
type Check struct {
	// SinceCheckpoint begins at the last signed checkpoint and trusts everything before it.
	SinceCheckpoint bool
	// Progress is called periodically with the number of verified records and the total. It may be
	// nil.
	Progress func(done, all int64)
}

// Guarded is a store whose chain is compared with signed heads outside the store.
type Guarded interface {
	Store
	// Check is Verify with options.
	Check(ctx context.Context, how Check) (Report, error)
	Guards
	// Shrink releases memory that is not needed now.
	Shrink()
	Close() error
}

// Guards is a guarded store's access to its heads.
type Guards interface {
	// Heads returns the writer of the heads file, which records outside the log where the log
	// ended. It is nil if the store is open for reading only.
	Heads() *HeadWriter
	// WithHeads reports whether the log was written by a version that keeps a heads file.
	WithHeads() bool
	// Against compares the log with heads that were read earlier. It returns what is wrong as a
	// sentence, or "".
	Against(ctx context.Context, h *Heads) (problem string, err error)
	// Keys returns the keys that verification trusts.
	Keys() Keys
	// Moved returns an error when the log that is open for writing was replaced by another one.
	Moved() error
}
