package table

// Most lookups are for hashes that a table does not have. Each bucket therefore has a word of hints, which is a small
// Bloom filter. Each entry whose search begins in the bucket sets two bits of the word. The hints take a byte a slot.
// One in twenty-five absent hashes looks present by mistake.

// hintBits returns the bits of the hints that an entry sets. The high bits of the tag, which determine where the
// search begins, have no influence.
func hintBits(tag uint32, more uint8) uint64 {
	return 1<<(tag&63) | 1<<((tag>>6^uint32(more))&63)
}

// mark adds the hints of an entry.
func (s *shard[R]) mark(tag uint32, more uint8) {
	s.buckets[s.start(tag)/bucketSlots].hint |= hintBits(tag, more)
}

// may reports whether the shard may have an entry.
func (s *shard[R]) may(tag uint32, more uint8) bool {
	if s.used == 0 {
		return false
	}
	bits := hintBits(tag, more)
	return s.buckets[s.start(tag)/bucketSlots].hint&bits == bits
}

// Likely appends the positions of the hashes that the table may contain, in order.
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

// Ahead prefetches the buckets of some hashes before the caller looks them up or adds them. A processor can wait for
// many reads at once if they do not depend on each other. Ahead also reads the next bucket, because entries often
// spill over. The result has no meaning. Callers use it only to keep the compiler from removing the reads.
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

// Batch is the number of hashes that are prefetched together.
const Batch = 32
