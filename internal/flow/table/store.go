package table

import (
	"encoding/binary"
	"unsafe"
)

// Save appends the table. Equal tables with the same history have the same bytes.
func (t *Table[R]) Save(e *Encoder) {
	for i := range t.shards {
		s := &t.shards[i]
		PutAll(e, uint32(s.size), uint32(s.places))
		for n := range s.buckets {
			b := &s.buckets[n]
			PutAll(e, b.tags[:]...)
			PutAll(e, b.more[:]...)
			PutAll(e, b.refs[:]...)
		}
	}
}

// Load reads what Save wrote. It refuses a shard without a free slot, in which a search would not end.
func (t *Table[R]) Load(d *Decoder) {
	for i := range t.shards {
		n := d.Count(1 << 26)
		places := d.Count(n)
		saved := Read[byte](d, (n+bucketSlots-1)/bucketSlots*savedBucket[R]())
		if d.Err != nil ||
			n > 0 &&
				(places == 0 || places+overhang > n || savedEntry[R](saved, n-1).tag != 0) { // a search would not end
			d.Fail()
			return
		}
		if n == 0 {
			continue
		}
		s := newShard[R](places, n-places)
		for slot := range n {
			if e := savedEntry[R](saved, slot); e.tag != 0 {
				s.set(slot, e)
				s.mark(e.tag, e.more)
				s.used++
			}
		}
		t.replace(i, s)
	}
}

// savedBucket returns the size of a saved bucket, in bytes.
func savedBucket[R uint16 | uint32]() int {
	return bucketSlots * (4 + 1 + int(unsafe.Sizeof(R(0))))
}

// savedEntry reads a slot of a saved shard.
func savedEntry[R uint16 | uint32](saved []byte, slot int) slotContent[R] {
	b, i := saved[slot/bucketSlots*savedBucket[R]():], slot%bucketSlots
	e := slotContent[R]{tag: binary.LittleEndian.Uint32(b[4*i:]), more: b[4*bucketSlots+i]}
	b = b[5*bucketSlots:]
	if unsafe.Sizeof(e.ref) == 2 {
		e.ref = R(binary.LittleEndian.Uint16(b[2*i:]))
	} else {
		e.ref = R(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return e
}

// HoldsOnly reports whether ok is true for all references of the table.
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
		for i := range l.blocks {
			PutAll(e, l.blocks[i][:]...)
		}
	}
}

// Load reads what Save wrote.
func (p *Public) Load(d *Decoder) {
	for range d.Count(64) {
		blocks, left := d.Count(maxPublic/64*2), int64(0)
		d.Get(&left)
		if blocks == 0 || left < 0 || left > int64(blocks)*blockBits/publicBits {
			d.Fail()
			return
		}
		p.layers = append(p.layers, layer{blocks: Read[block](d, blocks), left: int(left)})
	}
}

// Save appends the sieve.
func (s *Sieve) Save(e *Encoder) {
	e.Put(uint32(len(s.layers)), int64(s.left))
	for _, l := range s.layers {
		PutAll(e, uint32(len(l)))
		PutAll(e, l...)
	}
}

// Load reads what Save wrote. It refuses a last layer that claims more room than it has, because it would be filled
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
		s.layers = append(s.layers, Read[uint64](d, n))
		room = int64(n) * 64 / sieveBits
	}
	if open := left == open && layers == 0; !open && (left < 0 || left > room) {
		d.Fail()
		return
	}
	s.left = int(left)
}
