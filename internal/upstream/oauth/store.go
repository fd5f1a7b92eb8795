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

// Place is the place where secrets are stored.
type Place string

// The places. Auto is the keyring if there is one, otherwise the file.
const (
	Auto   Place = "auto"
	InRing Place = "keyring"
	File   Place = "file"
)

// form is the version of the file format.
const form = 1

// document is the file of the store. It contains every grant, but no secrets that are in a keyring.
// So a process sees in one file whether anything has changed.
type document struct {
	Version int               `json:"version"`
	Grants  map[string]*Grant `json:"grants"` // by server
}

// Store stores grants. The command line and the daemon may use it at the same time. Only the owner
// can read the file, and it is always replaced as a whole.
type Store struct {
	path string
	ring Keyring
	mu   sync.Mutex // held during a change of the file

	memory   sync.Mutex             // guards the fields below
	renewals map[chan struct{}]bool // renewals in progress in this process; each is closed when it ends
	unsaved  map[string]replacement // grants that could not be stored, by server
	retry    *time.Timer            // tries to store them again; nil while unsaved is empty
	settled  bool                   // the process is about to end; no further timer is started
}

// OpenStore returns the store in the file at path, which need not exist yet.
func OpenStore(path string, ring Keyring) *Store {
	return &Store{
		path:     path,
		ring:     ring,
		renewals: map[chan struct{}]bool{},
		unsaved:  map[string]replacement{},
	}
}

// Path returns the path of the store's file, which changes with every grant.
func (s *Store) Path() string { return s.path }

// Find returns the grant for a server, or nil if there is none. It fails if the file or the keyring
// cannot be read.
func (s *Store) Find(server string) (*Grant, error) {
	doc, err := s.read()
	if err != nil {
		return nil, err
	}
	return s.present(doc, server)
}

// present returns the grant for a server: the one in the file, or a newer one that could not be
// stored.
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

// open reads a grant's secrets from the keyring, if they are there.
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
		return nil, nil // another process wrote it
	}
	if kept.Login != g.Login {
		return nil, nil // it belongs to a login that was not stored in the file, or that has ended
	}
	g.Secrets, g.Serial = kept.Secrets, kept.Serial
	return g, nil
}

// ringError returns the error for secrets in a keyring that cannot be reached.
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

// Put stores a grant and replaces an earlier one.
func (s *Store) Put(ctx context.Context, g *Grant, in Place) error {
	return s.change(ctx, func(doc *document) error { return s.keep(doc, g, in) })
}

// Swap replaces the grant old by next. If the store has another grant than old, Swap changes nothing
// and returns that grant, or nil if there is none. If next cannot be stored, the store keeps it in
// memory, returns the error, and tries again until it succeeds.
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

// Remove removes a server's grant and returns it. If the keyring cannot be reached, its part of the
// grant stays there, and Remove returns an error.
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
					"the login was removed from the store, but its secrets could not be removed from the keyring (mcpproxy, %s): %w",
					s.ringName(server),
					err,
				)
			}
		}
		if next != nil {
			was = next // so that the caller can revoke these tokens
		}
		return errors.Join(s.written(doc, server), lost)
	})
	return was, err
}

// keep stores a grant: the secrets first, so that the file never refers to missing secrets.
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
				"the keyring cannot store the token (%w): set oauth.store to \"file\" to keep it in %s",
				err,
				s.path,
			)
		}
	}
	if was := doc.Grants[g.Server]; was != nil && was.Kept == InRing {
		_ = s.ring.Delete(s.ringName(g.Server)) // no process reads it any more
	}
	g.Kept = File
	doc.Grants[g.Server] = g
	return s.written(doc, g.Server)
}

// written writes a document in which a server's grant was changed. A grant of that server that could
// not be stored earlier is dropped.
func (s *Store) written(doc *document, server string) error {
	err := s.write(doc)
	if err == nil {
		s.forget(server)
	}
	return err
}

// seal stores a grant's secrets in the keyring.
func (s *Store) seal(g *Grant) error {
	raw, err := json.Marshal(map[string]any{"login": g.Login, "serial": g.Serial, "secrets": g.Secrets})
	if err != nil {
		return err
	}
	return s.ring.Set(s.ringName(g.Server), string(raw))
}

// ringName returns the name of a server's secrets in the keyring. Daemons with different data
// folders use different names in the same keyring.
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

// parse parses the file. Its errors do not quote the content.
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

// change reads the file, calls f to change it, and writes it, under a lock against other processes.
func (s *Store) change(ctx context.Context, f func(*document) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return fmt.Errorf("storing the tokens of servers: %w", err)
	}
	unlock, err := lockFile(ctx, s.path+".lock", lockPatience)
	if err != nil {
		return fmt.Errorf("storing the tokens of servers: %w", err)
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
		return fmt.Errorf("storing the tokens of servers: %w", err)
	}
	return nil
}
