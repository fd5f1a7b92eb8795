package value

import (
	"slices"

	"mcpproxy/internal/flow/table"
)

// Save appends the values to e. Equal values are saved as equal bytes.
func (v *Values) Save(e *table.Encoder) {
	v.tokens.Save(e)
	v.heads.Save(e)
	e.Put(v.next, uint32(len(v.owners)))
	for _, o := range v.owners {
		table.PutAll(e, o.first, o.end)
		table.PutAll(e, o.ref)
	}
	e.Put(uint32(len(v.secrets)))
	for _, s := range v.secrets {
		e.Put(s.ref, s.category, s.given, s.carried)
	}
	e.Put(uint32(len(v.names)))
	for _, name := range v.names {
		e.Put(uint16(len(name)), []byte(name))
	}
	v.shards.save(e)
	v.public.Save(e)
}

func (s *shards) save(e *table.Encoder) {
	s.grams.Save(e)
	s.some.Save(e)
	e.Put(s.next, uint32(len(s.held)))
	for _, h := range s.held {
		e.Put(h.hash, h.entry, h.place, h.size, h.perByte, h.random, h.telling)
		table.PutAll(e, h.check...)
		table.PutAll(e, h.left...)
	}
}

// Load reads saved values into empty values. sources is the number of sources.
func (v *Values) Load(d *table.Decoder, sources int) {
	v.tokens.Load(d)
	v.heads.Load(d)
	d.Get(&v.next)
	for range d.Count(1 << 26) {
		var o owner
		if d.Get(&o.first, &o.end, &o.ref); d.Err != nil {
			break // a wrong count ends here at once
		}
		last := len(v.owners) - 1
		if o.end < o.first || o.end > v.next || int(o.ref) >= sources || last >= 0 && v.owners[last].end > o.first {
			d.Fail()
		}
		v.owners = append(v.owners, o)
	}
	for range d.Count(1 << 26) {
		var s secretOf
		if d.Get(&s.ref, &s.category, &s.given, &s.carried); d.Err != nil {
			break
		}
		if int(s.ref) >= sources {
			d.Fail()
		}
		v.secrets = append(v.secrets, s)
	}
	for range d.Count(1 << 8) {
		var n uint16
		d.Get(&n)
		v.names = append(v.names, string(table.Read[byte](d, int(n))))
	}
	v.shards.load(d, len(v.secrets))
	v.public.Load(d)
	if d.Err != nil || !v.sound() {
		d.Fail()
		*v = Values{}
	}
}

// sound reports whether all references point to stored data.
func (v *Values) sound() bool {
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
	return v.tokens.HoldsOnly(known) && v.shards.grams.HoldsOnly(reached)
}

// load reads what save wrote about the given number of secrets.
func (s *shards) load(d *table.Decoder, secrets int) {
	s.grams.Load(d)
	s.some.Load(d)
	d.Get(&s.next)
	end := uint32(0)
	for range d.Count(1 << 26) {
		var h secret
		d.Get(&h.hash, &h.entry, &h.place, &h.size, &h.perByte, &h.random, &h.telling)
		if d.Err != nil || h.size < minKey || h.size > maxShards || h.place < end || int(h.entry) >= secrets ||
			h.place > maxPlace {
			d.Fail()
			return
		}
		h.check = table.Read[uint8](d, int(h.size)-shardGram+1)
		h.left = table.Read[uint64](d, (int(h.size)+63)/64)
		end = h.place + uint32(h.size) + 1
		s.held = append(s.held, h)
	}
	if end > s.next || s.next > maxPlace {
		d.Fail()
	}
}
