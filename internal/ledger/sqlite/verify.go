package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"mcpproxy/internal/ledger"
)

// Check holds the options of a verification.
type Check = ledger.Check

// Verify verifies the chain and compares all data in the file with its records.
func (s *Store) Verify(ctx context.Context) (ledger.Report, error) { return s.Check(ctx, Check{}) }

// Check is Verify with options.
func (s *Store) Check(ctx context.Context, how Check) (ledger.Report, error) {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}) // one snapshot of the file
	if err != nil {
		return ledger.Report{}, err
	}
	defer tx.Rollback()
	v := newVerifier(tx, s.keys, how)
	for _, step := range []func(context.Context) error{v.readMarks, v.readKinds, v.readScopes, v.walk,
		v.checkEnd, v.checkCounts} {
		if err := step(ctx); err != nil || !v.rep.OK {
			return v.rep, err
		}
	}
	return v.rep, nil
}

// verifier verifies one snapshot of the file.
type verifier struct {
	tx    *sql.Tx
	keys  ledger.Keys
	how   Check
	rep   ledger.Report
	kinds map[int64]recordKind
	want  *wanted // counts of the verified records

	scopes map[int64]string // names of scopes

	head     *ledger.Checkpoint
	marks    []ledger.Checkpoint // in the order of the log
	redacted int64               // bodies may be missing up to this record
	first    int64               // first record to verify
	prev     string              // hash of the record before
	last     int64               // last verified record
	lastID   string
}

func newVerifier(tx *sql.Tx, keys ledger.Keys, how Check) *verifier {
	return &verifier{
		tx:     tx,
		keys:   keys,
		how:    how,
		kinds:  map[int64]recordKind{},
		scopes: map[int64]string{},
		want:   newWanted(),
		rep:    ledger.Report{OK: true},
	}
}

func (v *verifier) fail(id, format string, args ...any) {
	v.rep.OK = false
	v.rep.BadID = id
	v.rep.Problem = fmt.Sprintf(format, args...)
}

// readMarks checks the signatures and determines where to begin.
func (v *verifier) readMarks(ctx context.Context) error {
	const columns = "id, hash, count, time, key, signature FROM "
	heads, err := readCheckpoints(ctx, v.tx, "SELECT seq, 'head', "+columns+"head")
	if err != nil {
		return err
	}
	v.marks, err = readCheckpoints(ctx, v.tx, "SELECT seq, reason, "+columns+"checkpoints ORDER BY seq, reason, hash")
	if err != nil {
		return err
	}
	if len(heads) > 0 {
		v.head = &heads[0]
	}
	for _, c := range append(slices.Clone(v.marks), heads...) {
		if !v.keys.Signed(c) {
			v.fail(
				c.ID,
				"the checkpoint at this record is not signed by this log's key: the log was changed, or its key was",
			)
			return nil
		}
	}
	for _, c := range v.marks {
		switch {
		case c.Reason == ledger.ReasonRetention:
			v.first = c.Seq
			v.prev = c.Hash
			v.rep.Removed = c.Seq
		case c.Reason == ledger.ReasonRedaction:
			v.redacted = c.Seq
		case v.how.SinceCheckpoint:
			v.first = c.Seq
			v.prev = c.Hash
			v.rep.Since = c.ID
		}
	}
	if v.rep.Since != "" { // the signed record itself must exist
		v.first--
	}
	v.first++
	return nil
}

// readKinds reads the kinds and scopes that rows refer to.
func (v *verifier) readKinds(ctx context.Context) error {
	rows, err := v.tx.QueryContext(ctx, "SELECT kind, "+strings.Join(kindColumns, ", ")+" FROM kinds")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var k recordKind
		var n int64
		if err := rows.Scan(append([]any{&n}, k.fields()...)...); err != nil {
			return err
		}
		v.kinds[n] = k
	}
	return rows.Err()
}

func (v *verifier) readScopes(ctx context.Context) error {
	return eachRowOf(ctx, v.tx, "SELECT scope, name FROM scopes", nil, func(rows *sql.Rows) (bool, error) {
		var n int64
		var name string
		err := rows.Scan(&n, &name)
		v.scopes[n] = name
		return true, err
	})
}
