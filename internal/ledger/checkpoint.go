package ledger

import (
	"encoding/json"
	"time"
)

// Reason says why a checkpoint was made.
type Reason string

// The reasons.
const (
	// ReasonHead marks the end of the chain. It is replaced with every transaction.
	ReasonHead Reason = "head"
	// ReasonInterval marks the checkpoints every CheckpointEvery records or CheckpointAfter.
	ReasonInterval Reason = "interval"
	// ReasonStop marks the last record before the daemon stopped.
	ReasonStop Reason = "stop"
	// ReasonRetention says that the records up to this one were removed because of age, number or
	// size.
	ReasonRetention Reason = "retention"
	// ReasonRedaction says that arguments and responses with secrets or personal
	// data were removed up to this record.
	ReasonRedaction Reason = "redaction"
	// ReasonSkipped says that the records up to this one were not sent to a hub. The hub's copy of the
	// chain continues with the next record.
	ReasonSkipped Reason = "skipped"
	// ReasonWithheld says that arguments and responses of records up to this one were not sent to a
	// hub.
	ReasonWithheld Reason = "withheld"
)

// Distances between checkpoints.
const (
	CheckpointEvery = 10_000 // records
	CheckpointAfter = 10 * time.Minute
)

// Checkpoint is the signed state of the chain at one record.
type Checkpoint struct {
	Seq    int64     `json:"seq"`   // the record's place in the log, from 1
	ID     string    `json:"id"`    // of the record
	Hash   string    `json:"hash"`  // of the record
	Count  int64     `json:"count"` // records in the log
	Time   time.Time `json:"time"`  // UTC, microseconds
	Reason Reason    `json:"reason"`
	Key    string    `json:"key"` // KeyID of the signer

	Signature []byte `json:"signature,omitempty"` // Ed25519
}

// message returns the bytes that are signed.
func (c Checkpoint) message() []byte {
	c.Signature = nil
	c.Time = c.Time.UTC()
	raw, err := json.Marshal(c)
	if err != nil {
		panic(err) // cannot fail: strings, numbers and a time
	}
	return append([]byte("mcpproxy ledger checkpoint\n"), raw...)
}

// Sign dates and signs a checkpoint.
func (s *Signer) Sign(c Checkpoint, now time.Time) Checkpoint {
	c.Time, c.Key = now.UTC().Truncate(time.Microsecond), s.id
	c.Signature = s.sign(c.message())
	return c
}

// Signed reports whether one of the keys signed the checkpoint. No checkpoint has a year that JSON cannot
// express, which the time of one from a network can.
func (k Keys) Signed(c Checkpoint) bool {
	year := c.Time.UTC().Year()
	return year >= 0 && year <= 9999 && k.valid(c.message(), c.Signature)
}
