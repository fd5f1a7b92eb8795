package token

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	strict "github.com/go-json-experiment/json"

	"mcpproxy/internal/atomicfile"
)

// form is the version of the file format.
const form = 1

// maxTokens is the maximum number of tokens in a store. Each request is compared with all of them.
const maxTokens = 1000

// file is the file of the store.
type file struct {
	Version int    `json:"version"`
	Tokens  []kept `json:"tokens"`
}

// Store stores the tokens of one daemon. It is safe for concurrent use.
type Store struct {
	path string
	now  func() time.Time
	// ended is called with tokens that have ended; it may be nil.
	ended func(name string)

	mu     sync.Mutex
	tokens []Token // by name
	// revoked are the hashes of revoked tokens that could not be removed from the file, where a
	// Reload would find them.
	revoked map[[sha256.Size]byte]bool
}

// Open reads the store in the file at path. A missing file is an empty store. Ended is called,
// without a lock, with each token that was revoked or removed from the file; it may be nil.
func Open(path string, ended func(name string)) (*Store, error) {
	s := &Store{
		path:    path,
		now:     time.Now,
		ended:   ended,
		revoked: map[[sha256.Size]byte]bool{},
	}
	tokens, err := s.read()
	if err != nil {
		return nil, err
	}
	s.tokens = tokens
	return s, nil
}

func (s *Store) read() ([]Token, error) {
	raw, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the tokens: %w", err)
	}
	tokens, err := parse(raw)
	if err != nil {
		return nil, fmt.Errorf(
			"%s cannot be used (%w): put a backup in its place, or remove it, which revokes every token",
			s.path,
			err,
		)
	}
	return tokens, nil
}

// parse parses the file.
func parse(raw []byte) ([]Token, error) {
	var f file
	if err := atomicfile.CheckForm(raw, form); err != nil {
		return nil, err
	}
	if err := strict.Unmarshal(raw, &f, strict.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("it is damaged: %w", err)
	}
	if f.Version != form {
		return nil, fmt.Errorf("its version is %d, and this program reads version %d", f.Version, form)
	}
	if len(f.Tokens) > maxTokens {
		return nil, fmt.Errorf("it has more than %d tokens", maxTokens)
	}
	out := make([]Token, 0, len(f.Tokens))
	for n, k := range f.Tokens {
		t, err := k.open()
		if err != nil {
			return nil, fmt.Errorf("token %d: %w", n+1, err)
		}
		if slices.ContainsFunc(out, func(o Token) bool { return o.Name == t.Name || o.hash == t.hash }) {
			return nil, fmt.Errorf("token %d has the name or the secret of an earlier token", n+1)
		}
		out = append(out, t)
	}
	return out, nil
}

// Reload reads the file again. If the file is invalid, nothing changes. Revoked tokens stay
// revoked.
func (s *Store) Reload() error {
	s.mu.Lock()
	tokens, err := s.read()
	if err != nil {
		s.mu.Unlock()
		return err
	}
	tokens = slices.DeleteFunc(tokens, func(t Token) bool { return s.revoked[t.hash] })
	var gone []string
	for _, t := range s.tokens {
		if !slices.ContainsFunc(tokens, t.equal) {
			gone = append(gone, t.Name)
		}
	}
	s.tokens = tokens
	s.mu.Unlock()
	for _, name := range gone {
		s.end(name)
	}
	return nil
}

func (s *Store) end(name string) {
	if s.ended != nil {
		s.ended(name)
	}
}

// Create makes a token and returns it with its plain form, which is not stored anywhere. It fails
// with [ErrExists] or [ErrSpec], or if the file cannot be written.
func (s *Store) Create(spec Spec) (plain string, t Token, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	plain, t, err = spec.token(s.now())
	if err != nil {
		return "", t, err
	}
	if slices.ContainsFunc(s.tokens, func(o Token) bool { return strings.EqualFold(o.Name, t.Name) }) {
		return "", t, ErrExists
	}
	if len(s.tokens) >= maxTokens {
		return "", t, fmt.Errorf("%w: there are %d already", ErrSpec, maxTokens)
	}
	tokens := append(slices.Clone(s.tokens), t)
	slices.SortFunc(tokens, func(a, b Token) int { return strings.Compare(a.Name, b.Name) })
	if err := s.save(tokens); err != nil {
		return "", t, err
	}
	return plain, t, nil
}

// Revoke revokes a token. It fails with [ErrUnknown], or if the file cannot be written; then the
// token stays revoked until the store is opened again.
func (s *Store) Revoke(name string) error {
	s.mu.Lock()
	i := slices.IndexFunc(s.tokens, func(t Token) bool { return t.Name == name })
	if i < 0 {
		s.mu.Unlock()
		return ErrUnknown
	}
	hash := s.tokens[i].hash
	tokens := slices.Delete(slices.Clone(s.tokens), i, i+1)
	err := s.save(tokens)
	if err != nil { // even if the file cannot be written
		s.revoked[hash], s.tokens = true, tokens
	}
	s.mu.Unlock()
	s.end(name)
	return err
}

// List returns all tokens by name, including expired ones.
func (s *Store) List() []Token {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tokens)
}

// Find returns the token with this plain form. It compares every token, so that it takes equally
// long whether or not the token exists.
func (s *Store) Find(plain string) (Token, bool) {
	if !strings.HasPrefix(plain, Prefix) {
		return Token{}, false
	}
	hash := sha256.Sum256([]byte(plain))
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	found := -1
	for i := range s.tokens {
		if subtle.ConstantTimeCompare(s.tokens[i].hash[:], hash[:]) == 1 {
			found = i
		}
	}
	if found < 0 || s.tokens[found].Expired(now) {
		return Token{}, false
	}
	if hour := now.UTC().Truncate(time.Hour); !s.tokens[found].Used.Equal(hour) {
		tokens := slices.Clone(s.tokens)
		tokens[found].Used = hour
		_ = s.save(tokens) // the time of use is not worth failing the request
		s.tokens = tokens
	}
	return s.tokens[found], true
}

// Named returns the token of a principal, unless it has expired.
func (s *Store) Named(name string) (Token, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.tokens, func(t Token) bool { return t.Name == name })
	if i < 0 || s.tokens[i].Expired(s.now()) {
		return Token{}, false
	}
	return s.tokens[i], true
}

// save replaces the file atomically. The caller holds the lock.
func (s *Store) save(tokens []Token) error {
	f := file{Version: form, Tokens: make([]kept, 0, len(tokens))}
	for _, t := range tokens {
		f.Tokens = append(f.Tokens, kept{t, hex.EncodeToString(t.hash[:])})
	}
	raw, err := json.MarshalIndent(f, "", " ")
	if err == nil {
		err = atomicfile.WriteBytes(s.path, 0o600, raw)
	}
	if err != nil {
		return fmt.Errorf("storing the tokens: %w", err)
	}
	s.tokens = tokens
	clear(s.revoked) // the file contains none of the revoked tokens any more
	return nil
}
