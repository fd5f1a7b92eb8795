// Package sqlite keeps the activity log in one SQLite file.
//
// Rows are narrow so that filters and counts stay fast; the record itself lies
// in a side table, byte for byte as it was hashed. The file is in WAL mode with
// full synchronisation: what Append has returned for survives a power cut.
package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

//go:embed 001_records.sql
var firstMigration string

// migrations, in order; PRAGMA user_version counts those applied.
var migrations = []string{firstMigration}

// Store is a ledger.Store in a SQLite file.
type Store struct {
	db   *sql.DB
	seq  int64  // of the last record; only Append touches it
	head string // hash of the last record
}

// Open opens the file at path, making it (mode 0600) when there is none.
func Open(ctx context.Context, path string) (*Store, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the activity log: %w", err)
	}
	f.Close()
	params := url.Values{"_pragma": {"journal_mode(WAL)", "synchronous(FULL)", "busy_timeout(5000)", "temp_store(MEMORY)"}}
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("opening the activity log: %w", err)
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: whole, RawQuery: params.Encode()}).String())
	if err != nil {
		return nil, fmt.Errorf("opening the activity log: %w", err)
	}
	s := &Store{db: db}
	if err := s.prepare(ctx); err != nil {
		db.Close()
		return nil, fmt.Errorf("preparing the activity log %s: %w", path, err)
	}
	return s, nil
}

// prepare migrates the file and finds the end of the chain.
func (s *Store) prepare(ctx context.Context) error {
	var version int
	if err := s.db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	for ; version < len(migrations); version++ {
		script := "BEGIN;" + migrations[version] + fmt.Sprintf(";PRAGMA user_version = %d;COMMIT;", version+1)
		if _, err := s.db.ExecContext(ctx, script); err != nil {
			return fmt.Errorf("migration %d: %w", version+1, err)
		}
	}
	err := s.db.QueryRowContext(ctx, "SELECT seq, hash FROM bodies ORDER BY seq DESC LIMIT 1").Scan(&s.seq, &s.head)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}

// Close closes the file.
func (s *Store) Close() error { return s.db.Close() }

// Append seals and keeps records. It is called by one goroutine at a time.
func (s *Store) Append(ctx context.Context, records []*mcpproxy.Record) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	row, err := tx.PrepareContext(ctx, insertRow)
	if err != nil {
		return err
	}
	defer row.Close()
	seq, head := s.seq, s.head
	for _, r := range records {
		body, hash, err := ledger.Seal(head, r)
		if err != nil {
			return err
		}
		seq++
		if _, err := row.ExecContext(ctx, append([]any{seq}, columns(r)...)...); err != nil {
			return fmt.Errorf("record %s: %w", r.ID, err)
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO bodies (seq, body, prev, hash) VALUES (?, ?, ?, ?)", seq, body, head, hash); err != nil {
			return fmt.Errorf("record %s: %w", r.ID, err)
		}
		head = hash
	}
	if _, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO head (one, seq, hash) VALUES (1, ?, ?)", seq, head); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	s.seq, s.head = seq, head
	return nil
}

// Get returns one record.
func (s *Store) Get(ctx context.Context, id string) (*mcpproxy.Record, error) {
	var body []byte
	var prev, hash string
	err := s.db.QueryRowContext(ctx, "SELECT body, prev, hash FROM bodies JOIN records USING (seq) WHERE id = ?", id).Scan(&body, &prev, &hash)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ledger.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return ledger.Open(body, prev, hash)
}

// Scan calls f with every record that matches.
func (s *Store) Scan(ctx context.Context, q ledger.Filter, f func(*mcpproxy.Record) error) error {
	where, args := conditions(q)
	order := "DESC"
	if q.OldestFirst {
		order = "ASC"
	}
	query := "SELECT body, prev, hash FROM records JOIN bodies USING (seq)" + where + " ORDER BY records.seq " + order
	if q.Limit > 0 || q.Offset > 0 {
		limit := q.Limit
		if limit <= 0 {
			limit = -1 // SQLite's word for none
		}
		query += fmt.Sprintf(" LIMIT %d OFFSET %d", limit, q.Offset)
	}
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var body []byte
		var prev, hash string
		if err := rows.Scan(&body, &prev, &hash); err != nil {
			return err
		}
		r, err := ledger.Open(body, prev, hash)
		if err != nil {
			return err
		}
		if err := f(r); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Count returns how many records match.
func (s *Store) Count(ctx context.Context, q ledger.Filter) (int, error) {
	where, args := conditions(q)
	var n int
	err := s.db.QueryRowContext(ctx, "SELECT count(*) FROM records"+where, args...).Scan(&n)
	return n, err
}
