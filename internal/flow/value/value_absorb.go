package value

// Absorb adds the values of another session. refs are the new numbers of its sources, and kept says which sources are
// kept.
func (v *Values) Absorb(from *Values, refs []uint16, kept []bool) {
	records := v.next
	entries := uint32(len(v.secrets))
	places := v.shards.next
	v.tokens.Take(&from.tokens, func(r uint32) (uint32, bool) {
		n, c := r/uint32(classCount), class(r%uint32(classCount))
		if c >= classKey {
			return r + entries*uint32(classCount), kept[from.secrets[n].ref]
		}
		ref, ok := from.source(n)
		return r + records*uint32(classCount), ok && kept[ref]
	})
	v.heads.Absorb(&from.heads)
	for _, o := range from.owners {
		if kept[o.ref] {
			v.owners = append(v.owners, owner{o.first + records, o.end + records, refs[o.ref]})
		}
	}
	for _, s := range from.secrets {
		category := v.category(from.names[s.category])
		v.secrets = append(v.secrets, secretOf{refs[s.ref], category, s.given, s.carried})
	}
	v.next += from.next
	from.shards.sweep(func(s *secret) bool { return kept[from.secrets[s.entry].ref] })
	v.shards.grams.Take(&from.shards.grams, func(place uint32) (uint32, bool) { return place + places, true })
	v.shards.some.Absorb(&from.shards.some)
	for _, held := range from.shards.held {
		held.entry, held.place = held.entry+entries, held.place+places
		v.shards.held = append(v.shards.held, held)
	}
	v.shards.next += from.shards.next
	v.public.Absorb(&from.public)
}
