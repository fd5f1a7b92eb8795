package oauth

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"time"
)

// savePause is the time between two attempts to store a grant.
const savePause = 3 * time.Second

// replacement is a grant that could not be stored, with the older grant that is still in the file.
type replacement struct{ old, next *Grant }

// successor returns the grant that must replace a stored grant; nil if the stored one is the newest.
func (s *Store) successor(stored *Grant) *Grant {
	if stored == nil {
		return nil
	}
	s.memory.Lock()
	defer s.memory.Unlock()
	if r, ok := s.unsaved[stored.Server]; ok && r.old.sameAs(stored) {
		return r.next
	}
	return nil
}

// remember keeps a grant that could not be stored in memory, and schedules another attempt.
func (s *Store) remember(old, next *Grant) {
	s.memory.Lock()
	defer s.memory.Unlock()
	if r, ok := s.unsaved[next.Server]; ok && r.next.sameAs(old) {
		old = r.old
	}
	s.unsaved[next.Server] = replacement{old, next}
	if !s.settled && s.retry == nil {
		s.retry = time.AfterFunc(savePause, s.saveLater)
	}
}

// forget notes that a server's newest grant is stored.
func (s *Store) forget(server string) {
	s.memory.Lock()
	delete(s.unsaved, server)
	s.memory.Unlock()
}

// saveLater tries to store the remaining grants until it succeeds.
func (s *Store) saveLater() {
	defer s.begin()()
	err := s.save(context.Background()) // each change of the file has its own time limit
	s.memory.Lock()
	defer s.memory.Unlock()
	s.retry = nil
	if (err != nil || len(s.unsaved) > 0) && !s.settled {
		s.retry = time.AfterFunc(savePause, s.saveLater)
	}
}

// save tries to store every grant that could not be stored before.
func (s *Store) save(ctx context.Context) error {
	s.memory.Lock()
	unsaved := maps.Clone(s.unsaved)
	s.memory.Unlock()
	var failed error
	for server, r := range unsaved {
		err := s.change(ctx, func(doc *document) error {
			filed, err := s.open(doc.Grants[server])
			if err != nil {
				return err
			}
			next := s.successor(filed)
			if next == nil {
				s.forget(server) // it was stored, or somebody has logged in or out meanwhile
				return nil
			}
			copied := *next // other goroutines read next
			if err := s.keep(doc, &copied, r.old.Kept); err != nil {
				return err
			}
			slog.Info("stored the renewed token of a server", "server", server)
			return nil
		})
		failed = errors.Join(failed, err)
	}
	return failed
}

// begin registers a renewal, for which [Store.Settle] waits until end is called.
func (s *Store) begin() (end func()) {
	done := make(chan struct{})
	s.memory.Lock()
	s.renewals[done] = true
	s.memory.Unlock()
	return func() {
		s.memory.Lock()
		delete(s.renewals, done)
		s.memory.Unlock()
		close(done)
	}
}

// Settle waits until no renewal is in progress in this process, and stores what could not be stored
// before. A process calls it before it ends: an authorization server that has issued a new refresh
// token no longer accepts the old one, so losing the new token ends the login.
func (s *Store) Settle(ctx context.Context) error {
	for {
		var under chan struct{}
		s.memory.Lock()
		s.settled = true
		for done := range s.renewals {
			under = done
		}
		if s.retry != nil {
			s.retry.Stop()
		}
		s.memory.Unlock()
		if under == nil {
			break
		}
		select {
		case <-under:
		case <-ctx.Done():
			return fmt.Errorf("a token is still being renewed: %w", context.Cause(ctx))
		}
	}
	return s.save(ctx)
}

// lockRenewal prevents other processes from renewing a server's token until unlock is called. It
// fails only if another process holds the lock for longer than a renewal takes. If locking is
// impossible, as in a read-only folder, it succeeds without a lock.
func (s *Store) lockRenewal(ctx context.Context, server string) (unlock func(), err error) {
	err = os.MkdirAll(filepath.Dir(s.path), 0o700)
	if err == nil {
		sum := sha256.Sum256([]byte(server))
		unlock, err = lockFile(ctx, fmt.Sprintf("%s.%x.lock", s.path, sum[:8]), renewalPatience)
	}
	if err != nil && !errors.Is(err, errHeld) {
		slog.Warn("renewing the token of a server without a lock against other processes", "server", server,
			"error", err)
		return func() {}, nil
	}
	return unlock, err
}
