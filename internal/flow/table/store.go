package table

// Save writes the table: equal tables that grew alike are written as equal bytes.
func (t *Table[R]) Save(e *Encoder) {
	for i := range t.shards {
		s := &t.shards[i]
		tags, more, refs := make([]uint32, s.size), make([]uint8, s.size), make([]R, s.size)
		for slot := range s.size {
			of := s.get(slot)
			tags[slot], more[slot], refs[slot] = of.tag, of.more, of.ref
		}
		e.Put(uint32(s.size), uint32(s.places), tags, more, refs)
	}
}

// Load reads what Save wrote. A shard without a free slot would be searched without end.
func (t *Table[R]) Load(d *Decoder) {
	for i := range t.shards {
		n := d.Count(1 << 26)
		places := d.Count(n)
		tags, more, refs := Read[uint32](d, n), Read[uint8](d, n), Read[R](d, n)
		if d.Err != nil || n > 0 && (places == 0 || places+overhang > n || tags[n-1] != 0) { // a search would not end
			d.Fail()
			return
		}
		if n == 0 {
			continue
		}
		s := newShard[R](places, n-places)
		for slot, tag := range tags {
			if tag != 0 {
				s.set(slot, entry[R]{tag, more[slot], refs[slot]})
				s.mark(tag, more[slot])
				s.used++
			}
		}
		t.shards[i] = s
	}
}

// HoldsOnly reports whether ok holds for all references of the table.
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

// Save writes the set.
func (p *Public) Save(e *Encoder) {
	e.Put(uint32(len(p.layers)))
	for _, l := range p.layers {
		e.Put(uint32(len(l.blocks)), int64(l.left), l.blocks)
	}
}

// Load reads what Save wrote.
func (p *Public) Load(d *Decoder) {
	for range d.Count(64) {
		blocks, left := d.Count(maxPublic/64*2), int64(0)
		d.Get(&left)
		if blocks == 0 {
			d.Fail()
			return
		}
		p.layers = append(p.layers, layer{blocks: Read[block](d, blocks), left: int(left)})
	}
}

// Save writes the sieve.
func (s *Sieve) Save(e *Encoder) {
	e.Put(uint32(len(s.layers)), int64(s.left))
	for _, l := range s.layers {
		e.Put(uint32(len(l)), l)
	}
}

// Load reads what Save wrote.
func (s *Sieve) Load(d *Decoder) {
	layers, left := d.Count(64), int64(0)
	d.Get(&left)
	if s.left = int(left); s.left < 0 && (s.left != open || layers > 0) {
		d.Fail()
		return
	}
	for range layers {
		n := d.Count(1 << 26)
		if n == 0 || n&(n-1) != 0 {
			d.Fail()
			return
		}
		s.layers = append(s.layers, Read[uint64](d, n))
	}
}
