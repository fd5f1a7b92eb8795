package ship

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"mcpproxy/internal/ledger"
)

// The paths of a hub's HTTP interface.
const (
	PathRecords = "/api/v1/hub/records"
	PathEnroll  = "/api/v1/hub/enroll"
)

// The headers of a request to a hub.
const (
	headerMachine   = "Mcpproxy-Machine"
	headerTime      = "Mcpproxy-Time"
	headerSignature = "Mcpproxy-Signature"
)

// MaxAge is how much the time of a request may differ from the hub's clock.
const MaxAge = 5 * time.Minute

// Sign signs a request to a path of the hub. At is the time of the request in microseconds since
// 1970, and serves as its number.
func Sign(r *http.Request, by *ledger.Signer, path string, at int64, body []byte) {
	r.Header.Set(headerMachine, by.ID())
	r.Header.Set(headerTime, strconv.FormatInt(at, 10))
	signature := by.Attest(message(r.Method, path, by.ID(), at, body))
	r.Header.Set(headerSignature, base64.StdEncoding.EncodeToString(signature))
}

func message(method, path, machine string, at int64, body []byte) []byte {
	sum := sha256.Sum256(body)
	return fmt.Appendf(nil, "%s\n%s\n%s\n%d\n%s", method, path, machine, at, hex.EncodeToString(sum[:]))
}

// Signature is the sender and the time that a request claims, with the signature that proves them.
type Signature struct {
	Machine string // short name of the machine's key
	At      int64  // microseconds since 1970
	raw     []byte
}

// The errors of requests whose signature is refused.
var (
	ErrUnsigned = errors.New("the request is not signed by a machine")
	ErrClock    = errors.New("the time of the request differs by more than 5 minutes from the hub's")
)

// SignatureOf reads the signature of a request that arrived at the time now. It returns ErrClock if
// the request is too old or too new.
func SignatureOf(r *http.Request, now time.Time) (s Signature, err error) {
	s.Machine = r.Header.Get(headerMachine)
	at, err := strconv.ParseInt(r.Header.Get(headerTime), 10, 64)
	if err != nil {
		return s, ErrUnsigned
	}
	s.At = at
	s.raw, err = base64.StdEncoding.DecodeString(r.Header.Get(headerSignature))
	if err != nil || len(s.raw) == 0 || len(s.Machine) != 16 {
		return s, ErrUnsigned
	}
	if at := time.UnixMicro(s.At); at.Before(now.Add(-MaxAge)) || at.After(now.Add(MaxAge)) {
		return s, ErrClock
	}
	return s, nil
}

// Check returns ErrUnsigned unless one of the keys has signed the request with this body.
func (s Signature) Check(method, path string, keys ledger.Keys, body []byte) error {
	if !keys.Attested(message(method, path, s.Machine, s.At, body), s.raw) {
		return ErrUnsigned
	}
	return nil
}

// Answer is the body of a hub's answer.
type Answer struct {
	Error string `json:"error,omitempty"` // the error, for people
	Code  string `json:"code,omitempty"`  // the error, for programs
	Seq   int64  `json:"seq"`             // number of the machine's last record that the hub has
	Hash  string `json:"hash,omitempty"`  // hash of that record
	Now   int64  `json:"now"`             // the hub's time in microseconds
}

// The codes of answers.
const (
	CodeAhead    = "ahead"    // the records do not follow the last one that the hub has
	CodeClock    = "clock"    // the request is too old or too new
	CodeReplayed = "replayed" // the request is not newer than the last one
	CodeFork     = "fork"
	CodeForged   = "forged"
	CodeForm     = "form"
	CodeMachine  = "machine" // the machine is not enrolled, or was revoked
	CodeToken    = "token"
	CodeBusy     = "busy" // try again later
)

// Enrolment is the body of a request to enroll.
type Enrolment struct {
	Token   string            `json:"token"`
	Key     []byte            `json:"key"` // Ed25519
	Name    string            `json:"name"`
	Program string            `json:"program"`
	Begin   ledger.Checkpoint `json:"begin"` // the signed head of the new chain, which has no records
}
