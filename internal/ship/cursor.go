package ship

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mcpproxy"
	"mcpproxy/internal/atomicfile"
)

// CursorFile is the file of the data folder that says to which hub a machine is enrolled, and which
// records the hub has.
const CursorFile = "hub.json"

// Cursor is the content of the CursorFile.
type Cursor struct {
	Hub     string    `json:"hub"`          // its address
	CA      string    `json:"ca,omitempty"` // PEM file of the authorities of its certificate; "" means the system's
	Machine string    `json:"machine"`      // short name of the key that enrolled
	Seq     int64     `json:"seq"`          // of the last record that the hub has
	Hash    string    `json:"hash,omitempty"`
	Told    int64     `json:"told,omitempty"` // of the last record of which the log says that it is not sent
	Sent    time.Time `json:"sent,omitzero"`  // when the hub confirmed last
	Request int64     `json:"request"`        // number of the last request
}

// ErrNotEnrolled says that the machine has no hub.
var ErrNotEnrolled = errors.New("this machine is not enrolled at a hub: run mcpproxy enroll")

// ReadCursor reads the cursor in a data folder, or returns ErrNotEnrolled.
func ReadCursor(ctx context.Context, folder string) (c Cursor, err error) {
	path := filepath.Join(folder, CursorFile)
	raw, err := atomicfile.Read(ctx, path, atomicfile.Limits{Bytes: 64 << 10, Wait: 10 * time.Second})
	if errors.Is(err, fs.ErrNotExist) {
		return c, ErrNotEnrolled
	}
	if err == nil {
		err = json.Unmarshal(raw, &c)
	}
	if err == nil {
		err = CheckHub(c.Hub)
	}
	if err != nil {
		return c, fmt.Errorf("%s, which says what the hub has of the activity log: %w; enroll the machine again", path, err)
	}
	return c, nil
}

// Save writes the cursor.
func (c Cursor) Save(folder string) error {
	raw, err := json.MarshalIndent(c, "", " ")
	if err == nil {
		err = os.MkdirAll(folder, 0o700)
	}
	if err == nil {
		err = atomicfile.WriteBytes(filepath.Join(folder, CursorFile), 0o600, append(raw, '\n'))
	}
	if err != nil {
		return fmt.Errorf("noting what the hub has of the activity log: %w", err)
	}
	return nil
}

// CheckHub returns an error unless address may be that of a hub: https, or http on this machine.
func CheckHub(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("the address of the hub must look like https://hub.example.com")
	case u.Scheme == "https", u.Scheme == "http" && mcpproxy.LoopbackHost(u.Hostname()):
		return nil
	}
	return errors.New("the address of the hub must begin with https://, since records cross a network")
}

// clean is the address of a hub without a slash at its end.
func clean(address string) string { return strings.TrimRight(address, "/") }
