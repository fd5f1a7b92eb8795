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

// form is the version of the file's form.
const form = 1

// maxTokens bounds the tokens of a store: each request is held against all.
const maxTokens = 1000

// file is the store on disk.
type file struct {
	Version int    `json:"version"`
	Tokens  []kept `json:"tokens"`
}

// Store keeps the tokens of one daemon. It is safe for concurrent use.
type Store struct {
	path string
	now  func() time.Time
	// ended hears of tokens that are no more; it may be nil.
	ended func(name string)

	mu     sync.Mutex
	tokens []Token // by name
	// revoked are hashes of tokens that were taken back and could not be taken from
	// the file, where a Reload would find them.
	revoked map[[sha256.Size]byte]bool
}

// Open reads the store in the file at path; no file is an empty store. Ended
// hears, under no lock, of each token that was revoked or vanished from the file;
// it may be nil.
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

// parse reads the file's bytes.
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
		return nil, fmt.Errorf("it holds more than %d tokens", maxTokens)
	}
	out := make([]Token, 0, len(f.Tokens))
	for n, k := range f.Tokens {
		t, err := k.open()
		if err != nil {
			return nil, fmt.Errorf("token %d: %w", n+1, err)
		}
		if slices.ContainsFunc(out, func(o Token) bool { return o.Name == t.Name || o.hash == t.hash }) {
			return nil, fmt.Errorf("token %d appears twice", n+1)
		}
		out = append(out, t)
	}
	return out, nil
}

// Reload reads the file again. One that cannot be used leaves everything as it is,
// and what was revoked stays revoked.
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

// Create makes a token and returns it with its plain form, which is kept nowhere.
// It fails with [ErrExists] or [ErrSpec], or when the file cannot be written.
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

// Revoke takes a token back. It fails with [ErrUnknown], or when the file cannot
// be written; then the token is out of force until the store is opened anew.
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
	if err != nil { // whatever the disk says
		s.revoked[hash], s.tokens = true, tokens
	}
	s.mu.Unlock()
	s.end(name)
	return err
}

// List returns all tokens by name, those that have expired too.
func (s *Store) List() []Token {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tokens)
}

// Find returns the token with this plain form. It looks at every token, and takes
// as long for one that is there as for one that is not.
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
		_ = s.save(tokens) // that it was used matters less than that it works
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

// save replaces the file at once: it is the old one or the new one, whole. The
// caller holds the lock.
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
		return fmt.Errorf("keeping the tokens: %w", err)
	}
	s.tokens = tokens
	clear(s.revoked) // the file holds none of them any more
	return nil
}
