package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Replica is what one gateway knows of the chain of another that writes to the same log.
type Replica struct {
	Key  []byte `json:"key"` // the public half of its key
	Host string `json:"host"`
	Head Head   `json:"head"`
}

// Roll is a signed list of the gateways that write to a log, with the ends of their chains. It is
// the common checkpoint of the chains: it shows that a chain was removed or cut.
type Roll struct {
	Writer   string             `json:"writer"`   // who signed it
	Replicas map[string]Replica `json:"replicas"` // by the short names of their keys
	Time     time.Time          `json:"time"`

	Signature []byte `json:"signature,omitempty"` // Ed25519
}

// message returns the bytes that are signed.
func (r Roll) message() []byte {
	r.Signature = nil
	raw, err := json.Marshal(r)
	if err != nil {
		panic(err) // strings, numbers and times in this era
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

// ReplicaReport is what verifying found of the chain of one gateway.
type ReplicaReport struct {
	Writer  string    `json:"writer"` // short name of its key
	Host    string    `json:"host"`
	Records int       `json:"records"`
	Removed int64     `json:"removed"` // by retention
	Head    string    `json:"head_hash,omitempty"`
	Last    time.Time `json:"last,omitzero"` // when the end was signed
}

// Check says how a store is verified.
type Check struct {
	// SinceCheckpoint begins at the last signed checkpoint and takes all before it
	// as it is.
	SinceCheckpoint bool
	// Progress hears now and then how many records of how many were read. It may be nil.
	Progress func(done, all int64)
}

// Guarded is a store whose chain is held against signed heads that lie outside of it.
type Guarded interface {
	Store
	// Check is Verify in other ways.
	Check(ctx context.Context, how Check) (Report, error)
	Guards
	// Shrink gives back memory that is not needed now.
	Shrink()
	Close() error
}

// Guards is what a guarded store knows of its heads.
type Guards interface {
	// Heads keeps the file that says, outside of the log, where the log ended last. It is nil in a
	// store that only reads.
	Heads() *HeadKeeper
	// WithHeads reports whether the log was written by a version that keeps a heads file.
	WithHeads() bool
	// Against compares the log with heads that were read before. It returns what is wrong in plain
	// words, or "".
	Against(ctx context.Context, h *Heads) (problem string, err error)
	// Keys are those that the log is held against.
	Keys() Keys
	// Moved returns an error when the log that is open for writing was replaced by another one.
	Moved() error
}
