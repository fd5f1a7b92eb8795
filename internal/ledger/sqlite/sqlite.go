// Package sqlite keeps the activity log in one SQLite file.
//
// Records lie in pieces, some tens in one row of the file: each byte for byte as it was
// hashed, with its arguments and response beside it. Everything else in the file serves
// to find them again: what a record is found by stands beside it too, and for every
// block of 512 records, and every segment of 64 blocks, the file has the span of time,
// how many records are of which kind, and in which blocks a term is: a session, or the
// id of a request. A search walks from segments to blocks to records and leaves out
// where nothing can be. No record has an entry of its own in an index, which is why
// many can be written in little time. Verify holds all of that against the records.
//
// The file is in WAL mode with full synchronisation: what Append has returned for
// survives a power cut. The end of the chain is signed with every transaction.
package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver

	"mcpproxy/internal/ledger"
)

//go:embed 001_records.sql
var firstMigration string

//go:embed 002_provable.sql
var secondMigration string

//go:embed 003_pieces.sql
var thirdMigration string

// migrations, in order; PRAGMA user_version counts those applied. The fourth changes
// no table: it marks a log whose records may have the form [ledger.FormKeyed] and whose
// end stands in [ledger.HeadsFile] too.
var migrations = []string{firstMigration, secondMigration, thirdMigration, ""}

// The formats of the log, as user_version counts them.
const (
	inPieces  = 3 // the first with the tables of today
	withHeads = 4 // the first whose end stands in the heads file, too
)

// Store is a ledger.Store in a SQLite file.
type Store struct {
	db     *sql.DB
	reads  *reads
	path   string
	keys   ledger.Keys // that the log is held against
	signer *ledger.Signer
	heads  *ledger.HeadKeeper // nil in a store that only reads
	opened os.FileInfo        // of the file that is open for writing
	format int                // that the log had when it was opened

	// mu is held while something is written.
	mu     sync.Mutex
	writer *writer // nil in a store that only reads
	clock  ledger.Clock

	journal journal
}

// pragmas of every connection. The space of removed records can only be given
// back when auto_vacuum is set before there is any table.
var pragmas = []string{
	"auto_vacuum(2)",
	"journal_mode(WAL)",
	"synchronous(FULL)",
	"busy_timeout(5000)",
	"temp_store(MEMORY)",
	"journal_size_limit(16777216)",
	"secure_delete(FAST)",
	"wal_autocheckpoint(0)",
}

// writerCache lets a group of records touch all pages that it needs before any is
// written, in KiB. (With the usual 2 MB they are written, read back and written again.)
const writerCache = "PRAGMA cache_size = -32768"

// maxIdle is how many connections stay open between two readings.
const maxIdle = 2

// Open opens the file at path, making it (mode 0600) when there is none, and the
// key that signs it, in the same folder. A log of an older version is converted.
func Open(ctx context.Context, path string) (*Store, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the activity log: %w", err)
	}
	opened, err := f.Stat()
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("opening the activity log: %w", err)
	}
	s, err := connect(path, url.Values{"_pragma": pragmas, "_txlock": {"immediate"}})
	if err != nil {
		return nil, err
	}
	s.opened = opened
	if err := s.prepare(ctx); err != nil {
		s.db.Close()
		return nil, fmt.Errorf("preparing the activity log %s: %w", path, err)
	}
	return s, nil
}

// Path is the file of the log.
func (s *Store) Path() string { return s.path }

// Keys are those that the log is held against.
func (s *Store) Keys() ledger.Keys { return s.keys }

// Shrink gives back the memory that holds pages of the file. They are read again when they
// are needed.
func (s *Store) Shrink() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writer != nil {
		if err := s.writer.run(context.Background(), "PRAGMA shrink_memory"); err != nil {
			slog.Warn("the activity log could not give back its memory", "error", err)
		}
	}
	s.db.SetMaxIdleConns(0) // closes those that read
	s.db.SetMaxIdleConns(maxIdle)
}

// ErrOldLog says that a log must be opened for writing once, which converts it.
var ErrOldLog = errors.New("the log is of an older version of mcpproxy")

// ErrNoLog says that a file is there and no log is in it.
var ErrNoLog = errors.New("there is no log in the file: it is empty")

// ErrNewLog says that a log was written by a newer version of mcpproxy than this one.
var ErrNewLog = errors.New("the log was written by a newer version of mcpproxy")

// checkFormat returns an error unless this program reads logs of the format.
func checkFormat(version int) error {
	if version <= len(migrations) {
		return nil
	}
	return fmt.Errorf("%w: it has format %d, and this mcpproxy reads formats up to %d; "+
		"use a version of mcpproxy that reads format %d", ErrNewLog, version, len(migrations), version)
}

