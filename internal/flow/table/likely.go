package table

// Most of what is looked up is not there. So that a table need not be read to see
// it, each bucket has a word of hints: what a shard has of the entries whose search
// begins there sets two bits of it (a Bloom filter of one word, made from what the
// table keeps). That is a byte a slot, and one in twenty-five of what is not there is
// taken for likely.

// hintBits are the bits that an entry sets. What says where its search begins are
// the high bits of the tag.
func hintBits(tag uint32, more uint8) uint64 {
	return 1<<(tag&63) | 1<<((tag>>6^uint32(more))&63)
}

// mark notes an entry.
func (s *shard[R]) mark(tag uint32, more uint8) {
	s.buckets[s.start(tag)/bucketSlots].hint |= hintBits(tag, more)
}

// may reports whether there may be an entry.
func (s *shard[R]) may(tag uint32, more uint8) bool {
	if s.used == 0 {
		return false
	}
	bits := hintBits(tag, more)
	return s.buckets[s.start(tag)/bucketSlots].hint&bits == bits
}

// Likely appends the positions of the hashes that the table may have, in order.
func (t *Table[R]) Likely(dst []int32, hashes []uint64) (likely []int32, seen uint64) {
	seen = t.Ahead(hashes)
	for i, h := range hashes {
		at, tag, more := key(h)
		if t.shards[at].may(tag, more) {
			dst = append(dst, int32(i))
		}
	}
	return dst, seen
}

// Ahead looks at the buckets of some hashes, before they are looked for or added: one
// after the other they would each wait for memory; a processor waits for many at
// once, as long as nothing has to be decided. What was seen is of no use, but that
// the looks are not left out. What stands in a bucket often spills into the next.
func (t *Table[R]) Ahead(hashes []uint64) (seen uint64) {
	for _, h := range hashes {
		at, tag, _ := key(h)
		if s := &t.shards[at]; s.used > 0 {
			i := s.start(tag) / bucketSlots
			seen |= s.buckets[i].hint | s.buckets[i+1].hint
		}
	}
	return seen
}

// Batch is how many hashes are looked at together.
const Batch = 32
