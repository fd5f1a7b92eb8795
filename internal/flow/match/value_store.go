package match

import "slices"

// save writes what is remembered: equal values are written as equal bytes.
func (v *values) save(e *encoder) {
	saveTable(e, &v.tokens)
	saveSieve(e, &v.heads)
	e.put(v.next, uint32(len(v.owners)))
	for _, o := range v.owners {
		e.put(o.first, o.end, o.ref)
	}
	e.put(uint32(len(v.secrets)))
	for _, s := range v.secrets {
		e.put(s.ref, s.category, s.given)
	}
	e.put(uint32(len(v.names)))
	for _, name := range v.names {
		e.put(uint16(len(name)), []byte(name))
	}
	v.shards.save(e)
	savePublic(e, &v.public)
}

func (s *shards) save(e *encoder) {
	saveTable(e, &s.grams)
	saveSieve(e, &s.some)
	e.put(s.next, uint32(len(s.held)))
	for _, h := range s.held {
		e.put(h.hash, h.entry, h.place, h.size, h.perByte, h.random, h.telling, h.check, h.left)
	}
}

func saveTable[R uint16 | uint32](e *encoder, t *table[R]) {
	for i := range t.shards {
		s := &t.shards[i]
		e.put(uint32(len(s.tags)), s.tags, s.more, s.refs)
	}
}

// load reads what save wrote into empty values. Sources is how many there are.
func (v *values) load(d *decoder, sources int) {
	loadTable(d, &v.tokens)
	loadSieve(d, &v.heads)
	d.get(&v.next)
	for range d.count(1 << 26) {
		var o owner
		if d.get(&o.first, &o.end, &o.ref); d.err != nil {
			break // a wrong count costs no time either
		}
		if last := len(v.owners) - 1; o.end < o.first || o.end > v.next || int(o.ref) >= sources || last >= 0 && v.owners[last].end > o.first {
			d.fail()
		}
		v.owners = append(v.owners, o)
	}
	for range d.count(1 << 26) {
		var s secretOf
		if d.get(&s.ref, &s.category, &s.given); d.err != nil {
			break
		}
		if int(s.ref) >= sources {
			d.fail()
		}
		v.secrets = append(v.secrets, s)
	}
	for range d.count(1 << 8) {
		var n uint16
		d.get(&n)
		v.names = append(v.names, string(read[byte](d, int(n))))
	}
	v.shards.load(d, len(v.secrets))
	loadPublic(d, &v.public)
	if d.err != nil || !v.sound() {
		d.fail()
		*v = values{}
	}
}

// sound reports whether references lead somewhere.
func (v *values) sound() bool {
	if slices.ContainsFunc(v.secrets, func(s secretOf) bool { return int(s.category) >= len(v.names) }) {
		return false
	}
	known := func(r uint32) bool {
		if n, c := r/uint32(classCount), class(r%uint32(classCount)); c < classKey {
			return n < v.next
		} else {
			return int(n) < len(v.secrets)
		}
	}
	reached := func(place uint32) bool {
		n := v.shards.at(place)
		return n >= 0 && int(place-v.shards.held[n].place) < len(v.shards.held[n].check)
	}
	return holdsOnly(&v.tokens, known) && holdsOnly(&v.shards.grams, reached)
}

// holdsOnly reports whether ok holds for all references of a table.
func holdsOnly[R uint16 | uint32](t *table[R], ok func(R) bool) bool {
	for n := range t.shards {
		for i, tag := range t.shards[n].tags {
			if tag != 0 && !ok(t.shards[n].refs[i]) {
				return false
			}
		}
	}
	return true
}

// load reads what save wrote of secrets, of which there are so many.
func (s *shards) load(d *decoder, secrets int) {
	loadTable(d, &s.grams)
	loadSieve(d, &s.some)
	d.get(&s.next)
	end := uint32(0)
	for range d.count(1 << 26) {
		var h secret
		d.get(&h.hash, &h.entry, &h.place, &h.size, &h.perByte, &h.random, &h.telling)
		if d.err != nil || h.size < minKey || h.size > maxShards || h.place < end || int(h.entry) >= secrets {
			d.fail()
			return
		}
		h.check = read[uint8](d, int(h.size)-shardGram+1)
		h.left = read[uint64](d, (int(h.size)+63)/64)
		end = h.place + uint32(h.size) + 1
		s.held = append(s.held, h)
	}
	if end > s.next {
		d.fail()
	}
}

// loadTable reads a table. A shard without a free slot would be searched without end.
func loadTable[R uint16 | uint32](d *decoder, t *table[R]) {
	for i := range t.shards {
		n := d.count(1 << 26)
		s := shard[R]{tags: read[uint32](d, n), more: read[uint8](d, n), refs: read[R](d, n)}
		for _, tag := range s.tags {
			s.used += b2i(tag != 0)
		}
		if d.err != nil || n > 0 && (n <= overhang || s.tags[n-1] != 0) { // a search would not end
			d.fail()
			return
		}
		t.shards[i] = s
	}
}

func savePublic(e *encoder, p *public) {
	e.put(uint32(len(p.layers)))
	for _, l := range p.layers {
		e.put(uint32(len(l.blocks)), int64(l.left), l.blocks)
	}
}

func loadPublic(d *decoder, p *public) {
	for range d.count(64) {
		blocks, left := d.count(maxPublic/64*2), int64(0)
		d.get(&left)
		if blocks == 0 {
			d.fail()
			return
		}
		p.layers = append(p.layers, layer{blocks: read[block](d, blocks), left: int(left)})
	}
}

func saveSieve(e *encoder, s *sieve) {
	e.put(uint32(len(s.layers)), int64(s.left))
	for _, l := range s.layers {
		e.put(uint32(len(l)), l)
	}
}

func loadSieve(d *decoder, s *sieve) {
	layers, left := d.count(64), int64(0)
	d.get(&left)
	s.left = int(left)
	for range layers {
		n := d.count(1 << 26)
		if n == 0 || n&(n-1) != 0 {
			d.fail()
			return
		}
		s.layers = append(s.layers, read[uint64](d, n))
	}
}
