package match

import (
	"sync"
	"unsafe"

	"mcpproxy/internal/flow/table"
)

// scratch holds the buffers that one call needs to compare texts. Calls take it from a
// pool, so that a session which does nothing keeps none.
type scratch struct {
	hashes  []uint64
	grams   grams // of the piece that is looked up
	picked  []int32
	costs   []float32
	refs    []uint16
	weight  []float32
	sum     []float32
	ahead   []uint64
	asked   []int32
	few     []uint64
	likely  []int32   // of the k-grams of a stretch
	marked  []int32   // of those that winnowing picked
	held    memo      // whether sources may hold a k-gram
	open    memo      // whether it is public
	stopped memo      // whether everybody writes it
	whole   []float32 // sums of costs of which nothing is taken off
	runs    []run
	shared  []agreement
	warmed  uint64 // of no use, but that what is warmed is not left out
}

var idle = sync.Pool{New: func() any { return new(scratch) }}

// work is the scratch of what is being done, until rest.
func (x *Index) work() *scratch {
	if x.scratch == nil {
		x.scratch = idle.Get().(*scratch)
	}
	return x.scratch
}

// rest gives the scratch back, without the buffers that grew large.
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
	s.shedShared()
	idle.Put(s)
}

// shedShared drops the agreements of earlier pieces when their runs take much memory.
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

// forget drops what was asked, and makes ready for a search in texts of n letters.
func (s *scratch) forget(n int) {
	s.held.reset(n)
	s.open.reset(n)
	s.stopped.reset(n)
}
