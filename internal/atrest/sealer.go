package atrest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"

	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/text"
)

// form names the purpose of the key. It is part of every derived key.
const form = "mcpproxy personal data 1\n"

// Sealer makes placeholders for personal data and opens them. The zero value has no key: its placeholders contain no
// value.
type Sealer struct {
	key []byte
}

// New returns a sealer that uses the key of an installation.
func New(key []byte) *Sealer { return &Sealer{key: key} }

// RecordSealer makes and opens the placeholders of one record.
type RecordSealer struct {
	aead cipher.AEAD // nil without a key
}

// For returns the sealer of the record with an id. Its key is derived from the id, so that no placeholder opens in
// another record.
func (s *Sealer) For(id string) RecordSealer {
	if s == nil || len(s.key) == 0 {
		return RecordSealer{}
	}
	key, err := hkdf.Key(sha256.New, s.key, nil, form+id, sha256.Size)
	if err != nil {
		return RecordSealer{}
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return RecordSealer{}
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return RecordSealer{}
	}
	return RecordSealer{aead}
}

// Seal returns the placeholder for a value. Without a key, the placeholder contains only the kind.
func (s RecordSealer) Seal(kind, value string) string {
	if s.aead == nil || !kindName().MatchString(kind) {
		return "[" + kind + "]"
	}
	nonce := make([]byte, s.aead.NonceSize(), s.aead.NonceSize()+len(value)+s.aead.Overhead())
	_, _ = rand.Read(nonce) // never fails
	sealed := s.aead.Seal(nonce, nonce, []byte(value), []byte(kind))
	return "[" + kind + ":sealed:" + base64.RawURLEncoding.EncodeToString(sealed) + "]"
}

// open returns the value of a placeholder.
func (s RecordSealer) open(kind, encoded string) (value string, ok bool) {
	if s.aead == nil {
		return "", false
	}
	// Strict refuses other base64 spellings of the same bytes.
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	if err != nil || len(sealed) < s.aead.NonceSize() {
		return "", false
	}
	n := s.aead.NonceSize()
	plain, err := s.aead.Open(nil, sealed[:n], sealed[n:], []byte(kind))
	return string(plain), err == nil
}

var (
	kindName = lazyregexp.New(`^[a-z0-9_]+$`)
	// placeholder matches a placeholder, also if the end of a truncated response cuts it off.
	placeholder = lazyregexp.New(`\[([a-z0-9_]+):sealed:([A-Za-z0-9_-]*)\]?`)
)

// opener returns the value of a placeholder. ok is false if it cannot be opened.
type opener func(kind, encoded string) (value string, ok bool)

// replace returns a text with placeholders replaced by their values, in the form that quote returns. A placeholder
// that cannot be opened stays masked.
func replace(in []byte, value opener, quote func(string) []byte) []byte {
	return placeholder().ReplaceAllFunc(in, func(found []byte) []byte {
		m := placeholder().FindSubmatch(found)
		kind := string(m[1])
		if plain, ok := value(kind, string(m[2])); ok {
			return quote(plain)
		}
		return []byte("[" + kind + "]")
	})
}

// asJSON returns a value escaped for use inside a JSON string.
func asJSON(value string) []byte {
	quoted := text.Quote(value)
	return quoted[1 : len(quoted)-1]
}
