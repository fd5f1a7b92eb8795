package ledger

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"mcpproxy/internal/atomicfile"
)

// The files of the key pair that signs checkpoints, in the log's folder.
const (
	KeyFile    = "ledger.key" // PEM, PKCS 8, mode 0600
	PublicFile = "ledger.pub" // PEM, PKIX
)

// Signer signs checkpoints.
type Signer struct {
	private ed25519.PrivateKey
	id      string
}

// Keys are the public keys that are accepted as signers of a log.
type Keys []ed25519.PublicKey

// KeyID returns the short name of a public key: the first 16 hex digits of its SHA-256.
func KeyID(key ed25519.PublicKey) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:8])
}

// NewSigner returns a signer with the private key.
func NewSigner(key ed25519.PrivateKey) *Signer {
	return &Signer{key, KeyID(key.Public().(ed25519.PublicKey))}
}

// OpenSigner reads the key in a folder. It creates the key if there is none.
func OpenSigner(dir string) (*Signer, error) {
	path := filepath.Join(dir, KeyFile)
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		raw, err = makeKey(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("the key of the activity log: %w", err)
	}
	block, _ := pem.Decode(raw)
	if block == nil {
		return nil, fmt.Errorf("the key of the activity log: %s holds no PEM", path)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, ok := parsed.(ed25519.PrivateKey)
	if err != nil || !ok {
		return nil, fmt.Errorf("the key of the activity log: %s holds no Ed25519 key", path)
	}
	return NewSigner(key), nil
}

// makeKey creates and stores a key. If several processes try, the first one wins.
func makeKey(dir string) ([]byte, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, KeyFile+"-*") // mode 0600
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(f.Name()) }() // has no effect after the rename
	_, err = f.Write(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, KeyFile)
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	return os.ReadFile(path)
}

// RemoveKeys removes the key pair in a folder. It is for a caller that created the pair and has
// signed nothing with it.
func RemoveKeys(dir string) {
	_ = os.Remove(filepath.Join(dir, KeyFile))
	_ = os.Remove(filepath.Join(dir, PublicFile))
}

// Publish writes the public key into a folder unless the file exists.
func (s *Signer) Publish(dir string) error {
	path := filepath.Join(dir, PublicFile)
	if keys, err := ReadKeys(path); err == nil && len(keys) == 1 && KeyID(keys[0]) == s.id {
		return nil
	}
	der, err := x509.MarshalPKIXPublicKey(s.private.Public())
	if err == nil {
		err = atomicfile.WriteBytes(path, 0o600, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	}
	if err != nil {
		return fmt.Errorf("the public key of the activity log: %w", err)
	}
	return nil
}

// ReadKeys reads every public key in a PEM file.
func ReadKeys(path string) (Keys, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the public key of the activity log: %w", err)
	}
	var keys Keys
	for {
		var block *pem.Block
		if block, raw = pem.Decode(raw); block == nil {
			break
		}
		parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
		key, ok := parsed.(ed25519.PublicKey)
		if err != nil || !ok {
			return nil, fmt.Errorf(
				"the public key of the activity log: %s holds something other than Ed25519 keys",
				path,
			)
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("the public key of the activity log: %s is not a PEM file", path)
	}
	return keys, nil
}

// Keys returns the public half of the signer's key.
func (s *Signer) Keys() Keys { return Keys{s.private.Public().(ed25519.PublicKey)} }

// attestation is the prefix of every message that Attest signs. Nothing that is signed for the log begins with it, so
// a signature for a hub can never pass as one for the log, nor the other way round.
const attestation = "mcpproxy hub request\n"

// Attest signs a message that a machine sends to its hub.
func (s *Signer) Attest(message []byte) []byte {
	return s.sign(append([]byte(attestation), message...))
}

// Attested reports whether one of the keys has signed a message to a hub.
func (k Keys) Attested(message, signature []byte) bool {
	return k.valid(append([]byte(attestation), message...), signature)
}

func (s *Signer) sign(message []byte) []byte { return ed25519.Sign(s.private, message) }

// valid reports whether one of the keys signed the message.
func (k Keys) valid(message, signature []byte) bool {
	for _, key := range k {
		if len(key) == ed25519.PublicKeySize && ed25519.Verify(key, message, signature) {
			return true
		}
	}
	return false
}
