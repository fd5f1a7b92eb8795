package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	strict "github.com/go-json-experiment/json"

	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/keyring"
)

// Place is where secrets are kept.
type Place string

// The places. Auto is the keyring where there is one, else the file.
const (
	Auto   Place = "auto"
	InRing Place = "keyring"
	File   Place = "file"
)

// form is the version of the file's form.
const form = 1

// document is the store on disk. Every grant stands there, its secrets only where
// no keyring keeps them: so a look at one file tells what has changed.
type document struct {
	Version int               `json:"version"`
	Grants  map[string]*Grant `json:"grants"` // by server
}

// Store keeps grants for the command line and the daemon, which may use it at the
// same time. The file is its owner's alone and replaced as a whole.
type Store struct {
	path string
	ring Keyring
	mu   sync.Mutex // held during a change of the file

	memory   sync.Mutex             // guards the fields below
	renewals map[chan struct{}]bool // under way in this process; each is closed at its end
	unsaved  map[string]replacement // what the file or the keyring could not take, by server
	retry    *time.Timer            // tries to store it again; nil while unsaved is empty
	settled  bool                   // the process is about to end: no timer is started any more
}

// OpenStore returns the store in the file at path, which need not be there yet.
func OpenStore(path string, ring Keyring) *Store {
	return &Store{
		path:     path,
		ring:     ring,
		renewals: map[chan struct{}]bool{},
		unsaved:  map[string]replacement{},
	}
}

// Path is the file of the store; it changes with every grant.
func (s *Store) Path() string { return s.path }

// Find returns the grant for a server, nil when there is none. It fails when the
// file or the keyring cannot be read.
func (s *Store) Find(server string) (*Grant, error) {
	doc, err := s.read()
	if err != nil {
		return nil, err
	}
	return s.present(doc, server)
}

// present is the grant for a server: the one of the file, or what was to take its place and could not
// be stored.
func (s *Store) present(doc *document, server string) (*Grant, error) {
	filed := doc.Grants[server]
	if next := s.successor(filed); next != nil {
		return next, nil
	}
	g, err := s.open(filed)
	if next := s.successor(g); next != nil {
		return next, nil
	}
	return g, err
}

// open fetches a grant's secrets from where they are kept.
func (s *Store) open(g *Grant) (*Grant, error) {
	if g == nil || g.Kept != InRing {
		return g, nil
	}
	raw, err := s.ring.Get(s.ringName(g.Server))
	if errors.Is(err, keyring.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, &ringError{g.Server, err}
	}
	var kept struct {
		Login   string  `json:"login"`
		Serial  int     `json:"serial"`
		Secrets Secrets `json:"secrets"`
	}
	if err := strict.Unmarshal([]byte(raw), &kept); err != nil {
		return nil, nil // somebody else wrote it
	}
	if kept.Login != g.Login {
		return nil, nil // of a login that did not reach the file, or is no more
	}
	g.Secrets, g.Serial = kept.Secrets, kept.Serial
	return g, nil
}

// ringError says that a grant's secrets are out of reach.
type ringError struct {
	server string
	err    error
}

func (e *ringError) Error() string {
	return fmt.Sprintf(
		"the token of %s is in the keyring, which cannot be reached from here (%v): set oauth.store to \"file\" and log in again",
		e.server,
		e.err,
	)
}

func (e *ringError) Unwrap() error { return e.err }

// Put keeps a grant in place of whatever there was.
func (s *Store) Put(ctx context.Context, g *Grant, in Place) error {
	return s.change(ctx, func(doc *document) error { return s.keep(doc, g, in) })
}

// Swap keeps next in the place of old. When something else stands there by now, it
// changes nothing and returns that, which is nil where there is nothing at all. If next could not be
// stored, the store keeps it in memory, returns the error, and tries again until it succeeds.
func (s *Store) Swap(ctx context.Context, old, next *Grant) (*Grant, error) {
	kept := next
	err := s.change(ctx, func(doc *document) error {
		present, err := s.present(doc, old.Server)
		if err != nil {
			return err
		}
		if present == nil || !present.sameAs(old) {
			kept = present
			return nil
		}
		return s.keep(doc, next, old.Kept)
	})
	if err != nil {
		s.remember(old, next)
	}
	return kept, err
}

