package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// progressEvery is the number of records between two progress reports.
const progressEvery = 5000

// walk reads both tables in the order of the chain.
func (v *verifier) walk(ctx context.Context) error {
	from := int64(lowest)
	if v.rep.Since != "" {
		from = v.first
	}
	// The piece that contains the record may begin before it.
	query := "SELECT first, prev, rows, bodies, beside FROM pieces WHERE first >= coalesce((SELECT max(first) FROM pieces WHERE first <= ?1), ?1) ORDER BY first"
	expected := v.first
	return eachRowOf(ctx, v.tx, query, []any{from}, func(rows *sql.Rows) (bool, error) {
		var p piece
		err := rows.Scan(&p.first, &p.prev, &p.rows, &p.bodies, &p.beside)
		if err == nil {
			expected = v.piece(&p, expected)
		}
		return v.rep.OK, err
	})
}

// piece checks the records of a piece and returns the number of the record that must follow. If the
// piece is damaged, the records before the damage are accepted.
func (v *verifier) piece(p *piece, expected int64) int64 {
	rows, whole := parts(string(p.rows))
	bodies, fine := parts(p.bodies)
	beside, good := parts(p.beside)
	prev, n := p.prev, max(len(rows), len(bodies), len(beside))
	for i := 0; i < n && v.rep.OK; i++ {
		seq := p.first + int64(i)
		var line *row
		var body *ledger.Sealed
		if i < len(rows) && len(rows[i]) > 0 {
			if r, ok := readRow(seq, rows[i]); ok {
				line = &r
			}
		}
		if i < len(bodies) && i < len(beside) && len(bodies[i]) > 0 {
			s, ok := readBody(bodies[i])
			if ok = readBeside(beside[i], &s) && ok; !ok {
				s.Body = nil
			}
			s.Prev, prev, body = prev, s.Hash, &s
		}
		if v.rep.Since != "" && seq < v.first {
			continue
		}
		v.record(seq, expected, body, line)
		expected++
		if v.how.Progress != nil && v.rep.Records%progressEvery == 0 && v.head != nil {
			v.how.Progress(int64(v.rep.Records), v.head.Count)
		}
	}
	if v.rep.OK && !(whole && fine && good && n > 0) {
		v.fail(v.lastID, "what follows this record cannot be read")
	}
	return expected
}

// record checks one record, whose row or body may be missing.
func (v *verifier) record(seq, expected int64, body *ledger.Sealed, row *row) {
	id := ""
	if row != nil {
		id = row.id
	}
	if body == nil {
		v.fail(id, "the record's body is missing")
		return
	}
	r, problem := body.Examine(seq, v.keys)
	if r != nil && (row == nil || problem == "") {
		id = r.ID // the body is intact and takes precedence
	}
	switch {
	case problem != "":
	case row == nil:
		problem = "the record's row is missing"
	case seq != expected, body.Prev != v.prev && !(v.rep.Since != "" && expected == v.first):
		problem = "a record before this one was removed, inserted or moved"
	case r.Redacted && (expected > v.redacted || kindOf(r).Sensitive == 0):
		problem = "its arguments and response were removed, and no checkpoint says why"
	default:
		problem = v.compare(r, body.Form, row)
	}
	if problem == "" {
		problem = v.atMark(seq, r)
	}
	if problem != "" {
		v.fail(id, "%s", problem)
		return
	}
	if r.Redacted {
		v.rep.Redacted++
	}
	if gap, ok := mcpproxy.GapOf(r); ok && gap.Reason != mcpproxy.GapStopped {
		v.rep.Gaps++
		v.rep.LastGap = &gap
	}
	v.prev = body.Hash
	v.rep.Head = body.Hash
	v.last = seq
	v.lastID = r.ID
	v.rep.Records++
	v.want.add(row)
}

// compare compares an index row with its record.
func (v *verifier) compare(r *mcpproxy.Record, form ledger.Form, row *row) (problem string) {
	k, known := v.kinds[row.kind]
	if !form.HasDigests() { // older logs stored the findings unsorted
		k.Detections = inOrder(k.Detections)
	}
	if row.tool != "" && k.Tool == anyTool {
		k.Tool = row.tool
	} else if row.tool != "" {
		known = false
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
	case v.scopes[row.session] != r.SessionID, (row.session != 0) != (r.SessionID != ""):
		column = "session"
	case v.scopes[row.flow] != r.FlowSessionID, (row.flow != 0) != (r.FlowSessionID != ""):
		column = "flow"
	case !known, k != want:
		column = "kind"
	default:
		return ""
	}
	return fmt.Sprintf("the column %s does not agree with the record", column)
}

// inOrder sorts the elements of ",b,a," to ",a,b,".
func inOrder(detections string) string {
	types := strings.Split(strings.Trim(detections, ","), ",")
	if len(types) < 2 {
		return detections
	}
	slices.Sort(types)
	return "," + strings.Join(types, ",") + ","
}

// atMark compares a record with its checkpoints and removes them from the list.
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

// checkEnd compares the last verified record with the signed head.
func (v *verifier) checkEnd(context.Context) error {
	if v.last == 0 {
		v.last = v.first - 1
	}
	if v.head == nil {
		if v.rep.Records == 0 && v.last == 0 && len(v.marks) == 0 {
			return nil // a new log
		}
		v.fail(v.lastID, "the signed end of the log is missing")
		return nil
	}
	for _, c := range v.marks {
		if c.Seq > v.last {
			v.fail(v.lastID, "records after this one were removed: a checkpoint was signed at %s", c.ID)
			return nil
		}
	}
	whole := v.rep.Since == ""
	switch {
	case v.head.Seq > v.last:
		v.fail(v.lastID, "records after this one were removed")
		return nil
	case v.head.Seq < v.last:
		v.fail(v.lastID, "this record was not written by mcpproxy: the log was signed up to one before it")
		return nil
	case v.head.Hash != v.prev, v.lastID != "" && v.head.ID != v.lastID, whole && v.head.Count != int64(v.rep.Records):
		v.fail(v.lastID, "this record is not the end that was signed")
		return nil
	}
	v.rep.Key, v.rep.Checkpoint = v.head.Key, v.head
	return nil
}
