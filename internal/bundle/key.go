package bundle

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

// publicPrefix is the prefix of a public key in managed.json and on the command line.
const publicPrefix = "ed25519:"

// pemType is the type of the PEM block that holds a private key (PKCS #8, RFC 8410).
const pemType = "PRIVATE KEY"

// PublicKey is a key that verifies bundles. Its text is "ed25519:" and the key in base64.
type PublicKey struct{ key ed25519.PublicKey }

// PrivateKey is a key that signs bundles.
type PrivateKey struct{ key ed25519.PrivateKey }

// NewKey returns a new random key.
func NewKey() (PrivateKey, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return PrivateKey{}, fmt.Errorf("making a key: %w", err)
	}
	return PrivateKey{key}, nil
}

// ParsePrivateKey reads a key in the form that [PrivateKey.PEM] writes. Keys that
// openssl genpkey -algorithm ed25519 makes have the same form.
func ParsePrivateKey(raw []byte) (PrivateKey, error) {
	block, _ := pem.Decode(raw)
	if block == nil || block.Type != pemType {
		return PrivateKey{}, errors.New("it is not a private key in PEM form; make one with mcpproxy bundle keygen")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return PrivateKey{}, errors.New("the private key is damaged")
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return PrivateKey{}, errors.New("the private key is not an ed25519 key; make one with mcpproxy bundle keygen")
	}
	return PrivateKey{key}, nil
}

// PEM returns the key as a file holds it (PKCS #8).
func (k PrivateKey) PEM() ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(k.key)
	if err != nil {
		return nil, fmt.Errorf("writing the private key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: der}), nil
}

// Public returns the key that verifies what k signs.
func (k PrivateKey) Public() PublicKey {
	return PublicKey{ed25519.PublicKey(k.key[ed25519.PrivateKeySize-ed25519.PublicKeySize:])}
}

// ParsePublicKey reads a key in the form of [PublicKey.String].
func ParsePublicKey(s string) (PublicKey, error) {
	encoded, ok := strings.CutPrefix(s, publicPrefix)
	raw, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if !ok || err != nil || len(raw) != ed25519.PublicKeySize {
		return PublicKey{}, fmt.Errorf(
			"%q is not a public key; write %s and the key in base64, as mcpproxy bundle keygen prints it",
			s,
			publicPrefix,
		)
	}
	return PublicKey{raw}, nil
}

// String returns the key as text.
func (k PublicKey) String() string { return publicPrefix + base64.StdEncoding.EncodeToString(k.key) }

// ID returns the short name of the key: the first 16 hex digits of its SHA-256.
func (k PublicKey) ID() string {
	sum := sha256.Sum256(k.key)
	return hex.EncodeToString(sum[:8])
}
