package postgres

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// Records per read, with and without their bodies.
const (
	recordsAtOnce = 64
	briefAtOnce   = 512
)

// query collects the conditions of a statement. Its arguments are numbered in order.
type query struct {
	conditions []string
	args       []any
	empty      bool // no record can match
}

// and adds a condition; each ? in it stands for the next value.
func (q *query) and(condition string, values ...any) {
	for _, v := range values {
		q.args = append(q.args, v)
		condition = strings.Replace(condition, "?", "$"+strconv.Itoa(len(q.args)), 1)
	}
	q.conditions = append(q.conditions, condition)
}

func (q *query) equal(column, value string) {
	if value != "" {
		q.and(column+" = ?", clean(value))
	}
}

// where returns the WHERE clause, or "" without conditions.
func (q *query) where() string {
	if len(q.conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(q.conditions, " AND ")
}

// place is the position of a record in the log's order.
type place struct {
	day time.Time
	pos int64
}

// conditions returns the conditions of a filter without its cursors.
func (s *Store) conditions(ctx context.Context, f ledger.Filter) (*query, error) {
	q := &query{}
	if f.Own && s.signer != nil {
		q.and("writer = ?", s.signer.ID())
	}
	if len(f.Types) > 0 {
		types := make([]string, len(f.Types))
		for i, t := range f.Types {
			types[i] = clean(string(t))
		}
		q.and("type = ANY(?)", types)
	}
	q.equal("server", f.Server)
	q.equal("tool", f.Tool)
	q.equal("status", string(f.Status))
	q.equal("decision", string(f.Decision))
	q.equal("rule", f.Rule)
	q.equal("principal", f.Principal)
	q.equal("flow_type", string(f.FlowType))
	q.equal("request", f.RequestID)
	q.equal("parent", f.ParentID)
	if f.Session != "" {
		q.and("(session = ? OR flow = ?)", clean(f.Session), clean(f.Session))
	}
	if f.RiskLevel != "" {
		q.and("risk >= ?", f.RiskLevel.Rank())
	}
	if f.Sensitive != nil {
		q.and("sensitive = ?", *f.Sensitive)
	}
	if f.DetectionType != "" {
		q.and("sensitive AND position(? in detections) > 0", ","+clean(f.DetectionType)+",")
	}
	if f.Severity != "" {
		q.and("sensitive AND severity >= ?", f.Severity.Rank())
	}
	return q, s.times(ctx, q, f)
}

// times adds the conditions on the time, and conditions that exclude partitions.
func (s *Store) times(ctx context.Context, q *query, f ledger.Filter) error {
	if f.Start.IsZero() && f.End.IsZero() {
		return nil
	}
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	if !f.Start.IsZero() {
		low = f.Start.UnixMicro()
		q.and("ts >= ?", low)
	}
	if !f.End.IsZero() {
		high = f.End.UnixMicro()
		q.and("ts <= ?", high)
	}
	var first, last *time.Time
	err := s.pool.QueryRow(ctx, "SELECT min(day), max(day) FROM mcpproxy_days WHERE high >= $1 AND low <= $2", low, high).
		Scan(&first, &last)
	if err != nil {
		return err
	}
	if first == nil {
		q.empty = true
		return nil
	}
	q.and("day BETWEEN ? AND ?", *first, *last)
	return nil
}

// placeOf returns the position of the record with an id.
func (s *Store) placeOf(ctx context.Context, id string) (p place, found bool, err error) {
	err = s.pool.QueryRow(ctx, "SELECT day, pos FROM mcpproxy_records WHERE id = $1 ORDER BY day, pos LIMIT 1", clean(id)).
		Scan(&p.day, &p.pos)
	if errors.Is(err, pgx.ErrNoRows) {
		return p, false, nil
	}
	return p, err == nil, err
}

// cursors adds the conditions of the filter's cursors.
func (s *Store) cursors(ctx context.Context, q *query, f ledger.Filter) error {
	for _, c := range []struct {
		id   string
		side func(*query, place)
	}{{f.Before, (*query).before}, {f.After, (*query).after}} {
		if c.id == "" {
			continue
		}
		at, found, err := s.placeOf(ctx, c.id)
		if err != nil {
			return err
		}
		if !found {
			q.empty = true
			return nil
		}
		c.side(q, at)
	}
	return nil
}

func (q *query) before(p place) { q.and("day <= ? AND (day, pos) < (?, ?)", p.day, p.day, p.pos) }

func (q *query) after(p place) { q.and("day >= ? AND (day, pos) > (?, ?)", p.day, p.day, p.pos) }

// Get returns one record.
func (s *Store) Get(ctx context.Context, id string) (*mcpproxy.Record, error) {
	var sealed ledger.Sealed
	err := s.pool.QueryRow(ctx, "SELECT "+sealedColumns+" FROM mcpproxy_records WHERE id = $1 ORDER BY pos LIMIT 1", clean(id)).
		Scan(sealedFields(&sealed)...)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ledger.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return sealed.Open()
}

// Scan calls f with every record that matches. It may omit a record that another gateway commits
// while Scan runs.
func (s *Store) Scan(ctx context.Context, f ledger.Filter, each func(*mcpproxy.Record) error) error {
	q, err := s.conditions(ctx, f)
	if err == nil {
		err = s.cursors(ctx, q, f)
	}
	if err != nil || q.empty {
		return err
	}
	size := recordsAtOnce
	if f.Brief {
		size = briefAtOnce
	}
	skip, left := f.Offset, f.Limit
	var at *place
	for {
		want := size
		if f.Limit > 0 {
			want = min(want, left)
		}
		found, last, err := s.page(ctx, *q, f, at, skip, want)
		if err != nil {
			return err
		}
		for i := range found {
			r, err := open(&found[i], f.Brief)
			if err == nil {
				err = each(r)
			}
			if err != nil {
				return err
			}
		}
		at = &last
		skip, left = 0, left-len(found)
		if f.Limit > 0 && left <= 0 || len(found) < want {
			return nil
		}
	}
}

func open(s *ledger.Sealed, brief bool) (*mcpproxy.Record, error) {
	r, err := s.Open()
	if err == nil && brief {
		r.Redacted = r.Redacted && s.Salt == nil
	}
	return r, err
}

// page reads one page of matches and the position of its last record.
func (s *Store) page(ctx context.Context, q query, f ledger.Filter, at *place, skip, want int) (
	found []ledger.Sealed, last place, err error) {
	q.conditions, q.args = q.conditions[:len(q.conditions):len(q.conditions)], q.args[:len(q.args):len(q.args)]
	order := " ORDER BY day DESC, pos DESC"
	side := (*query).before
	if f.OldestFirst {
		order, side = " ORDER BY day, pos", (*query).after
	}
	if at != nil {
		side(&q, *at)
	}
	columns := sealedColumns
	if f.Brief {
		columns = "form, prev, hash, body, salt, NULL::bytea, NULL::bytea"
	}
	rows, err := s.pool.Query(ctx, "SELECT day, pos, "+columns+" FROM mcpproxy_records"+q.where()+order+
		" LIMIT "+strconv.Itoa(want)+" OFFSET "+strconv.Itoa(skip), q.args...)
	if err != nil {
		return nil, last, err
	}
	defer rows.Close()
	for rows.Next() {
		var sealed ledger.Sealed
		if err := rows.Scan(append([]any{&last.day, &last.pos}, sealedFields(&sealed)...)...); err != nil {
			return nil, last, err
		}
		found = append(found, sealed)
	}
	return found, last, rows.Err()
}
