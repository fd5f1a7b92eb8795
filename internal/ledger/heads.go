package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"
)

// HeadsFile records, outside of the log, where the log ended and what other files of the folder
// held. It shows that a whole file was removed or replaced. It is signed with the log's key.
const HeadsFile = "heads.json"

// GuardedFiles are the files next to the log whose contents the heads file records.
var GuardedFiles = []string{"trust.json"}

// headsForm is the version of the file's form.
const headsForm = 1

// maxBreaks limits the stored breaks, and the accepted breaks.
const maxBreaks = 32

// Heads is the content of the HeadsFile.
type Heads struct {
	Version  int                 `json:"version"`
	Log      Head                `json:"log"`
	Files    map[string]FileHead `json:"files"`
	Breaks   []Break             `json:"breaks,omitempty"`   // not accepted yet
	Accepted []Break             `json:"accepted,omitempty"` // accepted by the owner
	// Replicas are the other gateways that write to the log, by the short names of their keys.
	Replicas map[string]Replica `json:"replicas,omitempty"`
	Time     time.Time          `json:"time"` // when it was written
	Key      string             `json:"key"`  // KeyID of the signer

	Signature []byte `json:"signature,omitempty"` // Ed25519
}

// Head is the position where the log ended. It may lag behind the log, and is never ahead of what
// is on disk.
type Head struct {
	Seq  int64     `json:"seq"` // number of the last record; 0 for an empty log
	ID   string    `json:"id,omitempty"`
	Hash string    `json:"hash,omitempty"`
	Time time.Time `json:"time"` // when that end was signed
}

// FileHead records the content of a guarded file.
type FileHead struct {
	Digest   string    `json:"digest,omitempty"` // hex SHA-256; empty if it was lost
	Next     string    `json:"next,omitempty"`   // digest of a write in progress
	Revision int64     `json:"revision"`         // how often it was written
	Time     time.Time `json:"time"`             // when it was written last
}

// The reasons of a [Break].
const (
	LogReplaced   = "log_replaced"   // the log is shorter than before, or a different one
	HeadsReplaced = "heads_replaced" // the heads file is missing, or not signed by the log's key
	FileRemoved   = "file_removed"   // a file is missing
	FileReplaced  = "file_replaced"  // mcpproxy did not write the file's content
)

// Break says that a file was removed or replaced by something other than mcpproxy.
type Break struct {
	Reason   string    `json:"reason"`
	File     string    `json:"file"`
	Problem  string    `json:"problem"`           // what existed until when, and what exists now
	Found    time.Time `json:"found"`             //
	Record   string    `json:"record,omitempty"`  // id of the record that reports it
	Accepted time.Time `json:"accepted,omitzero"` // when the owner accepted it
}

// OfLog reports whether the break concerns the log itself or its heads file.
func (b Break) OfLog() bool { return b.Reason == LogReplaced || b.Reason == HeadsReplaced }

// NewBreak describes a break that was found just now.
func NewBreak(reason, file, format string, args ...any) *Break {
	return &Break{
		Reason:  reason,
		File:    file,
		Problem: fmt.Sprintf(format, args...),
		Found:   now(),
	}
}

// LostHeads describes a heads file that could not be read with the error lost.
func LostHeads(lost error) *Break {
	if errors.Is(lost, ErrNoHeads) {
		return NewBreak(HeadsReplaced, HeadsFile, "%s was removed; it holds where the activity log ended", HeadsFile)
	}
	return NewBreak(HeadsReplaced, HeadsFile, "%s was changed or replaced, or %s was: %v", HeadsFile, KeyFile, lost)
}

// now returns the current time with the precision of the file.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// At formats a time for a sentence.
func At(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// HeadOf returns the head that corresponds to a signed end of the chain.
func HeadOf(c Checkpoint) Head {
	return Head{
		Seq:  c.Seq,
		ID:   c.ID,
		Hash: c.Hash,
		Time: c.Time,
	}
}

// Errors of a heads file.
var (
	ErrNoHeads      = errors.New("there is no heads file")
	ErrForeignHeads = errors.New("it is not signed by the log's key")
)

// ReadHeads reads a heads file. It returns ErrNoHeads if there is none, and ErrForeignHeads if none
// of the keys signed it.
func ReadHeads(path string, keys Keys) (*Heads, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrNoHeads, path)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the heads of the activity log: %w", err)
	}
	return ParseHeads(raw, keys)
}

