package match

// Absorb adds all data of another index. The sources of the other index get ids that are larger by offset. The other
// index must not be used afterwards.
func (x *Index) Absorb(from *Index, offset int) {
	refs := make([]uint16, len(from.sources))
	kept := make([]bool, len(from.sources))
	for ref := range from.sources {
		s := from.sources[ref]
		if s.gone {
			continue
		}
		s.id += offset
		if refs[ref], kept[ref] = x.place(s); kept[ref] {
			x.used += s.texts + s.secrets
		}
	}
	x.grams.Take(&from.grams, func(ref uint16) (uint16, bool) { return refs[ref], kept[ref] })
	x.public.Absorb(&from.public)
	x.ends.Absorb(&from.ends)
	for h, held := range from.exact {
		mine := x.exact[h]
		for _, ref := range held.refs[:held.n] {
			if kept[ref] {
				mine.add(refs[ref])
			}
		}
		if mine.n > 0 {
			x.exact[h] = mine
		}
	}
	x.values.Absorb(&from.values, refs, kept)
	x.tokens = x.values.Count()
	x.shards = x.values.InPieces()
}
