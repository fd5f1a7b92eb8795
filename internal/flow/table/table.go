package table

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
	tags []uint32 // 0 is free; the last one always is
	more []uint8  // eight bits more of the hash
	refs []R
	used int
	hint []uint64 // which entries there may be; likely.go
}

// overhang is the number of slots behind those where searches begin.
const overhang = 16

// key splits a hash into what chooses the shard and what is kept. It is mixed
// first: winnowing picks small hashes, and they must not end up side by side.
func key(h uint64) (shard int, tag uint32, more uint8) {
	h = (h ^ h>>32) * 0xd6e8feb86659fd93
	h ^= h >> 32
	return int(h % tableShards), max(uint32(h>>32), 1), uint8(h >> 8)
}

// start is the slot where the search for a tag begins.
func (s *shard[R]) start(tag uint32) int {
	return int(uint64(tag) * uint64(len(s.tags)-overhang) >> 32)
}

// Add adds r to the references of h.
func (t *Table[R]) Add(h uint64, r R) {
	n, tag, more := key(h)
	t.shards[n].insert(tag, more, r)
}

// insert makes room for an entry when there is none, and adds it.
func (s *shard[R]) insert(tag uint32, more uint8, r R) {
	if (s.used+1)*5 > (len(s.tags)-overhang)*4 {
		s.resize(max(len(s.tags)-overhang, 8)*5/4, nil)
	}
	for !s.put(tag, more, r) { // a crowd at the end
		s.resize((len(s.tags)-overhang)*9/8+8, nil)
	}
}

// put adds an entry where its tag belongs. It reports whether there was room.
func (s *shard[R]) put(tag uint32, more uint8, r R) bool {
	i := s.start(tag)
	for s.tags[i] != 0 && s.tags[i] <= tag {
		i++
	}
	end := i
	for s.tags[end] != 0 {
		end++
	}
	if end == len(s.tags)-1 {
		return false
	}
	copy(s.tags[i+1:end+1], s.tags[i:end])
	copy(s.more[i+1:end+1], s.more[i:end])
	copy(s.refs[i+1:end+1], s.refs[i:end])
	s.tags[i], s.more[i], s.refs[i] = tag, more, r
	s.used++
	s.mark(tag, more)
	return true
}

// resize makes room for n entries and leaves out those that keep refuses. They come
// in order, and each stands behind the last.
func (s *shard[R]) resize(n int, keep func(R) bool) {
	old := *s
	for done := false; !done; n = n*9/8 + 8 {
		size := n + overhang
		*s = shard[R]{tags: make([]uint32, size), more: make([]uint8, size), refs: make([]R, size), hint: make([]uint64, hints(size))}
		done = true
		free := 0
		for i, tag := range old.tags {
			if tag == 0 || keep != nil && !keep(old.refs[i]) {
				continue
			}
			at := max(s.start(tag), free)
			if done = at < size-1; !done {
				break
			}
			s.tags[at], s.more[at], s.refs[at] = tag, old.more[i], old.refs[i]
			s.mark(tag, old.more[i])
			s.used, free = s.used+1, at+1
		}
	}
}

// Find appends the references of h, at most limit of them.
func (t *Table[R]) Find(dst []R, h uint64, limit int) []R {
	n, tag, more := key(h)
	s := &t.shards[n]
	if !s.may(tag, more) {
		return dst
	}
	for i := s.start(tag); s.tags[i] != 0 && s.tags[i] <= tag; i++ {
		if s.tags[i] == tag && s.more[i] == more {
			if dst = append(dst, s.refs[i]); len(dst) == limit {
				return dst
			}
		}
	}
	return dst
}

// Replace makes r the reference of h where it was old.
func (t *Table[R]) Replace(h uint64, old, r R) {
	n, tag, more := key(h)
	s := &t.shards[n]
	if !s.may(tag, more) {
		return
	}
	for i := s.start(tag); s.tags[i] != 0 && s.tags[i] <= tag; i++ {
		if s.tags[i] == tag && s.more[i] == more && s.refs[i] == old {
			s.refs[i] = r
			return
		}
	}
}

// Retain drops the entries whose reference keep refuses, and frees their room.
func (t *Table[R]) Retain(keep func(R) bool) {
	for n := range t.shards {
		s := &t.shards[n]
		left := 0
		for i, tag := range s.tags {
			if tag != 0 && keep(s.refs[i]) {
				left++
			}
		}
		if left < s.used {
			s.resize(left*5/4+8, keep)
		}
	}
}

// Size is the memory in use, in bytes, and the number of references.
func (t *Table[R]) Size() (bytes, entries int) {
	var r R
	width := 4 + 1 + 2
	if uint64(^r) > 1<<16 {
		width += 2
	}
	for n := range t.shards {
		bytes += len(t.shards[n].tags)*width + 8*len(t.shards[n].hint)
		entries += t.shards[n].used
	}
	return bytes, entries
}

// Take adds the entries of another table that rename keeps, under new references.
func (t *Table[R]) Take(from *Table[R], rename func(R) (R, bool)) {
	for n := range from.shards {
		s := &from.shards[n]
		for i, tag := range s.tags {
			if tag == 0 {
				continue
			}
			if r, ok := rename(s.refs[i]); ok {
				t.shards[n].insert(tag, s.more[i], r)
			}
		}
	}
}
