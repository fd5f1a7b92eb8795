package match

import (
	"sync"
	"unsafe"

	"mcpproxy/internal/flow/table"
	"mcpproxy/internal/flow/value"
)

// scratch holds the buffers that one search needs. A search takes it from a pool, so that an idle session holds no
// buffers.
type scratch struct {
	hashes  []uint64
	grams   grams // the k-grams of the current piece
	picked  []int32
	costs   []float32
	refs    []uint16
	weight  []float32
	sum     []float32
	ahead   []uint64
	asked   []int32
	few     []uint64
	likely  []int32   // k-grams of a stretch
	marked  []int32   // winnowed k-grams
	held    memo      // whether sources may hold a k-gram
	open    memo      // whether a k-gram is public
	stopped memo      // whether a k-gram is a common phrase
	whole   []float32 // cumulated costs without deductions
	runs    []run
	shared  []agreement
	letters value.Letters // of the current piece of a source
	warmed  uint64        // never read; it keeps the compiler from removing prefetches
}

var idle = sync.Pool{New: func() any { return new(scratch) }}

// work takes a scratch from the pool. The caller returns it with rest.
func (x *Index) work() *scratch {
	if x.scratch == nil {
		x.scratch = idle.Get().(*scratch)
	}
	return x.scratch
}

// rest returns the scratch to the pool, without the buffers that grew large.
func (x *Index) rest() {
	s := x.scratch
	x.scratch = nil
	if s == nil {
		return
	}
	s.forget(0)
	table.Shed(&s.hashes)
	s.grams.reset(nil)
	table.Shed(&s.grams.hashes)
	table.Shed(&s.picked)
	table.Shed(&s.costs)
	table.Shed(&s.weight)
	table.Shed(&s.sum)
	table.Shed(&s.ahead)
	table.Shed(&s.asked)
	table.Shed(&s.few)
	table.Shed(&s.likely)
	table.Shed(&s.marked)
	table.Shed(&s.whole)
	table.Shed(&s.runs)
	s.letters.Shed()
	s.shedShared()
	idle.Put(s)
}

// shedShared drops the agreements of earlier pieces if their runs take much memory.
func (s *scratch) shedShared() {
	table.Shed(&s.shared)
	n := 0
	for _, a := range s.shared[:cap(s.shared)] {
		n += cap(a.runs)
	}
	if n*int(unsafe.Sizeof(run{})) > table.MaxIdle {
		s.shared = nil
	}
}

// forget drops the cached answers and prepares a search in texts of n letters.
func (s *scratch) forget(n int) {
	s.held.reset(n)
	s.open.reset(n)
	s.stopped.reset(n)
}
