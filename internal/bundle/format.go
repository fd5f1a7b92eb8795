package bundle

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"

	"mcpproxy"
	"mcpproxy/internal/lazyregexp"
)

// MaxSize is the largest size of a bundle in bytes, signed or not.
const MaxSize = 4 << 20

// Format is the format of a signed document. Documents with another format are refused.
const Format = formatFamily + "1"

// formatFamily is the prefix of the names of all versions of the format.
const formatFamily = "mcpproxy-bundle/"

// The other limits of a bundle.
const (
	maxSignatures = 16
	maxApprovals  = 2000
	maxServers    = 1000
	maxClockError = 10 * time.Minute // how far a machine's clock may be behind the signer's
)

// Bundle is what a company signs.
type Bundle struct {
	Name    string    `json:"name"`
	Version int       `json:"version"`
	Issued  time.Time `json:"issued,omitzero"`
	Expires time.Time `json:"expires"`
	// RollbackTo is the bundle's own version if machines may go back to it. Machines that have
	// applied a version above RollbackFrom refuse the bundle. Both are 0 if the bundle is not a
	// rollback.
	RollbackTo   int `json:"rollback_to,omitempty"`
	RollbackFrom int `json:"rollback_from,omitempty"`
	// Config is a part of a configuration file.
	Config jsontext.Value `json:"config,omitempty"`
	// Servers are the servers that may be used; nil allows all.
	Servers *[]Server `json:"servers,omitempty"`
	// Approvals are answers to questions of the gate that hold for every user. They do not name a principal.
	Approvals []mcpproxy.Boundary `json:"approvals,omitempty"`
}

// Server is a server that may be used. A configured server must have the same name and the same
// address, or the same command with the same arguments.
type Server struct {
	Name    string   `json:"name"`
	URL     string   `json:"url,omitempty"`
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
}

// Label returns the name and the version for messages: "acme-2026-11 v7".
func (b *Bundle) Label() string { return fmt.Sprintf("%s v%d", b.Name, b.Version) }

var bundleName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// check returns an error if a field of the bundle is invalid. It does not check the configuration in it.
func (b *Bundle) check() error {
	switch {
	case !bundleName().MatchString(b.Name):
		return fmt.Errorf(
			"name: %q is not a valid name: use at most 64 letters, digits, dots, dashes and underscores", b.Name)
	case b.Version < 1:
		return fmt.Errorf("version: %d is not a version; use a number from 1", b.Version)
	case b.Expires.IsZero():
		return errors.New("expires: a time is needed, such as 2027-01-31T00:00:00Z")
	case !b.Issued.IsZero() && !b.Issued.Before(b.Expires):
		return errors.New("expires: must be after the time of issue")
	case (b.RollbackTo == 0) != (b.RollbackFrom == 0):
		return errors.New("rollback_to and rollback_from belong together")
	case b.RollbackTo != 0 && b.RollbackTo != b.Version:
		return fmt.Errorf("rollback_to: must be the version of the bundle, %[2]d, not %[1]d", b.RollbackTo, b.Version)
	case b.RollbackTo != 0 && b.RollbackFrom <= b.RollbackTo:
		return fmt.Errorf("rollback_from: %d is not above %d, the version to go back to", b.RollbackFrom, b.RollbackTo)
	}
	if err := b.checkServers(); err != nil {
		return err
	}
	if err := b.checkApprovals(); err != nil {
		return err
	}
	_, err := b.said()
	return err
}

func (b *Bundle) checkServers() error {
	if b.Servers == nil {
		return nil
	}
	if len(*b.Servers) > maxServers {
		return fmt.Errorf("servers: there are more than %d", maxServers)
	}
	for i, s := range *b.Servers {
		switch {
		case s.Name == "":
			return fmt.Errorf("servers: server no. %d has no name", i+1)
		case (s.URL == "") == (s.Command == ""):
			return fmt.Errorf("servers: %s needs either a url or a command: "+
				"the name alone does not identify a server, since users choose it", s.Name)
		case s.URL != "" && len(s.Args) > 0:
			return fmt.Errorf("servers: %s has a url, so it takes no args", s.Name)
		}
	}
	return nil
}

func (b *Bundle) checkApprovals() error {
	if len(b.Approvals) > maxApprovals {
		return fmt.Errorf("approvals: there are more than %d", maxApprovals)
	}
	for i, a := range b.Approvals {
		switch {
		case a.Principal != "":
			return fmt.Errorf("approvals: no. %d names the principal %q; "+
				"remove the principal, since the approval holds for everybody", i+1, a.Principal)
		case a.Tool == "" || len(a.Rules) == 0:
			return fmt.Errorf("approvals: no. %d needs a tool_name and the rules that ask", i+1)
		case a.Once != "":
			return fmt.Errorf("approvals: no. %d cannot hold for more than one call: %s", i+1, a.Once)
		}
	}
	return nil
}

// Build reads the source of a bundle: JSON, in which comments are allowed.
func Build(source []byte) (*Bundle, error) {
	if len(source) > MaxSize {
		return nil, tooLarge()
	}
	standard, err := hujson.Standardize(bytes.Clone(source))
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	return parse(standard)
}

func tooLarge() error { return fmt.Errorf("the bundle is larger than %d MB", MaxSize>>20) }

// parse reads a bundle strictly: unknown and repeated members are errors.
func parse(raw []byte) (*Bundle, error) {
	b := new(Bundle)
	if err := json.Unmarshal(raw, b, json.RejectUnknownMembers(true)); err != nil {
		return nil, plain(err)
	}
	if err := b.check(); err != nil {
		return nil, err
	}
	return b, nil
}

