// Package sqlite stores the activity log in one SQLite file.
//
// Records are stored in pieces: a row of the file contains some tens of records, each byte for byte
// as it was hashed, with its arguments and response next to it. All other data in the file serves
// searches. The searchable fields of each record are stored next to it. For every block of 512
// records, and every segment of 64 blocks, the file contains the period, the number of records of
// each kind, and the blocks in which a term occurs: a session, or the id of a request. A search
// goes from segments to blocks to records and skips those without a match. Single records have no
// index entries, which makes writing fast. Verify compares all of this data with the records.
//
// The file uses WAL mode with full synchronisation: records survive a power cut once Append has
// returned. Every transaction signs the end of the chain.
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

// migrations, in order; PRAGMA user_version counts those applied. The fourth changes no table: it
// marks a log whose records may have the form [ledger.FormKeyed] and whose end is also stored in
// [ledger.HeadsFile].
var migrations = []string{firstMigration, secondMigration, thirdMigration, ""}

// Formats of the log, as counted by user_version.
const (
	inPieces  = 3 // first format with the current tables
	withHeads = 4 // first format with a heads file
)

// Store is a ledger.Store in a SQLite file.
type Store struct {
	db     *sql.DB
	reads  *reads
	path   string
	keys   ledger.Keys // keys that verification trusts
	signer *ledger.Signer
	heads  *ledger.HeadWriter // nil if the store is open for reading only
	opened os.FileInfo        // the file that is open for writing
	format int                // format of the log when it was opened

	// mu is held during writes.
	mu     sync.Mutex
	writer *writer // nil if the store is open for reading only
	clock  ledger.Clock

	journal journal
}

// pragmas of every connection. auto_vacuum, which allows returning the space of removed records,
// only works if it is set before the first table is created.
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

// writerCache is the cache of the writing connection, in KiB. It is large enough for all pages that
// a group of records touches. (With the default of 2 MB, pages of a large group are written, read back
// and written again.) A larger cache makes writing no faster, and fills with pages that are not needed
// again. Each cached page takes 9 KB of memory: the allocator divides memory into pieces of 8 KB here, and
// a page and its header have 4.3 KB.
const writerCache = "PRAGMA cache_size = -8192"

// maxIdle is how many idle connections stay open.
const maxIdle = 2

// Open opens the file at path and the signing key in the same folder. It creates both (mode 0600)
// if they are missing. It converts a log of an older version.
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

// Path returns the path of the log's file.
func (s *Store) Path() string { return s.path }

// Keys returns the keys that verification trusts.
func (s *Store) Keys() ledger.Keys { return s.keys }

// Shrink releases the memory of cached pages, which are read again when needed.
func (s *Store) Shrink() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writer != nil {
		if err := s.writer.run(context.Background(), "PRAGMA shrink_memory"); err != nil {
			slog.Warn("the activity log could not give back its memory", "error", err)
		}
	}
	s.db.SetMaxIdleConns(0) // closes the connections for reading
	s.db.SetMaxIdleConns(maxIdle)
}

// ErrOldLog says that a log must be opened for writing once, which converts it.
var ErrOldLog = errors.New("an older version of mcpproxy wrote the log")

// ErrNoLog says that a file exists but contains no log.
var ErrNoLog = errors.New("there is no log in the file: it is empty")

// ErrNewLog says that a log was written by a newer version of mcpproxy than this one.
var ErrNewLog = errors.New("the log was written by a newer version of mcpproxy")

// checkFormat returns an error unless this program supports the format of the log.
func checkFormat(version int) error {
	if version <= len(migrations) {
		return nil
	}
	return fmt.Errorf("%w: it has format %d, and this mcpproxy reads formats up to %d; "+
		"use a version of mcpproxy that reads format %d", ErrNewLog, version, len(migrations), version)
}

// OpenReader opens an existing log for reading, while a daemon may be writing to it. Verification
// trusts the given keys. It fails with ErrOldLog if the log must be converted first.
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

// prepare migrates the file, opens the key and finds the end of the chain, in one transaction.
func (s *Store) prepare(ctx context.Context) (err error) {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	// An existing key means that there was a signed log. An existing public key means that there
	// was a heads file, or a version without heads files.
	dir := filepath.Dir(s.path)
	_, keyless := os.Stat(filepath.Join(dir, ledger.KeyFile))
	_, unpublished := os.Stat(filepath.Join(dir, ledger.PublicFile))
	signed := false
	defer func() {
		if err != nil {
			_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
			conn.Close()
			if keyless != nil && !signed {
				ledger.RemoveKeys(dir) // records signed by the new keys were rolled back
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

// migrate updates the tables to the newest version. It returns their previous version.
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

// setVacuum converts an older file once, so that its free pages can be returned.
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
