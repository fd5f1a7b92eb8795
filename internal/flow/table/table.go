package table

import (
	"iter"
	"math"
	"unsafe"
)

// Table maps hashes to short references; a hash can have several. It stores 46 bits of a hash. An entry with a
// reference of 16 bits takes about 10 bytes, including free slots. The zero value is ready for use.
type Table[R uint16 | uint32] struct {
	shards  [tableShards]shard[R]
	buckets int // number of buckets of all shards
	used    int // number of entries of all shards
}

// tableShards is the number of parts of a table. The parts grow independently, so that growing neither doubles the
// memory nor blocks a call for long.
const tableShards = 64

// shard is an open-addressing table with linear probing. The slot in which a search begins is proportional to the tag,
// and the entries are sorted by tag. A search therefore ends at the first larger tag, and resize can copy a shard in
// order. (O. Amble, D. Knuth: Ordered hash tables, 1974.)
type shard[R uint16 | uint32] struct {
	buckets []bucket[R]
	places  int // number of slots in which searches begin
	size    int // number of all slots, with the overhang; the last one is always free
	used    int
}

// bucket is a group of adjacent slots. With references of 16 bits it has the size of a cache line, so that most
// lookups read only one line.
type bucket[R uint16 | uint32] struct {
	hint uint64 // hints about the entries whose search begins here; see likely.go
	tags [bucketSlots]uint32
	more [bucketSlots]uint8 // eight more bits of the hash
	refs [bucketSlots]R
}

const (
	bucketSlots = 8
	// overhang is the minimum number of slots after those in which searches begin.
	overhang = 16
)

// slotContent is the content of a slot. Its tag is 0 if the slot is free.
type slotContent[R uint16 | uint32] struct {
	tag  uint32
	more uint8
	ref  R
}

// newShard returns an empty shard. places is the number of slots in which searches begin.
func newShard[R uint16 | uint32](places, overhang int) shard[R] {
	size := places + overhang
	return shard[R]{buckets: make([]bucket[R], (size+bucketSlots-1)/bucketSlots), places: places, size: size}
}

// extend adds slots at the end if entries accumulate there. An attacker who knows the hash function can cause this.
// The slots take no more memory than the entries.
func (s *shard[R]) extend() {
	longer := newShard[R](s.places, 2*(s.size-s.places))
	copy(longer.buckets, s.buckets)
	s.buckets, s.size = longer.buckets, longer.size
}

// key splits a hash into the number of its shard and the stored part. It mixes the hash first. Winnowing selects small
// hashes, which would otherwise be adjacent.
func key(h uint64) (shard int, tag uint32, more uint8) {
	h = (h ^ h>>32) * 0xd6e8feb86659fd93
	h ^= h >> 32
	return int(h % tableShards), max(uint32(h>>32), 1), uint8(h >> 8)
}

// start returns the slot in which the search for a tag begins.
func (s *shard[R]) start(tag uint32) int {
	return int(uint64(tag) * uint64(s.places) >> 32)
}

// tag returns the tag of a slot.
func (s *shard[R]) tag(slot int) uint32 {
	return s.buckets[slot/bucketSlots].tags[slot%bucketSlots]
}

func (s *shard[R]) get(slot int) slotContent[R] {
	b, i := &s.buckets[slot/bucketSlots], slot%bucketSlots
	return slotContent[R]{b.tags[i], b.more[i], b.refs[i]}
}

func (s *shard[R]) set(slot int, e slotContent[R]) {
	b, i := &s.buckets[slot/bucketSlots], slot%bucketSlots
	b.tags[i] = e.tag
	b.more[i] = e.more
	b.refs[i] = e.ref
}

// entries yields the entries of a shard, in order.
func (s *shard[R]) entries() iter.Seq[slotContent[R]] {
	return func(yield func(slotContent[R]) bool) {
		for slot := range s.size {
			if e := s.get(slot); e.tag != 0 && !yield(e) {
				return
			}
		}
	}
}

// Add adds r to the references of h.
func (t *Table[R]) Add(h uint64, r R) {
	n, tag, more := key(h)
	t.insert(n, slotContent[R]{tag, more, r})
}

// insert adds an entry to a shard.
func (t *Table[R]) insert(n int, e slotContent[R]) {
	s := &t.shards[n]
	buckets := len(s.buckets)
	s.insert(e)
	t.buckets += len(s.buckets) - buckets
	t.used++
}

// replace replaces a shard by another.
func (t *Table[R]) replace(n int, by shard[R]) {
	s := &t.shards[n]
	t.buckets += len(by.buckets) - len(s.buckets)
	t.used += by.used - s.used
	*s = by
}

