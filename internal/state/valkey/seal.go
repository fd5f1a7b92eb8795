package valkey

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// MinKey is the minimum length of a key, in bytes.
const MinKey = 32

// ErrForeign is returned for data in the store that was written with another key, or was changed.
var ErrForeign = errors.New("the data in the state store was not written with this state.key")

// seal encrypts contents and hashes names, so that the server can read neither.
type seal struct {
	aead  cipher.AEAD
	names []byte // HMAC key for names
}

// newSeal derives the keys for contents and for names from the key of the group.
func newSeal(key string) (*seal, error) {
	if len(key) < MinKey {
		return nil, fmt.Errorf("state.key has %d bytes; at least %d are needed", len(key), MinKey)
	}
	derive := func(purpose string) ([]byte, error) {
		return hkdf.Key(sha256.New, []byte(key), nil, "mcpproxy shared state 1 "+purpose, 32)
	}
	content, err := derive("content")
	if err != nil {
		return nil, err
	}
	names, err := derive("names")
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(content)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	return &seal{aead: aead, names: names}, nil
}

// name returns the keyed hash of a name.
func (s *seal) name(kind, name string) string {
	h := hmac.New(sha256.New, s.names)
	_, _ = fmt.Fprintf(h, "%s\x00%s", kind, name)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// close encrypts content. About says where it belongs; [seal.open] fails with any other about.
func (s *seal) close(about string, content []byte) []byte {
	nonce := make([]byte, s.aead.NonceSize(), s.aead.NonceSize()+len(content)+s.aead.Overhead())
	_, _ = rand.Read(nonce) // never fails
	return s.aead.Seal(nonce, nonce, content, []byte(about))
}

// open decrypts the result of close.
func (s *seal) open(about string, sealed []byte) ([]byte, error) {
	n := s.aead.NonceSize()
	if len(sealed) < n {
		return nil, ErrForeign
	}
	content, err := s.aead.Open(nil, sealed[:n], sealed[n:], []byte(about))
	if err != nil {
		return nil, ErrForeign
	}
	return content, nil
}
