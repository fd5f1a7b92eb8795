package match

// memo remembers what was asked about k-grams in one search: a document is
// compared in several pieces that say the same in part, and most of the time goes
// to memory that is far away. Of what falls on one place the last answer is kept.
type memo struct {
	slots []uint64 // a hash, with its two low bits the answer; 0 is free
}

const (
	leastMemo = 1 << 8 // slots
	mostMemo  = 1 << 14
	denied    = 1
	affirmed  = 2
	answer    = 3
)

// reset forgets everything and makes room for what n questions may need.
func (m *memo) reset(n int) {
	size := leastMemo
	for size < n && size < mostMemo {
		size *= 2
	}
	if cap(m.slots) < size {
		m.slots = make([]uint64, size)
		return
	}
	m.slots = m.slots[:size]
	clear(m.slots)
}

// recall is the answer that is remembered, if there is one.
func (m *memo) recall(h uint64) (yes, known bool) {
	if len(m.slots) == 0 {
		return false, false
	}
	slot := m.slots[h>>2&uint64(len(m.slots)-1)]
	if slot^h > answer || slot&answer == 0 {
		return false, false
	}
	return slot&answer == affirmed, true
}

// keep remembers an answer, if there is room for any.
func (m *memo) keep(h uint64, yes bool) {
	if len(m.slots) == 0 {
		return
	}
	a := uint64(denied)
	if yes {
		a = affirmed
	}
	m.slots[h>>2&uint64(len(m.slots)-1)] = h&^answer | a
}

// forget makes ready for a search in texts of n letters.
func (s *scratch) forget(n int) {
	s.held.reset(n)
	s.open.reset(n)
	s.stopped.reset(n)
}
