package sqlite

import (
	"container/heap"
	"context"
	"database/sql"
	"errors"
)

// merge reads the numbers of several kinds' records in order, up to n of them. A
// kind is looked at only when its newest record may be among them.
func (s *Store) merge(ctx context.Context, p *plan, at int64, n int) (out []int64, err error) {
	window, span := p.window(at)
	w := &where{[]string{"kind = ?", window}, append([]any{0}, span...)}
	if p.timed {
		w.and("ts BETWEEN ? AND ?", p.start, p.end)
	}
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	stmt, err := conn.PrepareContext(ctx, "SELECT seq FROM records INDEXED BY records_kind"+w.String()+p.order()+" LIMIT ?")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stmt.Close()) }()
	m := &merger{ctx: ctx, stmt: stmt, args: w.args, oldest: p.oldest}
	waiting := p.kinds
	for len(out) < n {
		for len(waiting) > 0 && (p.oldest || m.Len() == 0 || waiting[0].last >= m.lists[0].head()) {
			if err := m.open(waiting[0].number); err != nil {
				return nil, err
			}
			waiting = waiting[1:]
		}
		if m.Len() == 0 {
			return out, nil
		}
		out = append(out, m.lists[0].head())
		if err := m.advance(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// merger is a heap of the kinds' next records.
type merger struct {
	ctx    context.Context
	stmt   *sql.Stmt
	args   []any // kind first, place second
	oldest bool
	lists  []*queue
}

// queue is what was read of one kind.
type queue struct {
	kind   int64
	seqs   []int64
	read   int // how many were asked for last
	closed bool
}

func (q *queue) head() int64 { return q.seqs[0] }

func (m *merger) Len() int      { return len(m.lists) }
func (m *merger) Swap(i, j int) { m.lists[i], m.lists[j] = m.lists[j], m.lists[i] }
func (m *merger) Push(x any)    { m.lists = append(m.lists, x.(*queue)) }
func (m *merger) Pop() any {
	last := m.lists[len(m.lists)-1]
	m.lists = m.lists[:len(m.lists)-1]
	return last
}

func (m *merger) Less(i, j int) bool {
	if m.oldest {
		return m.lists[i].head() < m.lists[j].head()
	}
	return m.lists[i].head() > m.lists[j].head()
}

// open adds a kind.
func (m *merger) open(kind int64) error {
	q := &queue{kind: kind, read: 4}
	if err := m.fill(q, m.args[1]); err != nil || len(q.seqs) == 0 {
		return err
	}
	heap.Push(m, q)
	return nil
}

// advance takes the next record off.
func (m *merger) advance() error {
	q := m.lists[0]
	at := q.head()
	if q.seqs = q.seqs[1:]; len(q.seqs) == 0 && !q.closed {
		if err := m.fill(q, at); err != nil {
			return err
		}
	}
	if len(q.seqs) == 0 {
		heap.Pop(m)
	} else {
		heap.Fix(m, 0)
	}
	return nil
}

// fill reads more of a kind, each time more at once.
func (m *merger) fill(q *queue, at any) error {
	q.read = min(q.read*4, rowsAtOnce)
	args := append(append([]any{q.kind, at}, m.args[2:]...), q.read)
	rows, err := m.stmt.QueryContext(m.ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var seq int64
		if err := rows.Scan(&seq); err != nil {
			return err
		}
		q.seqs = append(q.seqs, seq)
	}
	q.closed = len(q.seqs) < q.read
	return rows.Err()
}
