package postgres

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// tokenPrefix marks enrolment tokens, so that scanners for secrets find them.
const tokenPrefix = "mcphub_"

// longestName is the maximum length, in bytes, of a stored text that describes a machine, such as its name or version.
const longestName = 128

// short truncates a text that describes a machine to longestName bytes, and replaces what the database cannot
// store.
func short(s string) string { return clean(s[:min(len(s), longestName)]) }

// MakeToken makes a token with which one machine can enroll until it expires. The database has only
// its digest.
func (r *Receiver) MakeToken(ctx context.Context, note string, life time.Duration) (string, error) {
	raw := make([]byte, 32)
	rand.Read(raw) // never fails
	secret := tokenPrefix + base64.RawURLEncoding.EncodeToString(raw)
	_, err := r.pool.Exec(ctx, "INSERT INTO mcpproxy_tokens (hash, note, expires) VALUES ($1, $2, now() + $3)",
		digest(secret), short(note), life)
	if err != nil {
		return "", fmt.Errorf("making an enrolment token: %w", err)
	}
	return secret, nil
}

func digest(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// Enrolment is a machine's request to enroll.
type Enrolment struct {
	Token   string
	Key     ed25519.PublicKey
	Name    string
	Version string
	Request int64
	// Begin is the signed head of the new chain, which has no records.
	Begin ledger.Checkpoint
}

// Enroll enrolls a machine and uses up the token. If the machine was enrolled before, it keeps its
// chain, and is no longer revoked. Enroll returns the head of the chain.
func (r *Receiver) Enroll(ctx context.Context, e *Enrolment) (end ledger.Head, err error) {
	keys := ledger.Keys{e.Key}
	if b := e.Begin; len(e.Key) != ed25519.PublicKeySize || b.Seq != 0 || b.Hash != "" ||
		b.Reason != ledger.ReasonHead || !keys.Signed(b) {
		return end, fmt.Errorf("%w: the head of the new chain is not signed by the machine", ErrForged)
	}
	id := ledger.KeyID(e.Key)
	err = pgx.BeginFunc(ctx, r.pool, func(tx pgx.Tx) error {
		used, err := tx.Exec(ctx, `UPDATE mcpproxy_tokens SET used = now(), used_by = $2
			WHERE hash = $1 AND used IS NULL AND expires > now()`, digest(e.Token), id)
		if err != nil {
			return err
		}
		if used.RowsAffected() != 1 {
			return ErrToken
		}
		var own bool // whether the key is that of a gateway of this database
		err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM mcpproxy_writers WHERE writer = $1)
			AND NOT EXISTS (SELECT FROM mcpproxy_machines WHERE writer = $1)`, id).Scan(&own)
		if err != nil {
			return err
		}
		if own {
			return fmt.Errorf("%w: the machine's key belongs to a gateway that writes to the hub's database", ErrForged)
		}
		b := e.Begin
		for _, s := range []struct {
			sql  string
			args []any
		}{
			{`INSERT INTO mcpproxy_writers (writer, key, host) VALUES ($1, $2, $3)
				ON CONFLICT (writer) DO UPDATE SET host = excluded.host`, []any{id, []byte(e.Key), short(e.Name)}},
			{`INSERT INTO mcpproxy_heads (writer, day, seq, id, hash, count, time, key, signature)
				VALUES ($1, 'epoch', 0, '', '', $2, $3, $4, $5) ON CONFLICT (writer) DO NOTHING`,
				[]any{id, b.Count, b.Time.UnixMicro(), b.Key, b.Signature}},
			{`INSERT INTO mcpproxy_machines AS m (writer, version, request) VALUES ($1, $2, $3)
				ON CONFLICT (writer) DO UPDATE SET version = excluded.version, revoked = NULL, seen = now(),
				request = greatest(m.request, excluded.request)`, []any{id, short(e.Version), e.Request}},
		} {
			if _, err := tx.Exec(ctx, s.sql, s.args...); err != nil {
				return err
			}
		}
		head, err := scanCheckpoint(tx.QueryRow(ctx, "SELECT "+headColumns+" FROM mcpproxy_heads WHERE writer = $1", id))
		end = ledger.HeadOf(head)
		return err
	})
	return end, err
}

// Revoke ends the enrolment of a machine. The machine is given by its id, or by its name if no other
// machine has the same name. Its records stay.
func (r *Receiver) Revoke(ctx context.Context, machine string) (ledger.Machine, error) {
	all, err := r.Machines(ctx)
	if err != nil {
		return ledger.Machine{}, err
	}
	var found []ledger.Machine
	for _, m := range all {
		if m.ID == machine {
			found = []ledger.Machine{m}
			break
		}
		if m.Name == machine {
			found = append(found, m)
		}
	}
	if len(found) > 1 {
		return ledger.Machine{}, fmt.Errorf("%d machines are called %s: name one by its id", len(found), machine)
	}
	if len(found) == 0 {
		return ledger.Machine{}, fmt.Errorf("%s: %w", machine, ErrNoMachine)
	}
	_, err = r.pool.Exec(ctx, "UPDATE mcpproxy_machines SET revoked = coalesce(revoked, now()) WHERE writer = $1",
		found[0].ID)
	return found[0], err
}

// Machine returns a machine by its id, or ErrNoMachine.
func (r *Receiver) Machine(ctx context.Context, id string) (m ledger.Machine, err error) {
	m.ID = id
	err = r.pool.QueryRow(ctx, `SELECT key, host, version, enrolled, seen, revoked FROM mcpproxy_machines
		JOIN mcpproxy_writers USING (writer) WHERE writer = $1`, clean(id)).
		Scan((*[]byte)(&m.Key), &m.Name, &m.Version, &m.Enrolled, &m.Seen, &m.Revoked)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && ledger.KeyID(m.Key) != id {
		err = ErrNoMachine
	}
	return m, err
}

// Machines returns all machines, sorted by the time of their last request, the oldest first.
func (r *Receiver) Machines(ctx context.Context) ([]ledger.Machine, error) {
	rows, err := r.pool.Query(ctx, `SELECT writer, host, version, enrolled, seen, revoked, seq,
		(SELECT max(high) FROM mcpproxy_days d WHERE d.writer = m.writer)
		FROM mcpproxy_machines m JOIN mcpproxy_writers USING (writer) JOIN mcpproxy_heads USING (writer) ORDER BY seen, writer`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []ledger.Machine
	for rows.Next() {
		var m ledger.Machine
		var last *int64
		err := rows.Scan(&m.ID, &m.Name, &m.Version, &m.Enrolled, &m.Seen, &m.Revoked, &m.Records, &last)
		if err != nil {
			return nil, err
		}
		if last != nil {
			m.Last = time.UnixMicro(*last).UTC()
		}
		all = append(all, m)
	}
	return all, rows.Err()
}

// newTools finds the tools that are new since a time. $1 is the day of that time, $2 the time, and $3 are the types of
// records in which a tool is named. In the partitions since that day, it finds each tool with one look-up in the index
// by server and tool. For each of them, the same index says whether an older record exists. The records of tools that
// are not new are not read.
const newTools = `WITH RECURSIVE recent AS (
	(SELECT server, tool FROM mcpproxy_records WHERE day >= $1 AND server <> '' ORDER BY server, tool LIMIT 1)
	UNION ALL
	SELECT n.server, n.tool FROM recent r CROSS JOIN LATERAL (SELECT server, tool FROM mcpproxy_records
		WHERE day >= $1 AND server <> '' AND (server, tool) > (r.server, r.tool) ORDER BY server, tool LIMIT 1) n
), fresh AS MATERIALIZED (
	SELECT server, tool FROM recent t
	WHERE (SELECT true FROM mcpproxy_records r WHERE r.server = t.server AND r.tool = t.tool AND server <> ''
			AND type = ANY($3) AND day < $1 LIMIT 1) IS NULL
		AND (SELECT true FROM mcpproxy_records r WHERE r.server = t.server AND r.tool = t.tool AND server <> ''
			AND type = ANY($3) AND day >= $1 AND ts < $2 LIMIT 1) IS NULL
)
SELECT server, tool, first, calls, machines, coalesce(host, ''),
	(SELECT true FROM mcpproxy_records r WHERE r.server = t.server AND server <> ''
		AND type = ANY($3) AND day < $1 LIMIT 1) IS NULL
	AND (SELECT true FROM mcpproxy_records r WHERE r.server = t.server AND server <> ''
		AND type = ANY($3) AND day >= $1 AND ts < $2 LIMIT 1) IS NULL
FROM fresh t CROSS JOIN LATERAL (SELECT min(ts) AS first, count(*) AS calls, count(DISTINCT writer) AS machines,
		(array_agg(writer ORDER BY ts, pos))[1] AS writer
	FROM mcpproxy_records r WHERE r.server = t.server AND r.tool = t.tool AND server <> ''
		AND type = ANY($3) AND day >= $1 HAVING count(*) > 0) c
LEFT JOIN mcpproxy_writers USING (writer) ORDER BY first DESC, server, tool`

// NewTools returns the tools that no machine had called before a time, as far as the log goes back,
// the newest first.
func (r *Receiver) NewTools(ctx context.Context, since time.Time) ([]ledger.Sighting, error) {
	rows, err := r.pool.Query(ctx, newTools, dayOf(since), since.UnixMicro(), toolTypes)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []ledger.Sighting
	for rows.Next() {
		var s ledger.Sighting
		var first int64
		if err := rows.Scan(&s.Server, &s.Tool, &first, &s.Calls, &s.Machines, &s.By, &s.NewServer); err != nil {
			return nil, err
		}
		s.First = time.UnixMicro(first).UTC()
		all = append(all, s)
	}
	return all, rows.Err()
}

// RepeatedApprovals returns the tools whose calls people approved at least the given number of times
// since a time, those with the most approvals first. They are candidates for the approvals of the next
// bundle.
func (r *Receiver) RepeatedApprovals(ctx context.Context, since time.Time, least int) ([]ledger.Approvals, error) {
	rows, err := r.pool.Query(ctx, `SELECT server, tool, rule, count(*), count(DISTINCT writer), max(ts)
		FROM mcpproxy_records WHERE type = $1 AND decision = $2 AND ts >= $3 AND day >= $5 GROUP BY server, tool, rule
		HAVING count(*) >= $4 ORDER BY count(*) DESC, server, tool, rule`,
		string(mcpproxy.RecordApproval), string(mcpproxy.Allow), since.UnixMicro(), least, dayOf(since))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []ledger.Approvals
	for rows.Next() {
		var a ledger.Approvals
		var last int64
		if err := rows.Scan(&a.Server, &a.Tool, &a.Rule, &a.Approved, &a.Machines, &last); err != nil {
			return nil, err
		}
		a.Last = time.UnixMicro(last).UTC()
		all = append(all, a)
	}
	return all, rows.Err()
}
