package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	driver "modernc.org/sqlite"

	"mcpproxy/internal/ledger"
)

// Walked walks a log once. The result holds the state with which records can be checked repeatedly, and the first
// error.
func Walked(ctx context.Context, s *Store) (problem func() string, err error) {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	v := newVerifier(tx, s.keys, Check{})
	for _, step := range []func(context.Context) error{v.readMarks, v.readKinds, v.readScopes, v.walk, v.checkEnd} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return func() string {
		again, err := s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return err.Error()
		}
		defer again.Rollback()
		v.tx, v.rep = again, ledger.Report{OK: true}
		if err := v.checkCounts(ctx); err != nil {
			return err.Error()
		}
		return v.rep.Problem
	}, nil
}

// Stored is a record as a piece stores it, for tests that forge records.
type Stored struct {
	Seq    int64
	Row    []byte // its part of rows
	Sealed *ledger.Sealed
}

// Unpack reads a piece.
func Unpack(first int64, prev string, rows, bodies, beside []byte) ([]Stored, error) {
	p := piece{
		first:  first,
		prev:   prev,
		rows:   rows,
		bodies: bodies,
		beside: beside,
	}
	sealed, err := p.sealed()
	lines, _ := parts(rows)
	var all []Stored
	for i := range sealed {
		all = append(all, Stored{first + int64(i), lines[i], &sealed[i]})
	}
	return all, err
}

// Pack writes a piece.
func Pack(all []Stored) (first int64, prev string, rows, bodies, beside []byte) {
	var p packer
	for i, s := range all {
		p.add(s.Seq, nil, s.Sealed)
		if i == 0 {
			p.piece.rows = nil
		}
		rows = addPart(rows, s.Row)
	}
	return p.first, p.prev, rows, p.bodies, p.beside
}

// Renamed returns a row with another record id.
func Renamed(part []byte, id string) []byte {
	r, _ := readRow(0, string(part))
	r.id = id
	return r.append(nil)
}

// PartAt returns the part of a column that contains a byte.
func PartAt(column []byte, at int) (n int) {
	all, _ := parts(column)
	end := 0
	for i, p := range all {
		if end += len(addPart(nil, p)); at < end {
			return i
		}
	}
	return -1
}

// SplitsParts passes the same bytes to every decoder of a piece's columns.
func SplitsParts(column []byte) {
	rows, _ := parts(string(column))
	for _, p := range rows {
		readRow(1, p)
	}
	bodies, _ := parts(column)
	for _, p := range bodies {
		var s ledger.Sealed
		readBody(p)
		readBeside(p, &s)
	}
	p := piece{
		first:  1,
		rows:   column,
		bodies: column,
		beside: column,
	}
	_, _ = p.sealed()
	_ = readCounts(column, func(int64, int64) {})
	hasTerm(column, 7)
	blocksOf(column, 7)
}

// LimitPages makes the file full at n pages; 0 means no limit. The limit is SQLite's own, so
// that writing fails as on a full disk.
func LimitPages(ctx context.Context, s *Store, n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n == 0 {
		n = 1 << 30
	}
	var now int
	return s.writer.conn.QueryRowContext(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", n)).Scan(&now)
}

// CacheUsed returns how many bytes of pages the writing connection has cached.
func CacheUsed(s *Store) (used int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.writer.conn.Raw(func(conn any) error {
		used, _, err = conn.(driver.DBStatus).Status(driver.DBStatusCacheUsed, false)
		return err
	})
	return used, err
}
