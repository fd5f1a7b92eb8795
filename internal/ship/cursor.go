package ship

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mcpproxy"
	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/bucket"
	"mcpproxy/internal/ledger"
)

// The files that this package keeps in the data folder.
const (
	// EnrolledFile names the hub to which the machine sends its log. It is written on enrolment.
	EnrolledFile = "hub.json"
	// CursorFile names the last record that the hub has received. The shipper writes it.
	CursorFile = "hub-cursor.json"
)

// Enrolled is the content of the EnrolledFile.
type Enrolled struct {
	Hub     string    `json:"hub"`          // its address
	CA      string    `json:"ca,omitempty"` // PEM file with the CA certificates for the hub; "" means the system's
	Machine string    `json:"machine"`      // short name of the key that enrolled
	At      time.Time `json:"at"`
	Seq     int64     `json:"seq"` // number of the last record that the hub had at enrolment
	Hash    string    `json:"hash,omitempty"`
	Request int64     `json:"request"` // number of the last request that was sent
}

// Cursor is the content of the CursorFile.
type Cursor struct {
	Enrolled time.Time `json:"enrolled"` // time of the enrolment to which the cursor belongs
	Seq      int64     `json:"seq"`      // number and hash of the last record that the hub has
	Hash     string    `json:"hash,omitempty"`
	Told     int64     `json:"told,omitempty"` // number of the last record for which the log has a gap record
	Sent     time.Time `json:"sent,omitzero"`  // time of the hub's last confirmation
	Request  int64     `json:"request"`        // number of the last request that was sent
}

// ErrNotEnrolled is returned if the machine is not enrolled at a hub.
var ErrNotEnrolled = errors.New("this machine is not enrolled at a hub: run mcpproxy enroll")

// read reads a JSON file of a data folder.
func read(ctx context.Context, folder, name string, v any) error {
	path := filepath.Join(folder, name)
	raw, err := atomicfile.Read(ctx, path, atomicfile.Limits{Bytes: 64 << 10, Wait: 10 * time.Second})
	if err == nil {
		err = json.Unmarshal(raw, v)
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	return nil
}

// write writes a JSON file of a data folder.
func write(folder, name string, v any) error {
	raw, err := json.MarshalIndent(v, "", " ")
	if err == nil {
		err = os.MkdirAll(folder, 0o700)
	}
	if err == nil {
		err = atomicfile.WriteBytes(filepath.Join(folder, name), 0o600, append(raw, '\n'))
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}

// ReadEnrolled returns the enrolment of the machine with this data folder, or ErrNotEnrolled.
func ReadEnrolled(ctx context.Context, folder string) (e Enrolled, err error) {
	err = read(ctx, folder, EnrolledFile, &e)
	if errors.Is(err, fs.ErrNotExist) {
		return e, ErrNotEnrolled
	}
	if err == nil {
		err = CheckHub(e.Hub)
	}
	return e, err
}

// Save writes the EnrolledFile.
func (e Enrolled) Save(folder string) error { return write(folder, EnrolledFile, e) }

// ReadCursor returns the saved cursor. If nothing was sent since the enrolment, it returns a cursor
// at the last record that the hub had then.
func ReadCursor(ctx context.Context, folder string, e Enrolled) (c Cursor, err error) {
	err = read(ctx, folder, CursorFile, &c)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !c.Enrolled.Equal(e.At) {
		return Cursor{
			Enrolled: e.At,
			Seq:      e.Seq,
			Hash:     e.Hash,
			Request:  e.Request,
		}, nil
	}
	return c, err
}

// Save writes the CursorFile.
func (c Cursor) Save(folder string) error { return write(folder, CursorFile, c) }

// UnsentOf returns which records of a data folder's log retention must keep because the hub or the bucket lacks them,
// as long as the log has at most this number of bytes. If a cursor cannot be read, retention must keep all records.
func UnsentOf(ctx context.Context, folder string, p bucket.Place, bytes int64) (ledger.Unsent, error) {
	unsent := ledger.Unsent{After: math.MaxInt64, MaxBytes: bytes}
	e, err := ReadEnrolled(ctx, folder)
	enrolled := !errors.Is(err, ErrNotEnrolled)
	if enrolled {
		var c Cursor
		if err == nil {
			c, err = ReadCursor(ctx, folder, e)
		}
		unsent.After = c.Seq
	} else {
		err = nil
	}
	if p != (bucket.Place{}) {
		c, unread := ReadBucketCursor(ctx, folder, p)
		if unread != nil {
			c.Seq = 0
		}
		unsent.After = min(unsent.After, c.Seq)
		err = errors.Join(err, unread)
	}
	if !enrolled && p == (bucket.Place{}) {
		return ledger.Unsent{}, nil
	}
	return unsent, err
}

// CheckHub returns an error unless address is a valid address of a hub: https, or http on this machine.
func CheckHub(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("the address of a hub must look like https://hub.example.com")
	case u.Scheme == "https", u.Scheme == "http" && mcpproxy.LoopbackHost(u.Hostname()):
		return nil
	}
	return errors.New("the address of a hub must begin with https://, because records are sent over a network")
}

// clean returns the address of a hub without slashes at its end.
func clean(address string) string { return strings.TrimRight(address, "/") }
