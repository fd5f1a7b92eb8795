package value

import (
	"sync"

	"mcpproxy/internal/flow/table"
)

// scratch holds the buffers that one call needs to read texts and search for values. A call takes it from a pool, so
// that an idle session holds no buffer and no text.
type scratch struct {
	query   query
	scanner scanner
}

var idle = sync.Pool{New: func() any { return new(scratch) }}

// work takes a scratch from the pool. The caller returns it with rest.
func (v *Values) work() { v.scratch = idle.Get().(*scratch) }

// rest returns the scratch to the pool, without the texts that were read.
func (v *Values) rest() {
	s := v.scratch
	v.scratch = nil
	s.query.forget()
	s.scanner.forget()
	idle.Put(s)
}

// forget drops the last text, and buffers that grew large for it.
func (q *query) forget() {
	q.of = nil
	q.places = nil
	q.skeleton = nil
	table.Shed(&q.sums)
	table.Shed(&q.words)
	table.Shed(&q.hashes)
	table.Shed(&q.refs)
	table.Shed(&q.pieces)
	table.Shed(&q.seen)
	table.Shed(&q.some)
	table.Shed(&q.firsts)
	table.Shed(&q.ahead)
	table.Shed(&q.likely)
}

// forget drops the last document, and buffers that grew large for it.
func (s *scanner) forget() {
	for _, texts := range []*[]string{&s.keys, &s.cells[0], &s.cells[1], &s.names} {
		clear((*texts)[:cap(*texts)])
		table.Shed(texts)
	}
	table.Shed(&s.tokens)
	table.Shed(&s.skeleton)
}