// ParseHeads parses and checks the bytes of a heads file as ReadHeads does.
func ParseHeads(raw []byte, keys Keys) (*Heads, error) {
	var h Heads
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	err := dec.Decode(&h)
	if h.Version > headsForm {
		return nil, fmt.Errorf("%w: %s has version %d, and this mcpproxy reads versions up to %d",
			ErrNewHeads, HeadsFile, h.Version, headsForm)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrForeignHeads, err)
	}
	if !keys.valid(h.message(), h.Signature) {
		return nil, ErrForeignHeads
	}
	return &h, nil
}

// ErrNewHeads says that a newer version of mcpproxy wrote the heads file.
var ErrNewHeads = errors.New("the heads of the activity log were written by a newer version of mcpproxy")

// message returns the bytes that are signed.
func (h Heads) message() []byte {
	h.Signature = nil
	raw, err := json.Marshal(h)
	if err != nil {
		panic(err) // cannot fail: strings, numbers and times
	}
	return append([]byte("mcpproxy ledger heads\n"), raw...)
}

// Problem compares the head with the current end of the log. hashAt returns the hash of a record,
// and the number of the last record that retention has removed. Problem returns what is wrong as a
// sentence, or "".
func (h Head) Problem(end Head, hashAt func(seq int64) (hash string, removed int64, err error)) (string, error) {
	was := fmt.Sprintf("until %s the log had records up to no. %d (%s)", At(h.Time), h.Seq, h.ID)
	switch {
	case h.Seq == 0:
		return "", nil
	case end.Seq == 0:
		return "the activity log was removed or emptied: " + was + ", and none of them is there now", nil
	case end.Seq < h.Seq:
		return fmt.Sprintf("the activity log was removed or replaced by an older copy: %s, "+
			"and the one that is there now ended at no. %d (%s) on %s", was, end.Seq, end.ID, At(end.Time)), nil
	}
	hash := end.Hash
	removed := int64(0)
	err := error(nil)
	if end.Seq > h.Seq {
		hash, removed, err = hashAt(h.Seq)
	}
	if err != nil || hash == h.Hash || hash == "" && removed >= h.Seq {
		return "", err
	}
	return fmt.Sprintf("the activity log was replaced by another one: %s, "+
		"and the one that is there now has another record no. %d", was, h.Seq), nil
}

// FileProblem compares the content of a file with the heads; raw is nil if the file is missing. It
// returns nil for a file that the heads do not list.
func (h *Heads) FileProblem(name string, raw []byte) *Break {
	f, known := h.Files[name]
	switch digest := digestOf(raw); {
	case !known:
		return nil
	case raw == nil && f.Digest == "":
		return NewBreak(FileRemoved, name, "%s is missing, and what is known of it was lost with %s", name, HeadsFile)
	case raw == nil:
		return NewBreak(
			FileRemoved,
			name,
			"%s was removed: mcpproxy wrote it last on %s (revision %d), and it is missing now",
			name,
			At(f.Time),
			f.Revision,
		)
	case f.Digest == "" || digest == f.Digest || digest == f.Next:
		return nil
	}
	return NewBreak(
		FileReplaced,
		name,
		"%s was changed or replaced: it does not hold what mcpproxy wrote on %s (revision %d)",
		name,
		At(f.Time),
		f.Revision,
	)
}

// digestOf returns the digest of a file's content, or "" if the file is missing.
func digestOf(raw []byte) string {
	if raw == nil {
		return ""
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// add stores a break unless it is already stored.
func (h *Heads) add(b Break) {
	same := func(o Break) bool { return o.Reason == b.Reason && o.File == b.File && o.Problem == b.Problem }
	if len(h.Breaks) < maxBreaks && !slices.ContainsFunc(h.Breaks, same) {
		h.Breaks = append(h.Breaks, b)
	}
}
