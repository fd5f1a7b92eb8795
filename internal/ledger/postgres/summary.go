package postgres

import (
	"context"
	"math"
	"strconv"
	"time"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// uncut returns a filter without the fields that only apply to pages.
func uncut(f ledger.Filter) ledger.Filter {
	f.Before, f.After = "", ""
	return f
}

// Count returns how many records match.
func (s *Store) Count(ctx context.Context, f ledger.Filter) (int, error) {
	return s.CountUpTo(ctx, f, math.MaxInt)
}

// CountUpTo counts like Count, but may stop when the count reaches most. Without conditions it uses the stored total.
func (s *Store) CountUpTo(ctx context.Context, f ledger.Filter, most int) (n int, err error) {
	q, err := s.conditions(ctx, uncut(f))
	if err != nil || q.empty {
		return 0, err
	}
	statement := "SELECT count(*) FROM mcpproxy_records" + q.where()
	switch {
	case len(q.conditions) == 0:
		statement = "SELECT coalesce(sum(records), 0)::bigint FROM mcpproxy_days"
	case most < math.MaxInt:
		statement = "SELECT count(*) FROM (SELECT FROM mcpproxy_records" + q.where() + " LIMIT " + strconv.Itoa(most) + ") AS matching"
	}
	err = s.pool.QueryRow(ctx, statement, q.args...).Scan(&n)
	return n, err
}

// groupings are the lists of a summary, with the expression that each counts by.
var groupings = []struct {
	expression string
	list       func(*ledger.Breakdown) *[]ledger.Value
	limit      int
}{
	{"type", func(b *ledger.Breakdown) *[]ledger.Value { return &b.Types }, 0},
	{"decision", func(b *ledger.Breakdown) *[]ledger.Value { return &b.Decisions }, 0},
	{"flow_type", func(b *ledger.Breakdown) *[]ledger.Value { return &b.FlowTypes }, 0},
	{"server", func(b *ledger.Breakdown) *[]ledger.Value { return &b.Servers }, ledger.Top},
	{
		"CASE WHEN tool = '' OR server = '' THEN tool ELSE server || ':' || tool END",
		func(b *ledger.Breakdown) *[]ledger.Value { return &b.Tools },
		ledger.Top,
	},
	{"rule", func(b *ledger.Breakdown) *[]ledger.Value { return &b.Rules }, ledger.Top},
	{detection, func(b *ledger.Breakdown) *[]ledger.Value { return &b.Detections }, ledger.Top},
}

// detection is the expression with one row for each kind of sensitive data in a record.
const detection = "unnest(string_to_array(trim(both ',' from detections), ','))"

// Summarize counts the matching records by their fields. All statements see the log at the same
// moment.
func (s *Store) Summarize(ctx context.Context, f ledger.Filter) (ledger.Breakdown, error) {
	b := emptyBreakdown()
	q, err := s.conditions(ctx, uncut(f))
	if err != nil || q.empty {
		return b, err
	}
	tx, err := s.snapshot(ctx)
	if err != nil {
		return b, err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // read-only transaction
	for _, g := range groupings {
		list, err := ranked(ctx, tx, g.expression, q, g.limit)
		if err != nil {
			return b, err
		}
		*g.list(&b) = list
	}
	if err := levels(ctx, tx, q, &b); err != nil {
		return b, err
	}
	return b, buckets(ctx, tx, q, &b)
}

func emptyBreakdown() ledger.Breakdown {
	b := ledger.Breakdown{
		Status:      map[mcpproxy.Status]int{},
		Risk:        map[mcpproxy.RiskLevel]int{},
		AtLeastRisk: map[mcpproxy.RiskLevel]int{},
		Buckets:     []ledger.Bucket{},
	}
	for _, status := range mcpproxy.Statuses {
		b.Status[status] = 0
	}
	for _, level := range mcpproxy.RiskLevels {
		b.Risk[level] = 0
		if level != mcpproxy.RiskNone {
			b.AtLeastRisk[level] = 0
		}
	}
	for _, g := range groupings {
		*g.list(&b) = []ledger.Value{}
	}
	return b
}

// ranked returns the values of an expression, most frequent first, or all values if limit is 0.
func ranked(ctx context.Context, db querier, expression string, q *query, limit int) ([]ledger.Value, error) {
	statement := "SELECT v, count(*) FROM (SELECT " + expression + " AS v FROM mcpproxy_records" + q.where() +
		") AS matching WHERE v <> '' GROUP BY v ORDER BY count(*) DESC, v COLLATE \"C\""
	if limit > 0 {
		statement += " LIMIT " + strconv.Itoa(limit)
	}
	rows, err := db.Query(ctx, statement, q.args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := []ledger.Value{}
	for rows.Next() {
		var v ledger.Value
		if err := rows.Scan(&v.Value, &v.Records); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// levels counts by status, risk and sensitive data.
func levels(ctx context.Context, db querier, q *query, b *ledger.Breakdown) error {
	rows, err := db.Query(ctx, "SELECT status, risk, sensitive, count(*) FROM mcpproxy_records"+q.where()+
		" GROUP BY status, risk, sensitive", q.args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var status string
		var risk, n int
		var sensitive bool
		if err := rows.Scan(&status, &risk, &sensitive, &n); err != nil {
			return err
		}
		b.Total += n
		b.Status[mcpproxy.Status(status)] += n
		for i, level := range mcpproxy.RiskLevels {
			if i == risk {
				b.Risk[level] += n
			}
			if i > 0 && i <= risk {
				b.AtLeastRisk[level] += n
			}
		}
		if status == string(mcpproxy.StatusBlocked) {
			b.Blocked += n
		}
		if sensitive {
			b.Sensitive += n
		}
	}
	return rows.Err()
}

// buckets counts over time.
func buckets(ctx context.Context, db querier, q *query, b *ledger.Breakdown) error {
	var low, high *int64
	err := db.QueryRow(ctx, "SELECT min(ts), max(ts) FROM mcpproxy_records"+q.where(), q.args...).Scan(&low, &high)
	if err != nil || low == nil {
		return err
	}
	width := ledger.BucketWidth(time.Duration(*high-*low) * time.Microsecond)
	per := width.Microseconds()
	first := floor(*low, per)
	b.Width = int(width / time.Second)
	b.Buckets = make([]ledger.Bucket, floor(*high, per)-first+1)
	for i := range b.Buckets {
		b.Buckets[i].Start = time.UnixMicro((first + int64(i)) * per).UTC()
	}
	args := append(q.args[:len(q.args):len(q.args)], per)
	number := "floor(ts::numeric / $" + strconv.Itoa(len(args)) + ")::bigint"
	rows, err := db.Query(ctx, "SELECT "+number+", count(*), count(*) FILTER (WHERE status = 'blocked'), "+
		"count(*) FILTER (WHERE risk >= "+strconv.Itoa(mcpproxy.RiskHigh.Rank())+") FROM mcpproxy_records"+q.where()+
		" GROUP BY 1", args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var at int64
		var n ledger.Bucket
		if err := rows.Scan(&at, &n.Total, &n.Blocked, &n.Risky); err != nil {
			return err
		}
		n.Start = b.Buckets[at-first].Start
		b.Buckets[at-first] = n
	}
	return rows.Err()
}

// floor returns a/b rounded down.
func floor(a, b int64) int64 {
	q := a / b
	if q*b > a {
		q--
	}
	return q
}

// valueFields maps the fields with lists of values to their expressions.
var valueFields = map[string]string{
	"type":           "type",
	"principal":      "principal",
	"server":         "server",
	"tool":           "tool",
	"status":         "status",
	"decision":       "decision",
	"rule":           "rule",
	"flow_type":      "flow_type",
	"risk_level":     "risk::text",
	"detection_type": detection,
	"severity":       "severity::text",
}

// Values lists the values of a field in the log.
func (s *Store) Values(ctx context.Context, field string, limit int) ([]ledger.Value, error) {
	if field == "session_id" {
		return s.sessions(ctx, limit)
	}
	expression, ok := valueFields[field]
	if !ok {
		return nil, ledger.ErrNoSuchField
	}
	out, err := ranked(ctx, s.pool, expression, &query{}, limit)
	switch field {
	case "risk_level":
		out = named(out, mcpproxy.RiskLevels)
	case "severity":
		out = named(out, mcpproxy.Severities)
	}
	return out, err
}

// named replaces ranks with their names and omits ranks without a name.
func named[T ~string](values []ledger.Value, names []T) []ledger.Value {
	out := []ledger.Value{}
	for _, v := range values {
		if rank, err := strconv.Atoi(v.Value); err == nil && rank >= 0 && rank < len(names) {
			out = append(out, ledger.Value{Value: string(names[rank]), Records: v.Records})
		}
	}
	return out
}

// sessions returns the sessions with the most records.
func (s *Store) sessions(ctx context.Context, limit int) ([]ledger.Value, error) {
	const both = `unnest(CASE WHEN session = flow THEN ARRAY[session] ELSE ARRAY[session, flow] END)`
	return ranked(ctx, s.pool, both, &query{}, limit)
}
