package table

import (
	"encoding/binary"
	"unsafe"
)

// Save appends the table without its free slots. Tables with the same history are saved as the same bytes.
func (t *Table[R]) Save(e *Encoder) {
	for i := range t.shards {
		s := &t.shards[i]
		PutAll(e, uint32(s.size), uint32(s.places))
		if s.size == 0 {
			continue
		}
		PutAll(e, uint32(s.used))
		b := *e
		for n := range s.buckets {
			from, at := &s.buckets[n], len(b)
			b = append(b, 0)
			for slot, tag := range from.tags {
				if tag == 0 {
					continue
				}
				b[at] |= 1 << slot
				b = append(binary.LittleEndian.AppendUint32(b, tag), from.more[slot])
				b = binary.LittleEndian.AppendUint16(b, uint16(from.refs[slot]))
				if unsafe.Sizeof(R(0)) > 2 {
					b = binary.LittleEndian.AppendUint16(b, uint16(uint32(from.refs[slot])>>16))
				}
			}
		}
		*e = b
	}
}

// Load reads a saved table. It refuses a shard without a free slot, because a search in it would not end.
func (t *Table[R]) Load(d *Decoder) {
	for i := range t.shards {
		n := d.Count(1 << 26)
		places := d.Count(n)
		if n == 0 {
			continue
		}
		saved := readSlots[R](d, n)
		full := len(saved) > 0 && saved[len(saved)-1].slot >= n-1
		if d.Err != nil || places == 0 || places+overhang > n || full { // a search would not end
			d.Fail()
			return
		}
		s := newShard[R](places, n-places)
		for _, e := range saved {
			s.set(e.slot, e.slotContent)
			s.mark(e.tag, e.more)
			s.used++
		}
		t.replace(i, s)
	}
}

// filledSlot is an entry with the number of its slot.
type filledSlot[R uint16 | uint32] struct {
	slotContent[R]
	slot int
}

// readSlots reads the entries of a shard with n slots, in order.
func readSlots[R uint16 | uint32](d *Decoder, n int) (out []filledSlot[R]) {
	size := int(4 + 1 + unsafe.Sizeof(R(0)))
	saved := d.filled(n, size)
	if d.Err != nil {
		return nil
	}
	out = make([]filledSlot[R], 0, len(saved)/size)
	for slot, b := range saved.slots((n+bucketSlots-1)/bucketSlots, size) {
		e := slotContent[R]{tag: binary.LittleEndian.Uint32(b), more: b[4]}
		if e.ref = R(binary.LittleEndian.Uint16(b[5:])); size > 7 {
			e.ref |= R(uint32(binary.LittleEndian.Uint16(b[7:])) << 16)
		}
		if e.tag == 0 {
			d.Fail()
			return nil
		}
		out = append(out, filledSlot[R]{e, slot})
	}
	return out
}

// HoldsOnly reports whether ok returns true for all references of the table.
func (t *Table[R]) HoldsOnly(ok func(R) bool) bool {
	for n := range t.shards {
		for e := range t.shards[n].entries() {
			if !ok(e.ref) {
				return false
			}
		}
	}
	return true
}

// Save appends the set.
func (p *Public) Save(e *Encoder) {
	e.Put(uint32(len(p.layers)))
	for _, l := range p.layers {
		e.Put(uint32(len(l.blocks)), int64(l.left))
		putSparse(e, unsafe.Slice(&l.blocks[0][0], len(l.blocks)*len(block{})))
	}
}

// Load reads a saved set.
func (p *Public) Load(d *Decoder) {
	for range d.Count(64) {
		blocks, left := d.Count(maxPublic/64*2), int64(0)
		d.Get(&left)
		if blocks == 0 || left < 0 || left > int64(blocks)*blockBits/publicBits {
			d.Fail()
			return
		}
		words := d.sparse(blocks * len(block{}))
		if d.Err != nil {
			return
		}
		l := layer{blocks: make([]block, blocks), left: int(left)}
		for i := range l.blocks {
			copy(l.blocks[i][:], words[i*len(block{}):])
		}
		p.layers = append(p.layers, l)
	}
}

// Save appends the sieve.
func (s *Sieve) Save(e *Encoder) {
	e.Put(uint32(len(s.layers)), int64(s.left))
	for _, l := range s.layers {
		PutAll(e, uint32(len(l)))
		putSparse(e, l)
	}
}

// Load reads a saved sieve. It refuses a last layer that claims more free room than it has, because Add would fill it
// beyond its end.
func (s *Sieve) Load(d *Decoder) {
	layers := d.Count(64)
	var left, room int64
	d.Get(&left)
	for range layers {
		n := d.Count(largeSieve)
		if n == 0 || n&(n-1) != 0 {
			d.Fail()
			return
		}
		s.layers = append(s.layers, d.sparse(n))
		room = int64(n) * 64 / sieveBits
	}
	if open := left == open && layers == 0; !open && (left < 0 || left > room) {
		d.Fail()
		return
	}
	s.left = int(left)
}