// insert adds an entry. It grows the shard if necessary.
func (s *shard[R]) insert(e slotContent[R]) {
	if (s.used+1)*5 > s.places*4 {
		s.resize(max(s.places, 8)*5/4, nil)
	}
	for !s.put(e) {
		s.extend()
	}
}

// put adds an entry at the position of its tag. It returns false if the shard is full.
func (s *shard[R]) put(e slotContent[R]) bool {
	at := s.behind(s.start(e.tag), e.tag)
	end := s.behind(at, math.MaxUint32)
	if end == s.size-1 {
		return false
	}
	s.shift(at, end)
	s.set(at, e)
	s.used++
	s.mark(e.tag, e.more)
	return true
}

// behind returns the index of the first slot, from index at on, that is free or has a larger tag.
func (s *shard[R]) behind(at int, tag uint32) int {
	i := at % bucketSlots
	for at -= i; ; at, i = at+bucketSlots, 0 {
		for tags := &s.buckets[at/bucketSlots].tags; i < bucketSlots; i++ {
			if t := tags[i]; t == 0 || t > tag {
				return at + i
			}
		}
	}
}

// shift moves the entries of slots at to end-1 by one slot.
func (s *shard[R]) shift(at, end int) {
	for end > at {
		b, i := &s.buckets[end/bucketSlots], end%bucketSlots
		for ; i > 0 && end > at; i, end = i-1, end-1 {
			b.tags[i] = b.tags[i-1]
			b.more[i] = b.more[i-1]
			b.refs[i] = b.refs[i-1]
		}
		if end > at {
			const last = bucketSlots - 1
			from := &s.buckets[end/bucketSlots-1]
			b.tags[0] = from.tags[last]
			b.more[0] = from.more[last]
			b.refs[0] = from.refs[last]
			end--
		}
	}
}

// resize makes room for n entries, and drops those for which keep returns false. It reads the entries in order and
// writes each after the one before.
func (s *shard[R]) resize(n int, keep func(R) bool) {
	old := *s
	*s = newShard[R](n, overhang)
	free := 0
	for b := range old.buckets {
		from := &old.buckets[b]
		for i, tag := range from.tags {
			if tag == 0 || keep != nil && !keep(from.refs[i]) {
				continue
			}
			begin := s.start(tag)
			at := max(begin, free)
			if at == s.size-1 {
				s.extend()
			}
			s.set(at, slotContent[R]{tag, from.more[i], from.refs[i]})
			s.buckets[begin/bucketSlots].hint |= hintBits(tag, from.more[i])
			s.used, free = s.used+1, at+1
		}
	}
}

// find yields the references of a tag.
func (s *shard[R]) find(tag uint32, more uint8) iter.Seq[*R] {
	return func(yield func(*R) bool) {
		if !s.may(tag, more) {
			return
		}
		for slot := s.start(tag); ; slot++ {
			b, i := &s.buckets[slot/bucketSlots], slot%bucketSlots
			if b.tags[i] == 0 || b.tags[i] > tag {
				return
			}
			if b.tags[i] == tag && b.more[i] == more && !yield(&b.refs[i]) {
				return
			}
		}
	}
}

// Find appends the references of h, at most limit of them.
func (t *Table[R]) Find(dst []R, h uint64, limit int) []R {
	n, tag, more := key(h)
	for r := range t.shards[n].find(tag, more) {
		if dst = append(dst, *r); len(dst) == limit {
			break
		}
	}
	return dst
}

// Replace replaces the reference old of h by r.
func (t *Table[R]) Replace(h uint64, old, r R) {
	n, tag, more := key(h)
	for known := range t.shards[n].find(tag, more) {
		if *known == old {
			*known = r
			return
		}
	}
}

// Retain drops the entries whose reference keep rejects, and frees their memory.
func (t *Table[R]) Retain(keep func(R) bool) {
	for n := range t.shards {
		s := t.shards[n]
		s.retain(keep)
		t.replace(n, s)
	}
}

// retain drops the entries whose reference keep rejects.
func (s *shard[R]) retain(keep func(R) bool) {
	left := 0
	for e := range s.entries() {
		if keep(e.ref) {
			left++
		}
	}
	switch {
	case left == 0:
		*s = shard[R]{}
	case left < s.used:
		s.resize(left*5/4+8, keep)
	}
}

// Size returns the memory in use, in bytes, and the number of references.
func (t *Table[R]) Size() (bytes, entries int) {
	return t.buckets * int(unsafe.Sizeof(bucket[R]{})), t.used
}

// Take adds the entries of another table with the references that rename returns. It leaves out entries for which
// rename returns false.
func (t *Table[R]) Take(from *Table[R], rename func(R) (R, bool)) {
	for n := range from.shards {
		for e := range from.shards[n].entries() {
			if r, ok := rename(e.ref); ok {
				t.insert(n, slotContent[R]{e.tag, e.more, r})
			}
		}
	}
}
