package sqlite

import (
	"context"
	"log/slog"
	"sync"

	"mcpproxy/internal/ledger"
)

// journal copies SQLite's journal into the database file in the background, so that writers do not
// have to wait for it every few groups.
type journal struct {
	mu    sync.Mutex // held during a copy; acquired before the store's mutex
	bytes int        // approximate bytes written since the last request
	due   chan struct{}
	done  chan struct{}
}

const (
	journalBytes = 16 << 20 // size at which the journal is copied
	groupBytes   = 64 << 10 // bytes of the pages that every group rewrites
	journalPages = 2000     // maximum size; beyond it, writers wait for the copy
)

func (j *journal) start(s *Store) {
	j.due, j.done = make(chan struct{}, 1), make(chan struct{})
	j.due <- struct{}{} // for the rest of a conversion or of a killed run
	go func() {
		defer close(j.done)
		for range j.due {
			if err := j.carry(s); err != nil {
				slog.Warn("the journal of the activity log could not be merged into it", "error", err)
			}
		}
	}()
}

// stop returns when the last copy has ended. No writer may be active.
func (j *journal) stop() {
	close(j.due)
	<-j.done
}

// grown counts a written group. The caller holds the store's mu.
func (j *journal) grown(records []ledger.Sealed) {
	j.bytes += groupBytes
	for i := range records {
		r := &records[i]
		j.bytes += len(r.Body) + len(r.Arguments) + len(r.Response)
	}
	if j.bytes < journalBytes {
		return
	}
	j.bytes = 0
	select {
	case j.due <- struct{}{}:
	default: // a copy is in progress
	}
}

// carry copies the journal into the file. Writes continue meanwhile, but SQLite can only restart
// the journal when no write is in progress. From a certain size on, carry therefore blocks writers
// until the small rest is copied.
func (j *journal) carry(s *Store) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	pages, err := s.checkpoint()
	if err != nil || pages < journalPages {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err = s.checkpoint()
	return err
}

// checkpoint copies the pages that no reader still needs in the journal. It returns the number of
// pages in the journal.
func (s *Store) checkpoint() (pages int64, err error) {
	var busy, carried int64
	err = s.db.QueryRowContext(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &pages, &carried)
	return pages, err
}
