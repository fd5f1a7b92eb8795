package sqlite

import (
	"context"
	"log/slog"
	"sync"

	"mcpproxy/internal/ledger"
)

// journal brings what is in SQLite's journal into the file, beside those who write: a
// processor of its own does what every few groups of records would wait for.
type journal struct {
	mu    sync.Mutex // held while it does, taken before that of the store
	bytes int        // that were written since it was told, about
	due   chan struct{}
	done  chan struct{}
}

const (
	journalBytes = 16 << 20 // after which the journal is brought into the file
	groupBytes   = 64 << 10 // of the pages that every group writes anew, however small it is
	journalPages = 2000     // from which on writers wait for that, so that it ends
)

func (j *journal) start(s *Store) {
	j.due, j.done = make(chan struct{}, 1), make(chan struct{})
	j.due <- struct{}{} // for what a conversion, or a run that was killed, has left
	go func() {
		defer close(j.done)
		for range j.due {
			if err := j.carry(s); err != nil {
				slog.Warn("the journal of the activity log could not be brought into it", "error", err)
			}
		}
	}()
}

// stop returns when nothing is carried any more. Nobody writes then.
func (j *journal) stop() {
	close(j.due)
	<-j.done
}

// grown counts a group of records that was written. The store's mu is held.
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
	default: // it is at it
	}
}

// carry brings the journal into the file. What is written meanwhile stays in it, and
// SQLite begins it anew only when nothing does: so from some size on nobody writes until
// the rest is done too, which is little then.
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

// checkpoint carries what no reader still needs where it is. It returns how many pages
// the journal had.
func (s *Store) checkpoint() (pages int64, err error) {
	var busy, carried int64
	err = s.db.QueryRowContext(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &pages, &carried)
	return pages, err
}
