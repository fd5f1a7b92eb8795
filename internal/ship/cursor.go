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

// The files of a data folder.
const (
	// EnrolledFile says to which hub the machine sends its log. Enrolling writes it.
	EnrolledFile = "hub.json"
	// CursorFile says which records the hub has. The shipper writes it.
	CursorFile = "hub-cursor.json"
)

// Enrolled is the content of the EnrolledFile.
type Enrolled struct {
	Hub     string    `json:"hub"`          // its address
	CA      string    `json:"ca,omitempty"` // PEM file of the authorities of its certificate; "" means the system's
	Machine string    `json:"machine"`      // short name of the key that enrolled
	At      time.Time `json:"at"`
	Seq     int64     `json:"seq"` // of the last record that the hub had then
	Hash    string    `json:"hash,omitempty"`
	Request int64     `json:"request"` // number of the last request
}

// Cursor is the content of the CursorFile.
type Cursor struct {
	Enrolled time.Time `json:"enrolled"` // the time of the enrolment to which the cursor belongs
	Seq      int64     `json:"seq"`      // of the last record that the hub has
	Hash     string    `json:"hash,omitempty"`
	Told     int64     `json:"told,omitempty"` // of the last record of which the log says that it is not sent
	Sent     time.Time `json:"sent,omitzero"`  // when the hub confirmed last
	Request  int64     `json:"request"`        // number of the last request
}

// ErrNotEnrolled says that the machine has no hub.
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

// ReadEnrolled returns to which hub the machine with a data folder sends its log, or ErrNotEnrolled.
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

// ReadCursor returns which records the hub has: those of the cursor, or those of the enrolment where
// nothing was sent since then.
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

// UnsentOf returns which records retention must spare in the log of a data folder while the log has at
// most so many bytes: those that the hub or the bucket does not have. It spares all where a cursor cannot be read.
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

// CheckHub returns an error unless address may be that of a hub: https, or http on this machine.
func CheckHub(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("the address of a hub must look like https://hub.example.com")
	case u.Scheme == "https", u.Scheme == "http" && mcpproxy.LoopbackHost(u.Hostname()):
		return nil
	}
	return errors.New("the address of a hub must begin with https://, since records cross a network")
}

// clean is the address of a hub without a slash at its end.
func clean(address string) string { return strings.TrimRight(address, "/") }
