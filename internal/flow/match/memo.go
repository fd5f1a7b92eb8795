package match

import "mcpproxy/internal/flow/table"

// memo remembers what was asked about k-grams in one search: a document is
// compared in several pieces that say the same in part, and most of the time goes
// to memory that is far away. Of what falls on one place the last answer is kept.
type memo struct {
	slots []uint64 // a hash, salted, with its two low bits the answer
	salt  uint64   // of this search, so that entries of earlier searches never match
	turn  uint64
}

const (
	leastMemo = 1 << 8 // slots
	mostMemo  = 1 << 13
	denied    = 1
	affirmed  = 2
	answer    = 3
)

// reset forgets everything and makes room for the questions of texts of n letters.
func (m *memo) reset(n int) {
	m.turn++
	m.salt = table.Scramble(m.turn) &^ answer
	size := leastMemo
	for size < n && size < mostMemo {
		size *= 2
	}
	if len(m.slots) < size {
		m.slots = make([]uint64, size)
	}
}

// recall is the answer that is remembered, if there is one.
func (m *memo) recall(h uint64) (yes, known bool) {
	if len(m.slots) == 0 {
		return false, false
	}
	slot := m.slots[h>>2&uint64(len(m.slots)-1)] ^ m.salt
	return slot&answer == affirmed, (slot^h)&^answer == 0 && slot&answer != 0
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
	m.slots[h>>2&uint64(len(m.slots)-1)] = (h&^answer | a) ^ m.salt
}
