package bundle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/tailscale/hujson"

	"mcpproxy"
	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/bucket"
)

// managedFile is the path of the file that makes a machine a managed one. It can be changed at build time:
//
//	go build -ldflags "-X mcpproxy/internal/bundle.managedFile=/opt/acme/managed.json"
//
// A user of the machine cannot change it.
var managedFile = systemFile

// testVariable is an environment variable with another path for the file. It has an effect only in tests.
const testVariable = "MCPPROXY_TEST_MANAGED_FILE"

// ManagedFile returns the path of the file that makes a machine a managed one.
func ManagedFile() string {
	if testing.Testing() {
		return os.Getenv(testVariable) // so that tests do not read the real file of this machine
	}
	return managedFile
}

// The values of OnExpiry: what happens when a bundle has expired and there is no newer one.
const (
	Keep = "keep" // the expired bundle stays in force
	Deny = "deny" // every call is denied
)

// Managed is the content of the file that makes a machine a managed one.
type Managed struct {
	// Source is an https address (or http on this machine), an address of the form s3://BUCKET/KEY, the path
	// of a file, or that of a folder with the file bundle.json.
	Source string `json:"source"`
	// S3 is the store that has the bucket of an s3 address.
	S3 Store `json:"s3,omitzero"`
	// PublicKeys are the trusted keys: a bundle must be signed with one of them.
	PublicKeys []string `json:"public_keys"`
	// OnExpiry is Keep or Deny.
	OnExpiry string `json:"on_expiry"`
	// RefreshSecs is the time between two fetches in seconds; 0 means 300.
	RefreshSecs int `json:"refresh_secs,omitempty"`
	// MinVersion is the lowest version that is accepted, even after the user has removed the saved
	// bundle; 0 accepts any.
	MinVersion int `json:"min_version,omitempty"`
	// Name is the name that the bundle must have; "" accepts any.
	Name string `json:"name,omitempty"`

	path string
	keys []PublicKey
}

// FileName is the name of the bundle's file if the source is a folder.
const FileName = "bundle.json"

const defaultRefresh = 5 * time.Minute

var limits = atomicfile.Limits{Bytes: MaxSize + 1, Wait: 10 * time.Second}

// ReadManaged reads the file that makes a machine a managed one. It returns nil if there is no such
// file, and an error if the file is invalid or a user other than root can change it.
func ReadManaged(ctx context.Context) (*Managed, error) {
	path := ManagedFile()
	if path == "" {
		return nil, nil
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	raw, err := atomicfile.Read(ctx, path, limits)
	if err != nil {
		return nil, fmt.Errorf("reading the file of a managed machine: %w", err)
	}
	if err := checkOwner(path); err != nil {
		return nil, fmt.Errorf("the file of a managed machine: %w", err)
	}
	m, err := ParseManaged(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m.path = path
	return m, nil
}

// ParseManaged reads the content of the file that makes a machine a managed one: JSON, in which
// comments are allowed.
func ParseManaged(raw []byte) (*Managed, error) {
	standard, err := hujson.Standardize(bytes.Clone(raw))
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	m := new(Managed)
	if err := json.Unmarshal(standard, m, json.RejectUnknownMembers(true)); err != nil {
		return nil, plain(err)
	}
	if len(m.PublicKeys) == 0 {
		return nil, errors.New("public_keys: a key is needed; mcpproxy bundle keygen prints one")
	}
	for _, s := range m.PublicKeys {
		k, err := ParsePublicKey(s)
		if err != nil {
			return nil, fmt.Errorf("public_keys: %w", err)
		}
		m.keys = append(m.keys, k)
	}
	switch {
	case m.OnExpiry != Keep && m.OnExpiry != Deny:
		return nil, fmt.Errorf("on_expiry: %q must be %s or %s", m.OnExpiry, Keep, Deny)
	case m.RefreshSecs < 0 || m.MinVersion < 0:
		return nil, errors.New("refresh_secs and min_version must not be negative")
	}
	return m, m.checkSource()
}

// Store is an S3-compatible store.
type Store struct {
	Endpoint string `json:"endpoint,omitempty"` // address of the store; empty for AWS
	Region   string `json:"region,omitempty"`   // empty for us-east-1
}

func (m *Managed) checkSource() error {
	if m.S3.Endpoint != "" && !secure(m.S3.Endpoint) {
		return errors.New("s3.endpoint: an https address is needed")
	}
	if filepath.IsAbs(m.Source) || secure(m.Source) {
		return nil
	}
	if m.InBucket() {
		_, err := bucket.Parse(m.Source)
		if err != nil {
			return fmt.Errorf("source: %w", err)
		}
		return nil
	}
	return errors.New("source: an https or s3 address or an absolute path is needed")
}

// secure reports whether an address uses https, or http to this machine.
func secure(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http" && mcpproxy.LoopbackHost(u.Hostname()))
}

// InBucket reports whether the bundle is in an S3-compatible bucket.
func (m *Managed) InBucket() bool { return strings.HasPrefix(m.Source, "s3://") }

// Object returns the object that contains the bundle, if the bundle is in a bucket ([Managed.InBucket]).
func (m *Managed) Object() (bucket.Object, error) {
	o, err := bucket.Parse(m.Source)
	if o.Key == "" || strings.HasSuffix(o.Key, "/") {
		o.Key += FileName
	}
	o.Endpoint, o.Region = m.S3.Endpoint, m.S3.Region
	return o, err
}

// Remote reports whether the source is an address, and not a path.
func (m *Managed) Remote() bool { return !filepath.IsAbs(m.Source) }

// File returns the path of the bundle's file, if the source is a path (not [Managed.Remote]).
func (m *Managed) File() string {
	if info, err := os.Stat(m.Source); err == nil && info.IsDir() {
		return filepath.Join(m.Source, FileName)
	}
	return m.Source
}

// Keys returns the trusted keys.
func (m *Managed) Keys() []PublicKey { return m.keys }

// Refresh returns the time between two fetches.
func (m *Managed) Refresh() time.Duration {
	if m.RefreshSecs == 0 {
		return defaultRefresh
	}
	return time.Duration(m.RefreshSecs) * time.Second
}

// open returns the bundle of a signed document if this machine may use it at the time now. If the
// bundle has expired, it returns both the bundle and an error that wraps [ErrExpired].
func (m *Managed) open(raw []byte, now time.Time) (*Bundle, error) {
	b, err := Open(raw, m.keys, now)
	var over error
	if errors.Is(err, ErrExpired) {
		over = err
		b, err = Verify(raw, m.keys)
	}
	if err == nil {
		err = m.admits(b)
	}
	if err != nil {
		return nil, err
	}
	return b, over
}

// admits returns an error unless the bundle has the name and at least the version that the machine requires.
func (m *Managed) admits(b *Bundle) error {
	switch {
	case m.Name != "" && m.Name != b.Name:
		return fmt.Errorf("%s is not for this machine, which uses the bundle named %q", b.Label(), m.Name)
	case b.Version < m.MinVersion:
		return fmt.Errorf("%s is below version %d, the lowest that this machine accepts (min_version)", b.Label(), m.MinVersion)
	}
	return nil
}

// checkOwner returns an error if a user other than root can change or replace the file at path. In
// tests, the current user may own the file.
func checkOwner(path string) error {
	if testing.Testing() {
		return atomicfile.CheckWriters(path)
	}
	return atomicfile.CheckRoot(path)
}
