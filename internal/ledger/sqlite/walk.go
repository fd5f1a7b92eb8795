package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// bodyRow and indexRow are what the two tables say of a record.
type bodyRow struct {
	seq int64
	ledger.Sealed
}

type indexRow struct {
	row
	id, request, parent   string
	sessionName, flowName sql.NullString
}

const (
	bodyQuery  = "SELECT " + bodyColumns + ", seq FROM bodies WHERE seq >= ? ORDER BY seq"
	indexQuery = `SELECT seq, id, request_id, parent_id, ts, kind, session, flow, s.name, f.name FROM records
		LEFT JOIN scopes AS s ON s.scope = session LEFT JOIN scopes AS f ON f.scope = flow WHERE seq >= ? ORDER BY seq`
)

// cursor reads rows one ahead.
type cursor[T any] struct {
	rows *sql.Rows
	scan func(*sql.Rows) (T, error)
	at   T
	ok   bool
}

func (c *cursor[T]) next() (err error) {
	if c.ok = c.rows.Next(); !c.ok {
		return c.rows.Err()
	}
	c.at, err = c.scan(c.rows)
	return err
}

func scanBody(rows *sql.Rows) (b bodyRow, err error) {
	b.Sealed, err = scanSealed(rows, &b.seq)
	return b, err
}

func scanIndex(rows *sql.Rows) (r indexRow, err error) {
	err = rows.Scan(&r.seq, &r.id, &r.request, &r.parent, &r.ts, &r.kind, &r.session, &r.flow, &r.sessionName, &r.flowName)
	return r, err
}

// progressEvery is how often the progress is told, in records.
const progressEvery = 5000

// walk reads both tables in the order of the chain.
func (v *verifier) walk(ctx context.Context) error {
	from := int64(math.MinInt64)
	if v.rep.Since != "" {
		from = v.first
	}
	bodyRows, err := v.tx.QueryContext(ctx, bodyQuery, from)
	if err != nil {
		return err
	}
	defer bodyRows.Close()
	indexRows, err := v.tx.QueryContext(ctx, indexQuery, from)
	if err != nil {
		return err
	}
	defer indexRows.Close()
	bodies := &cursor[bodyRow]{rows: bodyRows, scan: scanBody}
	index := &cursor[indexRow]{rows: indexRows, scan: scanIndex}
	if err := errors.Join(bodies.next(), index.next()); err != nil {
		return err
	}
	for expected := v.first; bodies.ok || index.ok; expected++ {
		var body *bodyRow
		var row *indexRow
		if bodies.ok && (!index.ok || bodies.at.seq <= index.at.seq) {
			body = &bodies.at
		}
		if index.ok && (!bodies.ok || index.at.seq <= bodies.at.seq) {
			row = &index.at
		}
		if v.record(expected, body, row); !v.rep.OK {
			return nil
		}
		if err := errors.Join(bodies.next(), index.next()); err != nil {
			return err
		}
		if v.how.Progress != nil && v.rep.Records%progressEvery == 0 && v.head != nil {
			v.how.Progress(int64(v.rep.Records), v.head.Count)
		}
	}
	return nil
}

// record checks one record, of which a half may be missing.
func (v *verifier) record(expected int64, body *bodyRow, row *indexRow) {
	id := ""
	if row != nil {
		id = row.id
	}
	if body == nil {
		v.fail(id, "the record's body is missing")
		return
	}
	r, problem := body.Examine(body.seq, v.keys)
	if r != nil && (row == nil || problem == "") {
		id = r.ID // the body is whole, and knows best
	}
	switch {
	case problem != "":
	case row == nil:
		problem = "the record's row is missing"
	case body.seq != expected, body.Prev != v.prev && !(v.rep.Since != "" && expected == v.first):
		problem = "a record before this one was removed, inserted or moved"
	case r.Redacted && (expected > v.redacted || kindOf(r).Sensitive == 0):
		problem = "its arguments and response were removed, and no checkpoint says why"
	default:
		problem = v.compare(r, body.Form, row)
	}
	if problem == "" {
		problem = v.atMark(body.seq, r)
	}
	if problem != "" {
		v.fail(id, "%s", problem)
		return
	}
	if r.Redacted {
		v.rep.Redacted++
	}
	v.prev, v.rep.Head, v.last, v.lastID = body.Hash, body.Hash, body.seq, r.ID
	v.rep.Records++
	v.sum.add(row.row)
}

// compare holds a row of the index against its record.
func (v *verifier) compare(r *mcpproxy.Record, form ledger.Form, row *indexRow) (problem string) {
	k, known := v.kinds[row.kind]
	if form != ledger.FormDigest { // older logs kept the findings in the order they came in
		k.Detections = inOrder(k.Detections)
	}
	column := ""
	switch want := kindOf(r); {
	case row.id != r.ID:
		column = "id"
	case row.ts != r.Timestamp.UnixMicro():
		column = "ts"
	case row.request != r.RequestID:
		column = "request_id"
	case row.parent != r.ParentID:
		column = "parent_id"
	case row.sessionName.String != r.SessionID, (row.session != 0) != row.sessionName.Valid:
		column = "session"
	case row.flowName.String != r.FlowSessionID, (row.flow != 0) != row.flowName.Valid:
		column = "flow"
	case !known, k != want:
		column = "kind"
	default:
		return ""
	}
	return fmt.Sprintf("the column %s does not agree with the record", column)
}

// inOrder sorts ",b,a," into ",a,b,".
func inOrder(detections string) string {
	types := strings.Split(strings.Trim(detections, ","), ",")
	if len(types) < 2 {
		return detections
	}
	slices.Sort(types)
	return "," + strings.Join(types, ",") + ","
}

// atMark holds the checkpoints at a record against it, and drops them.
func (v *verifier) atMark(seq int64, r *mcpproxy.Record) (problem string) {
	for len(v.marks) > 0 && v.marks[0].Seq <= seq {
		c := v.marks[0]
		v.marks = v.marks[1:]
		if c.Seq == seq && (c.Hash != r.Hash || c.ID != r.ID) {
			return "the record is not the one that was signed at this place: the log was written anew from some record on"
		}
	}
	return ""
}

// checkEnd holds the end of what was walked against the signed head.
func (v *verifier) checkEnd(context.Context) error {
	if v.last == 0 {
		v.last = v.first - 1
	}
	if v.head == nil {
		if v.rep.Records == 0 && v.last == 0 && len(v.marks) == 0 {
			return nil // a new log
		}
		return v.fail(v.lastID, "the signed end of the log is missing")
	}
	for _, c := range v.marks {
		if c.Seq > v.last {
			return v.fail(v.lastID, "records after this one were removed: a checkpoint was signed at %s", c.ID)
		}
	}
	whole := v.rep.Since == ""
	switch {
	case v.head.Seq > v.last:
		return v.fail(v.lastID, "records after this one were removed")
	case v.head.Seq < v.last:
		return v.fail(v.lastID, "this record was not written by mcpproxy: the log was signed up to one before it")
	case v.head.Hash != v.prev, v.lastID != "" && v.head.ID != v.lastID, whole && v.head.Count != int64(v.rep.Records):
		return v.fail(v.lastID, "this record is not the end that was signed")
	}
	v.rep.Key, v.rep.Checkpoint = v.head.Key, v.head
	return nil
}