// Remove forgets a server's grant, and returns what it was. What a keyring that is
// out of reach holds of it stays there, which is an error.
func (s *Store) Remove(ctx context.Context, server string) (*Grant, error) {
	var was *Grant
	err := s.change(ctx, func(doc *document) error {
		if was = doc.Grants[server]; was == nil {
			return nil
		}
		next := s.successor(was)
		delete(doc.Grants, server)
		var lost error
		if was.Kept == InRing {
			if opened, err := s.open(was); opened != nil && err == nil {
				was = opened
			}
			if err := s.ring.Delete(s.ringName(server)); err != nil {
				lost = fmt.Errorf(
					"the login is forgotten here; what the keyring holds of it (mcpproxy, %s) could not be removed: %w",
					s.ringName(server),
					err,
				)
			}
		}
		if next != nil {
			was = next // the authorization server knows these tokens
		}
		return errors.Join(s.written(doc, server), lost)
	})
	return was, err
}

// keep writes a grant where it belongs: secrets first, so that what the file names
// is there.
func (s *Store) keep(doc *document, g *Grant, in Place) error {
	if in != File {
		err := s.seal(g)
		if err == nil {
			g.Kept = InRing
			public := *g
			public.Secrets = Secrets{}
			doc.Grants[g.Server] = &public
			return s.written(doc, g.Server)
		}
		if in == InRing {
			return fmt.Errorf(
				"the keyring takes no token (%w): set oauth.store to \"file\" to keep it in %s",
				err,
				s.path,
			)
		}
	}
	if was := doc.Grants[g.Server]; was != nil && was.Kept == InRing {
		_ = s.ring.Delete(s.ringName(g.Server)) // nobody reads it any more
	}
	g.Kept = File
	doc.Grants[g.Server] = g
	return s.written(doc, g.Server)
}

// written writes a document in which a server's grant was changed. Then nothing of that server waits
// to be stored.
func (s *Store) written(doc *document, server string) error {
	err := s.write(doc)
	if err == nil {
		s.forget(server)
	}
	return err
}

// seal puts a grant's secrets into the keyring.
func (s *Store) seal(g *Grant) error {
	raw, err := json.Marshal(map[string]any{"login": g.Login, "serial": g.Serial, "secrets": g.Secrets})
	if err != nil {
		return err
	}
	return s.ring.Set(s.ringName(g.Server), string(raw))
}

// ringName is under what the secrets of a server lie in the keyring. Daemons with
// different data folders share one keyring, and nothing in it.
func (s *Store) ringName(server string) string {
	sum := sha256.Sum256([]byte(s.path))
	return fmt.Sprintf("oauth:%s:%x", server, sum[:4])
}

func (s *Store) read() (*document, error) {
	doc := &document{Version: form, Grants: map[string]*Grant{}}
	raw, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return doc, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the tokens of servers: %w", err)
	}
	if doc, err = parse(raw); err != nil {
		return nil, fmt.Errorf("%s cannot be used (%w): remove it, and log in again", s.path, err)
	}
	return doc, nil
}

// parse reads the file's bytes. Its errors quote nothing of them.
func parse(raw []byte) (*document, error) {
	doc := &document{}
	if err := atomicfile.CheckForm(raw, form); err != nil {
		return nil, err
	}
	if err := strict.Unmarshal(raw, doc, strict.RejectUnknownMembers(true)); err != nil {
		return nil, errors.New("it is damaged")
	}
	if doc.Version != form {
		return nil, fmt.Errorf("its version is %d, and this program reads version %d", doc.Version, form)
	}
	for name, g := range doc.Grants {
		if g == nil || g.Server != name || g.Kept != InRing && g.Kept != File {
			return nil, errors.New("it is damaged")
		}
	}
	if doc.Grants == nil {
		doc.Grants = map[string]*Grant{}
	}
	return doc, nil
}

// change reads the file, lets f change it and keeps others out meanwhile.
func (s *Store) change(ctx context.Context, f func(*document) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return fmt.Errorf("keeping the tokens of servers: %w", err)
	}
	unlock, err := lockFile(ctx, s.path+".lock", lockPatience)
	if err != nil {
		return fmt.Errorf("keeping the tokens of servers: %w", err)
	}
	defer unlock()
	doc, err := s.read()
	if err != nil {
		return err
	}
	return f(doc)
}

func (s *Store) write(doc *document) error {
	raw, err := json.MarshalIndent(doc, "", " ")
	if err == nil {
		err = atomicfile.WriteBytes(s.path, 0o600, raw)
	}
	if err != nil {
		return fmt.Errorf("keeping the tokens of servers: %w", err)
	}
	return nil
}
