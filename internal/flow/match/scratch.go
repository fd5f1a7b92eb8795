package match

import "sync"

// scratch is what reading needs, used again and again. A session that has nothing
// to do keeps none.
type scratch struct {
	hashes  []uint64
	picked  []int32
	costs   []float32
	refs    []uint16
	weight  []float32
	sum     []float32
	ahead   []uint64
	asked   []int32
	few     []uint64
	likely  []int32 // of the k-grams of a stretch
	marked  []int32 // of those that winnowing picked
	held    memo    // whether sources may hold a k-gram
	open    memo    // whether it is public
	stopped memo    // whether everybody writes it
	plain   []float32
	whole   []float32 // sums of costs of which nothing is taken off
	begins  []int32
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

// rest leaves the scratch to others.
func (x *Index) rest() {
	if x.scratch != nil {
		x.scratch.forget(0)
		idle.Put(x.scratch)
		x.scratch = nil
	}
}

// forget drops what was asked, and makes ready for a search in texts of n letters.
func (s *scratch) forget(n int) {
	s.held.reset(n)
	s.open.reset(n)
	s.stopped.reset(n)
}
