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

// MinKey is the length of the shortest key, in bytes.
const MinKey = 32

// ErrForeign says that what the server keeps was not written with this key, or was changed.
var ErrForeign = errors.New("what the state store keeps was not written with this state.key")

// seal hides names and contents from the server.
type seal struct {
	aead  cipher.AEAD
	names []byte // key of the hashes of names
}

// newSeal derives the keys of a seal.
func newSeal(key string) (*seal, error) {
	if len(key) < MinKey {
		return nil, fmt.Errorf("the key of the state store has %d bytes; %d are needed", len(key), MinKey)
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

// close seals a content that belongs to about: under another name it cannot be opened.
func (s *seal) close(about string, content []byte) []byte {
	nonce := make([]byte, s.aead.NonceSize(), s.aead.NonceSize()+len(content)+s.aead.Overhead())
	_, _ = rand.Read(nonce) // never fails
	return s.aead.Seal(nonce, nonce, content, []byte(about))
}

// open returns the content of what close has sealed.
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