// plain returns a decoder's error in words for the author of the bundle.
func plain(err error) error {
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		if errors.Is(err, jsontext.ErrDuplicateName) {
			return fmt.Errorf("the key %q appears twice", e.JSONPointer.LastToken())
		}
		return fmt.Errorf("it is not valid JSON: %w", e.Err)
	}
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		path := dotted(e.JSONPointer)
		switch {
		case errors.Is(err, json.ErrUnknownName):
			return fmt.Errorf("unknown key %q", path)
		case path == "":
			return errors.New("it is not a JSON object")
		}
		return fmt.Errorf("%s: the value has the wrong type", path)
	}
	return err
}

func dotted(p jsontext.Pointer) string {
	return strings.ReplaceAll(strings.TrimPrefix(string(p), "/"), "/", ".")
}

// JSON returns the bundle as [Build] reads it.
func (b *Bundle) JSON() ([]byte, error) {
	raw, err := json.Marshal(b, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("writing the bundle: %w", err)
	}
	return append(raw, '\n'), nil
}

// document is a signed bundle. The payload is kept as bytes, so that the verified bytes are the
// bytes that are parsed.
type document struct {
	Format     string      `json:"format"`
	Payload    []byte      `json:"payload"`
	Signatures []signature `json:"signatures"`
}

type signature struct {
	Key       string `json:"key"` // [PublicKey.ID]; a hint for people
	Signature []byte `json:"signature"`
}

// signed returns the bytes that are signed.
func (d *document) signed() []byte { return append([]byte(d.Format+"\n"), d.Payload...) }

// Sign returns b as a document that keys have signed. Issued is set to now if it is not set.
func Sign(b *Bundle, now time.Time, keys ...PrivateKey) ([]byte, error) {
	issued := *b
	if issued.Issued.IsZero() {
		issued.Issued = now.UTC().Truncate(time.Second)
	}
	if err := issued.check(); err != nil {
		return nil, err
	}
	payload, err := json.Marshal(&issued, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("writing the bundle: %w", err)
	}
	d := document{Format: Format, Payload: payload}
	for _, k := range keys {
		d.Signatures = append(d.Signatures, signature{k.Public().ID(), ed25519.Sign(k.key, d.signed())})
	}
	raw, err := json.Marshal(&d, jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("writing the bundle: %w", err)
	}
	if len(raw) > MaxSize {
		return nil, tooLarge()
	}
	return append(raw, '\n'), nil
}

// Verify returns the bundle of a signed document if one of the trusted keys has signed it. It does
// not look at the expiry: see [Open].
func Verify(raw []byte, trusted []PublicKey) (*Bundle, error) {
	if len(raw) > MaxSize {
		return nil, tooLarge()
	}
	var form struct {
		Format string         `json:"format"`
		Rest   jsontext.Value `json:",inline"`
	}
	if err := json.Unmarshal(raw, &form); err != nil {
		return nil, plain(err)
	}
	if form.Format != Format {
		if strings.HasPrefix(form.Format, formatFamily) {
			return nil, fmt.Errorf("its format is %q, and this version reads %q: update mcpproxy", form.Format, Format)
		}
		return nil, fmt.Errorf("it is not a signed bundle: its format is %q, not %q; sign it with mcpproxy bundle sign",
			form.Format, Format)
	}
	var d document
	if err := json.Unmarshal(raw, &d, json.RejectUnknownMembers(true)); err != nil {
		return nil, plain(err)
	}
	if err := d.verify(trusted); err != nil {
		return nil, err
	}
	return parse(d.Payload)
}

// verify returns an error unless a trusted key has signed the document.
func (d *document) verify(trusted []PublicKey) error {
	if len(d.Signatures) > maxSignatures {
		return fmt.Errorf("it has more than %d signatures", maxSignatures)
	}
	var ids []string
	for _, k := range trusted {
		for _, s := range d.Signatures {
			if ed25519.Verify(k.key, d.signed(), s.Signature) {
				return nil
			}
		}
		ids = append(ids, k.ID())
	}
	var by []string
	for _, s := range d.Signatures {
		by = append(by, fmt.Sprintf("%q", s.Key))
	}
	return fmt.Errorf("it is not signed by a trusted key: the trusted keys are %s, and it is signed with %s",
		listed(ids, "no key"), listed(by, "no signer"))
}

func listed(list []string, empty string) string {
	if len(list) == 0 {
		return empty
	}
	return strings.Join(list, ", ")
}

// ErrExpired is returned for a bundle that has expired.
var ErrExpired = errors.New("the bundle has expired")

// Open verifies a signed document as [Verify] does, and checks that its bundle is valid at the time
// now. The error wraps [ErrExpired] if the bundle has expired.
func Open(raw []byte, trusted []PublicKey, now time.Time) (*Bundle, error) {
	b, err := Verify(raw, trusted)
	if err != nil {
		return nil, err
	}
	if b.Issued.After(now.Add(maxClockError)) {
		return nil, fmt.Errorf("%s was issued on %s, which is in the future: check the clock of this machine",
			b.Label(), b.Issued.UTC().Format(time.RFC3339))
	}
	if b.Expired(now) {
		return nil, fmt.Errorf("%s: %w on %s", b.Label(), ErrExpired, b.Expires.UTC().Format(time.RFC3339))
	}
	return b, nil
}

// Expired reports whether the bundle has expired.
func (b *Bundle) Expired(now time.Time) bool { return !now.Before(b.Expires) }

// digest identifies a signed document.
func digest(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// Allows reports whether a server may be used.
func (b *Bundle) Allows(name, url, command string, args []string) bool {
	if b.Servers == nil {
		return true
	}
	for _, s := range *b.Servers {
		if s.Name == name && s.URL == url && s.Command == command && equal(s.Args, args) {
			return true
		}
	}
	return false
}

func equal(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
