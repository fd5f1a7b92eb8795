package match

import "mcpproxy/internal/flow/table"

// memo caches answers about k-grams during one search. It saves lookups, which mostly wait for memory, because the
// pieces of a document repeat text. A slot keeps its last answer.
type memo struct {
	slots []uint64 // a salted hash; its two low bits are the answer
	salt  uint64   // differs for each search, so that entries of earlier searches never match
	turn  uint64
}

const (
	leastMemo = 1 << 8 // slots
	mostMemo  = 1 << 13
	denied    = 1
	affirmed  = 2
	answer    = 3
)

// reset drops all entries and allocates slots for texts of n letters.
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

// recall returns the cached answer. known reports whether there is one.
func (m *memo) recall(h uint64) (yes, known bool) {
	if len(m.slots) == 0 {
		return false, false
	}
	slot := m.slots[h>>2&uint64(len(m.slots)-1)] ^ m.salt
	return slot&answer == affirmed, (slot^h)&^answer == 0 && slot&answer != 0
}

// keep caches an answer unless there are no slots.
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
