package table

// Most of what is looked up is not there. So that a table need not be read to see
// it, each shard keeps a word of hints for every few slots: what it has of the
// entries whose search begins there sets two bits of it (a Bloom filter of one
// word, in the order of the table, made from what the table keeps).

// hintSlots is the number of slots with one word of hints: a byte a slot, and one
// in twenty-five of what is not there is taken for likely.
const hintSlots = 8

// hints is the number of words for so many slots.
func hints(slots int) int { return (slots-overhang)/hintSlots + 1 }

// hintBits are the bits that an entry sets. What says where its search begins are
// the high bits of the tag.
func hintBits(tag uint32, more uint8) uint64 {
	return 1<<(tag&63) | 1<<((tag>>6^uint32(more))&63)
}

// mark notes an entry.
func (s *shard[R]) mark(tag uint32, more uint8) {
	s.hint[s.start(tag)/hintSlots] |= hintBits(tag, more)
}

// may reports whether there may be an entry.
func (s *shard[R]) may(tag uint32, more uint8) bool {
	if s.used == 0 {
		return false
	}
	bits := hintBits(tag, more)
	return s.hint[s.start(tag)/hintSlots]&bits == bits
}

// Likely appends the positions of the hashes that the table may have, in order.
// It looks at the words of all of them first, and at the entries of the likely ones
// then: one after the other they would each wait for memory; a processor waits for
// many at once, as long as nothing has to be decided. What was seen is of no use,
// but that the looks are not left out.
func (t *Table[R]) Likely(dst []int32, hashes []uint64) (likely []int32, seen uint64) {
	for _, h := range hashes {
		at, tag, _ := key(h)
		if s := &t.shards[at]; s.used > 0 {
			seen |= s.hint[s.start(tag)/hintSlots]
		}
	}
	from := len(dst)
	for i, h := range hashes {
		at, tag, more := key(h)
		if t.shards[at].may(tag, more) {
			dst = append(dst, int32(i))
		}
	}
	for _, i := range dst[from:] {
		at, tag, _ := key(hashes[i])
		s := &t.shards[at]
		slot := s.start(tag)
		seen |= uint64(s.tags[slot]) | uint64(s.more[slot]) | uint64(s.refs[slot])
	}
	return dst, seen
}

// Ahead looks at where the hashes are to be added, as Likely does at where they may
// be found.
func (t *Table[R]) Ahead(hashes []uint64) (seen uint64) {
	for _, h := range hashes {
		at, tag, _ := key(h)
		if s := &t.shards[at]; s.used > 0 {
			slot := s.start(tag)
			seen |= s.hint[slot/hintSlots] | uint64(s.tags[slot]) | uint64(s.more[slot]) | uint64(s.refs[slot])
		}
	}
	return seen
}

// Batch is how many hashes are looked at together.
const Batch = 32