// OpenReader opens an existing log without writing to it, to be held against the
// keys; a daemon may be writing to it. ErrOldLog when it must be converted first.
func OpenReader(ctx context.Context, path string, keys ledger.Keys) (*Store, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("opening the activity log: %w", err)
	}
	s, err := connect(path, url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(5000)", "temp_store(MEMORY)"}})
	if err != nil {
		return nil, err
	}
	s.keys = keys
	switch err = s.db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&s.format); {
	case err != nil:
	case s.format == 0:
		err = ErrNoLog
	case s.format < inPieces:
		err = ErrOldLog
	default:
		err = checkFormat(s.format)
	}
	if err == nil {
		s.reads, err = newReads(ctx, s.db)
	}
	if err != nil {
		s.db.Close()
		return nil, fmt.Errorf("opening the activity log %s: %w", path, err)
	}
	return s, nil
}

func connect(path string, params url.Values) (*Store, error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("opening the activity log: %w", err)
	}
	db, err := sql.Open("sqlite", (&url.URL{
		Scheme:   "file",
		OmitHost: true,
		Path:     whole,
		RawQuery: params.Encode(),
	}).String())
	if err != nil {
		return nil, fmt.Errorf("opening the activity log: %w", err)
	}
	return &Store{db: db, path: whole}, nil
}

// prepare migrates the file, opens the key and finds the end of the chain, all in
// one transaction.
func (s *Store) prepare(ctx context.Context) (err error) {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	// Where there is a key already, there was a signed log; where the public half is, too,
	// there was a heads file, or a version that knew none.
	dir := filepath.Dir(s.path)
	_, keyless := os.Stat(filepath.Join(dir, ledger.KeyFile))
	_, unpublished := os.Stat(filepath.Join(dir, ledger.PublicFile))
	signed := false
	defer func() {
		if err != nil {
			_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
			conn.Close()
			if keyless != nil && !signed {
				ledger.RemoveKeys(dir) // nothing that they signed stays
			}
		}
	}()
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	was, err := migrate(ctx, conn)
	if err != nil {
		return err
	}
	if s.signer, err = ledger.OpenSigner(dir); err != nil {
		return err
	}
	s.keys = s.signer.Keys()
	w, err := newWriter(ctx, conn, s.signer)
	if err != nil {
		return err
	}
	if was < inPieces {
		if err := w.convert(ctx); err != nil {
			return err
		}
	}
	// Heads of the first version had no signatures.
	if err := w.findEnd(ctx, was == 1 && keyless != nil); err != nil {
		return err
	}
	signed = true
	if err := s.holdHeads(ctx, w, was, keyless == nil && unpublished == nil); err != nil {
		return err
	}
	if err := s.signer.Publish(dir); err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "COMMIT"); err != nil {
		return err
	}
	s.writer = w
	if err := w.run(ctx, writerCache); err != nil {
		return err
	}
	if err := setVacuum(ctx, conn); err != nil {
		return err
	}
	if s.reads, err = newReads(ctx, s.db); err != nil {
		return err
	}
	s.journal.start(s)
	return nil
}

// migrate brings the tables to the newest version. It returns the version that they
// were of.
func migrate(ctx context.Context, conn *sql.Conn) (was int, err error) {
	if err := conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&was); err != nil {
		return was, err
	}
	if err := checkFormat(was); err != nil {
		return was, err
	}
	for version := was; version < len(migrations); version++ {
		_, err := conn.ExecContext(ctx, migrations[version]+fmt.Sprintf(";PRAGMA user_version = %d", version+1))
		if err != nil {
			return was, fmt.Errorf("migration %d: %w", version+1, err)
		}
	}
	return was, nil
}

// setVacuum makes an older file, once, one whose free pages can be given back.
func setVacuum(ctx context.Context, conn *sql.Conn) error {
	var vacuum int
	if err := conn.QueryRowContext(ctx, "PRAGMA auto_vacuum").Scan(&vacuum); err != nil || vacuum == 2 {
		return err
	}
	_, err := conn.ExecContext(ctx, "PRAGMA auto_vacuum = 2; VACUUM")
	return err
}

// Close signs the end, writes the heads and closes the file.
func (s *Store) Close() error {
	s.mu.Lock()
	w := s.writer
	s.writer = nil
	s.mu.Unlock()
	var err error
	if w != nil {
		s.journal.stop()
		err = errors.Join(w.mark(context.Background(), ledger.ReasonStop, time.Now()), w.close(), s.heads.Close())
	}
	return errors.Join(err, s.db.Close())
}
