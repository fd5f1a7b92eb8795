package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"

	"mcpproxy/internal/ledger"
)

// Heads returns the writer of the heads file, which records outside the log where the log ended. It
// is nil if the store is open for reading only.
func (s *Store) Heads() *ledger.HeadWriter { return s.heads }

// WithHeads reports whether the log was written by a version that keeps a heads file.
func (s *Store) WithHeads() bool { return s.format >= withHeads }

// Moved returns an error if the open log is no longer the file at its path, because somebody has
// removed or replaced it.
func (s *Store) Moved() error {
	now, err := os.Stat(s.path)
	if err == nil && !os.SameFile(s.opened, now) {
		err = errors.New("another file is in its place")
	}
	return err
}

// holdHeads compares the log with the heads file and then keeps the file up to date. It writes the
// file before the transaction that creates a new log ends. The file names only records that are on
// disk. After a crash at any moment the two files agree.
func (s *Store) holdHeads(ctx context.Context, w *writer, was int, published bool) (err error) {
	dir := filepath.Dir(s.path)
	if s.heads, err = ledger.OpenHeads(filepath.Join(dir, ledger.HeadsFile), s.signer); err != nil {
		return err
	}
	b, err := s.headsProblem(ctx, w, was, published)
	if err != nil {
		return err
	}
	if b != nil {
		s.heads.Found(b)
		if s.heads.Lost != nil {
			s.heads.Forget()
		}
	}
	s.heads.Move(w.head)
	return s.heads.Save()
}

// headsProblem returns the disagreement between the log and the heads file, or nil.
func (s *Store) headsProblem(ctx context.Context, w *writer, was int, published bool) (*ledger.Break, error) {
	name := filepath.Base(s.path)
	switch lost := s.heads.Lost; {
	case lost == nil:
		problem, err := s.heads.Heads().Log.Problem(ledger.HeadOf(w.head), hashIn(ctx, w.conn, s.keys))
		if problem == "" || err != nil {
			return nil, err
		}
		return ledger.NewBreak(ledger.LogReplaced, name, "%s", problem), nil
	case errors.Is(lost, ledger.ErrNoHeads) && was == 0 && published:
		return ledger.NewBreak(ledger.LogReplaced, name, "the activity log was removed or emptied, and %s with it: "+
			"the key that signed them is there, and the log is new", ledger.HeadsFile), nil
	case !errors.Is(lost, ledger.ErrNoHeads), was >= withHeads:
		return ledger.LostHeads(lost), nil
	}
	return nil, nil // the first start, or the first with a version that writes the file
}

// Against compares the log with heads that were read earlier. It returns what is wrong as a
// sentence, or "".
func (s *Store) Against(ctx context.Context, h *ledger.Heads) (problem string, err error) {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return "", err
	}
	defer tx.Rollback()
	var end ledger.Checkpoint
	heads, err := readCheckpoints(ctx, tx, "SELECT seq, 'head', id, hash, count, time, key, signature FROM head")
	if err != nil {
		return "", err
	}
	if len(heads) > 0 {
		end = heads[0]
	}
	return h.Log.Problem(ledger.HeadOf(end), hashIn(ctx, tx, s.keys))
}

// hashIn returns a function for [ledger.Head.Problem].
func hashIn(ctx context.Context, db querier, keys ledger.Keys) func(seq int64) (string, int64, error) {
	return func(seq int64) (hash string, removed int64, err error) {
		const removals = "SELECT seq, reason, id, hash, count, time, key, signature FROM checkpoints WHERE reason = 'retention'"
		marks, err := readCheckpoints(ctx, db, removals)
		if err != nil {
			return "", 0, err
		}
		for _, c := range marks {
			if !keys.Signed(c) || c.Seq < removed {
				continue
			}
			if removed = c.Seq; c.Seq == seq {
				hash = c.Hash
			}
		}
		if hash != "" {
			return hash, removed, nil
		}
		const piecesAt = "SELECT first, bodies FROM pieces WHERE first <= ? ORDER BY first DESC LIMIT 1"
		err = eachRowOf(ctx, db, piecesAt, []any{seq}, func(rows *sql.Rows) (bool, error) {
			var p piece
			if err := rows.Scan(&p.first, &p.bodies); err != nil {
				return false, err
			}
			bodies, _ := parts(p.bodies)
			if at := seq - p.first; at < int64(len(bodies)) {
				body, _ := readBody(bodies[at])
				hash = body.Hash
			}
			return false, nil
		})
		return hash, removed, err
	}
}
