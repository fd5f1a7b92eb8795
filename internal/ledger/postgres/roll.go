package postgres

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"mcpproxy/internal/ledger"
)

// RollEvery is how often each gateway reads and signs the ends of all chains.
const RollEvery = 15 * time.Second

// keepRoll signs the ends of all chains periodically until ctx ends.
func (s *Store) keepRoll(ctx context.Context) {
	tick := time.NewTicker(RollEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := s.callRoll(ctx); err != nil && ctx.Err() == nil {
			slog.Warn("the ends of the other gateways' chains cannot be read", "error", err)
		}
	}
}

// callRoll reads the ends of all chains, signs them, and stores them in the database and next to
// the log's key. It ignores an end that is not signed by its own key or that precedes a known end.
func (s *Store) callRoll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	writers, err := readWriters(ctx, s.pool)
	if err != nil {
		return err
	}
	seen := s.heads.Heads().Replicas
	if seen == nil {
		seen = map[string]ledger.Replica{}
	}
	changed := false
	for _, w := range writers {
		was, known := seen[w.id]
		if w.id == s.signer.ID() || w.id != ledger.KeyID(w.key) {
			continue
		}
		if !known {
			slog.Info("another gateway writes to the activity log", "key", w.id, "host", w.host)
			was = ledger.Replica{Key: w.key, Host: w.host}
		}
		if w.head != nil && (ledger.Keys{w.key}).Signed(*w.head) && w.head.Seq > was.Head.Seq {
			was.Head = ledger.HeadOf(*w.head)
			changed = true
		}
		seen[w.id] = was
		changed = changed || !known
	}
	if !changed {
		return nil
	}
	s.heads.Saw(seen)
	roll := s.signer.SignRoll(ledger.Roll{Replicas: seen})
	raw, err := json.Marshal(roll)
	if err != nil {
		return err
	}
	_, err = s.pool.Exec(ctx, `INSERT INTO mcpproxy_rolls VALUES ($1, $2) ON CONFLICT (writer) DO UPDATE SET body = excluded.body`,
		s.signer.ID(), raw)
	return err
}

// writer is a gateway that has written to the log.
type writer struct {
	id     string
	key    []byte
	host   string
	joined time.Time
	head   *ledger.Checkpoint // nil if it is missing
}

// readWriters reads the gateways and the ends of their chains.
func readWriters(ctx context.Context, db querier) ([]writer, error) {
	rows, err := db.Query(ctx, "SELECT writer, key, host, joined FROM mcpproxy_writers ORDER BY joined, writer")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []writer
	at := map[string]int{}
	for rows.Next() {
		var w writer
		if err := rows.Scan(&w.id, &w.key, &w.host, &w.joined); err != nil {
			return nil, err
		}
		at[w.id], all = len(all), append(all, w)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	rows, err = db.Query(ctx, "SELECT writer, "+headColumns+" FROM mcpproxy_heads")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		head, err := scanCheckpoint(rows, &id)
		if err != nil {
			return nil, err
		}
		if i, ok := at[id]; ok {
			all[i].head = &head
		}
	}
	return all, rows.Err()
}
