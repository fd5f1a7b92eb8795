package table

import (
	"iter"
	"unsafe"
)

// Table maps hashes to short references, several to a hash. It keeps 46 bits of
// a hash and, with the share of free slots, about 10 bytes an entry for references
// of 16 bits. The zero value is ready for use.
type Table[R uint16 | uint32] struct {
	shards [tableShards]shard[R]
}

// tableShards is the number of parts that grow on their own: growing neither
// doubles the memory nor stops a call for long.
const tableShards = 64

// shard is an open-addressing table with linear probing. The slot where a search
// begins is proportional to the tag, and tags stand in order: a search ends where a
// larger one stands, and a shard grows by reading it in order. (O. Amble, D. Knuth:
// Ordered hash tables, 1974.)
type shard[R uint16 | uint32] struct {
	buckets []bucket[R]
	places  int // slots where searches begin
	size    int // those and the overhang; the last one is always free
	used    int
}

// bucket is some slots that lie side by side: with references of 16 bits they are one
// line of a processor's cache, so that a look needs no other one most of the time.
type bucket[R uint16 | uint32] struct {
	hint uint64 // which entries there may be whose search begins here; likely.go
	tags [bucketSlots]uint32
	more [bucketSlots]uint8 // eight bits more of the hash
	refs [bucketSlots]R
}

const (
	bucketSlots = 8
	// overhang is the least number of slots behind those where searches begin.
	overhang = 16
)

// slotContent is what a slot holds; its tag is 0 when it is free.
type slotContent[R uint16 | uint32] struct {
	tag  uint32
	more uint8
	ref  R
}

// newShard returns an empty shard with so many slots where searches begin.
func newShard[R uint16 | uint32](places, overhang int) shard[R] {
	size := places + overhang
	return shard[R]{buckets: make([]bucket[R], (size+bucketSlots-1)/bucketSlots), places: places, size: size}
}

// extend adds slots at the end, where there is a crowd. Whoever knows how hashes are
// made can make one: it costs no more than its entries.
func (s *shard[R]) extend() {
	longer := newShard[R](s.places, 2*(s.size-s.places))
	copy(longer.buckets, s.buckets)
	s.buckets, s.size = longer.buckets, longer.size
}

// key splits a hash into what chooses the shard and what is kept. It is mixed
// first: winnowing picks small hashes, and they must not end up side by side.
func key(h uint64) (shard int, tag uint32, more uint8) {
	h = (h ^ h>>32) * 0xd6e8feb86659fd93
	h ^= h >> 32
	return int(h % tableShards), max(uint32(h>>32), 1), uint8(h >> 8)
}

// start is the slot where the search for a tag begins.
func (s *shard[R]) start(tag uint32) int {
	return int(uint64(tag) * uint64(s.places) >> 32)
}

// tag is that of a slot.
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

// entries are those of a shard, in order.
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
	t.shards[n].insert(slotContent[R]{tag, more, r})
}

// insert makes room for an entry when there is none, and adds it.
func (s *shard[R]) insert(e slotContent[R]) {
	if (s.used+1)*5 > s.places*4 {
		s.resize(max(s.places, 8)*5/4, nil)
	}
	for !s.put(e) {
		s.extend()
	}
}

// put adds an entry where its tag belongs. It reports whether there was room.
func (s *shard[R]) put(e slotContent[R]) bool {
	at := s.start(e.tag)
	for tag := s.tag(at); tag != 0 && tag <= e.tag; tag = s.tag(at) {
		at++
	}
	end := at
	for s.tag(end) != 0 {
		end++
	}
	if end == s.size-1 {
		return false
	}
	for ; end > at; end-- {
		s.set(end, s.get(end-1))
	}
	s.set(at, e)
	s.used++
	s.mark(e.tag, e.more)
	return true
}

// resize makes room for n entries and leaves out those that keep refuses. They come
// in order, and each stands behind the last.
func (s *shard[R]) resize(n int, keep func(R) bool) {
	old := *s
	*s = newShard[R](n, overhang)
	free := 0
	for e := range old.entries() {
		if keep != nil && !keep(e.ref) {
			continue
		}
		at := max(s.start(e.tag), free)
		if at == s.size-1 {
			s.extend()
		}
		s.set(at, e)
		s.mark(e.tag, e.more)
		s.used, free = s.used+1, at+1
	}
}

// find yields the slots of a tag and what belongs to it.
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

// Replace makes r the reference of h where it was old.
func (t *Table[R]) Replace(h uint64, old, r R) {
	n, tag, more := key(h)
	for known := range t.shards[n].find(tag, more) {
		if *known == old {
			*known = r
			return
		}
	}
}

// Retain drops the entries whose reference keep refuses, and frees their room.
func (t *Table[R]) Retain(keep func(R) bool) {
	for n := range t.shards {
		s := &t.shards[n]
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
}

// Size is the memory in use, in bytes, and the number of references.
func (t *Table[R]) Size() (bytes, entries int) {
	for n := range t.shards {
		bytes += len(t.shards[n].buckets) * int(unsafe.Sizeof(bucket[R]{}))
		entries += t.shards[n].used
	}
	return bytes, entries
}

// Take adds the entries of another table that rename keeps, under new references.
func (t *Table[R]) Take(from *Table[R], rename func(R) (R, bool)) {
	for n := range from.shards {
		for e := range from.shards[n].entries() {
			if r, ok := rename(e.ref); ok {
				t.shards[n].insert(slotContent[R]{e.tag, e.more, r})
			}
		}
	}
}
