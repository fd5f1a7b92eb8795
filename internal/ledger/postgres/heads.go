package postgres

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/jackc/pgx/v5"

	"mcpproxy/internal/ledger"
)

// logName is the name of the log in breaks.
const logName = "activity log"

// Heads returns the writer of the heads file, which records outside the database where the chains
// ended. It is nil if the store is open for reading only.
func (s *Store) Heads() *ledger.HeadWriter { return s.heads }

// WithHeads reports true: a log in PostgreSQL always has a heads file.
func (s *Store) WithHeads() bool { return true }

// Moved returns an error if the chain that is open for writing was replaced by an older copy of itself.
func (s *Store) Moved() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.moved
}

// holdHeads compares the log with the heads file of this gateway, and then keeps the file up to
// date.
func (s *Store) holdHeads(ctx context.Context, folder string) (err error) {
	if s.heads, err = ledger.OpenHeads(filepath.Join(folder, ledger.HeadsFile), s.signer); err != nil {
		return err
	}
	var b *ledger.Break
	switch lost := s.heads.Lost; {
	case lost == nil:
		h := s.heads.Heads()
		problem, err := s.Against(ctx, &h)
		if err != nil {
			return err
		}
		if problem != "" {
			b = ledger.NewBreak(ledger.LogReplaced, logName, "%s", problem)
		}
	case s.chain.head.Seq > 0, !errors.Is(lost, ledger.ErrNoHeads):
		b = ledger.LostHeads(lost)
	}
	if b != nil {
		s.heads.Found(b)
		if s.heads.Lost != nil {
			s.heads.Forget()
		}
	}
	s.heads.Move(s.chain.head)
	return s.heads.Save()
}

// Against compares the log with heads that were read earlier: the chain of the gateway that wrote
// them, and the chains of the others that it has seen.
func (s *Store) Against(ctx context.Context, h *ledger.Heads) (problem string, err error) {
	tx, err := s.snapshot(ctx)
	if err != nil {
		return "", err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // read-only transaction
	writers, err := readWriters(ctx, tx)
	if err != nil {
		return "", err
	}
	if len(s.keys) > 0 {
		own := h.Key
		if own == "" { // heads from a witness, whose key was already compared with the store's
			own = ledger.KeyID(s.keys[0])
		}
		problem, err = headProblem(ctx, tx, writers, own, h.Log)
	}
	for id, r := range h.Replicas {
		if problem != "" || err != nil {
			break
		}
		if problem, err = headProblem(ctx, tx, writers, id, r.Head); problem != "" {
			problem = "the records of the gateway on " + r.Host + " (key " + id + "): " + problem
		}
	}
	return problem, err
}

// headProblem compares the chain of a gateway with an earlier end.
func headProblem(ctx context.Context, db querier, writers []writer, id string, h ledger.Head) (string, error) {
	var end ledger.Head
	for _, w := range writers {
		if w.id == id && w.head != nil {
			end = ledger.HeadOf(*w.head)
		}
	}
	return h.Problem(end, func(seq int64) (hash string, removed int64, err error) {
		err = db.QueryRow(ctx, `SELECT coalesce(max(seq), 0), coalesce(max(hash) FILTER (WHERE seq = $2), '')
			FROM mcpproxy_checkpoints WHERE writer = $1 AND reason = 'retention'`, id, seq).Scan(&removed, &hash)
		if err != nil || hash != "" {
			return hash, removed, err
		}
		err = db.QueryRow(ctx, "SELECT hash FROM mcpproxy_records WHERE writer = $1 AND seq = $2", id, seq).Scan(&hash)
		if errors.Is(err, pgx.ErrNoRows) {
			err = nil
		}
		return hash, removed, err
	})
}

// snapshot begins a transaction that reads a consistent state of the log.
func (s *Store) snapshot(ctx context.Context) (pgx.Tx, error) {
	return s.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
}
