package match

// absorb takes over what another session remembered. Refs are what its sources
// are called here, of those that are kept.
func (v *values) absorb(from *values, refs []uint16, kept []bool) {
	records, entries, places := v.next, uint32(len(v.secrets)), v.shards.next
	v.tokens.take(&from.tokens, func(r uint32) (uint32, bool) {
		n, c := r/uint32(classCount), class(r%uint32(classCount))
		if c >= classKey {
			return r + entries*uint32(classCount), kept[from.secrets[n].ref]
		}
		ref, ok := from.source(n)
		return r + records*uint32(classCount), ok && kept[ref]
	})
	v.heads.absorb(&from.heads)
	for _, o := range from.owners {
		if kept[o.ref] {
			v.owners = append(v.owners, owner{o.first + records, o.end + records, refs[o.ref]})
		}
	}
	for _, s := range from.secrets {
		category := v.category(from.names[s.category])
		v.secrets = append(v.secrets, secretOf{refs[s.ref], category, s.given})
	}
	v.next += from.next
	from.shards.sweep(func(s *secret) bool { return kept[from.secrets[s.entry].ref] })
	v.shards.grams.take(&from.shards.grams, func(place uint32) (uint32, bool) { return place + places, true })
	v.shards.some.absorb(&from.shards.some)
	for _, held := range from.shards.held {
		held.entry, held.place = held.entry+entries, held.place+places
		v.shards.held = append(v.shards.held, held)
	}
	v.shards.next += from.shards.next
	v.public.absorb(&from.public)
}

// take adds the entries of another table that rename keeps, under new references.
func (t *table[R]) take(from *table[R], rename func(R) (R, bool)) {
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
