package match

import (
	"fmt"
	"io"
	"slices"

	"mcpproxy/internal/flow/table"
)

// Save appends the index to b. It leaves out what streams remember of arguments. The result has about as many bytes
// as the index.
func (x *Index) Save(b []byte) []byte {
	e := table.Encoder(b)
	e.Put(form, uint32(len(x.sources)))
	for i := range x.sources {
		s := &x.sources[i]
		e.Put(int64(s.id), s.origin, s.flags(), int32(s.texts), int32(s.secrets))
	}
	x.grams.Save(&e)
	x.public.Save(&e)
	x.ends.Save(&e)
	x.exact.save(&e)
	x.values.Save(&e)
	return e
}

// save appends the texts, in any order.
func (x exact) save(e *table.Encoder) {
	table.PutAll(e, uint32(len(x)))
	for h, held := range x {
		table.PutAll(e, h[:]...)
		table.PutAll(e, held.n)
		table.PutAll(e, held.refs[:]...)
	}
}

func (s *source) flags() (bits uint8) {
	for i, set := range []bool{s.public, s.thin, s.gone} {
		if set {
			bits |= 1 << i
		}
	}
	return bits
}

// form is the version of the format. It changes if the meaning of the data changes.
const form = uint32(6)

// Load reads what Save wrote into an empty index. If the data is damaged, it returns an error and the index cannot be
// used.
func (x *Index) Load(r io.Reader) error {
	d := table.Decoder{R: r}
	var written uint32
	if d.Get(&written); written != form {
		d.Fail()
	}
	x.loadSources(&d)
	x.grams.Load(&d)
	if !x.grams.HoldsOnly(func(ref uint16) bool { return int(ref) < len(x.sources) }) {
		d.Fail()
	}
	x.public.Load(&d)
	x.ends.Load(&d)
	x.loadExact(&d)
	x.values.Load(&d, len(x.sources))
	x.tokens = x.values.Count()
	x.shards = x.values.InPieces()
	if d.Err != nil {
		return fmt.Errorf("reading a saved index: %w", d.Err)
	}
	return nil
}

func (x *Index) loadSources(d *table.Decoder) {
	for ref := range d.Count(maxSources) {
		var s source
		var id int64
		var flags uint8
		var texts, secrets int32
		d.Get(&id, &s.origin, &flags, &texts, &secrets)
		s.id = int(id)
		s.texts = int(texts)
		s.secrets = int(secrets)
		s.public = flags&1 != 0
		s.thin = flags&2 != 0
		s.gone = flags&4 != 0
		x.sources, x.places = append(x.sources, s), append(x.places, 0)
		switch {
		case s.id < 0:
			x.free = append(x.free, uint16(ref))
		case !s.gone:
			x.byID[s.id] = uint16(ref)
			x.used += s.texts + s.secrets
		}
	}
}

func (x *Index) loadExact(d *table.Decoder) {
	for range d.Count(1 << 26) {
		if d.Err != nil {
			return // the number was wrong
		}
		var h hash
		var held holders
		d.Get(&h, &held.n, &held.refs)
		if held.n > commonTexts {
			d.Fail()
			return
		}
		if slices.ContainsFunc(held.refs[:held.n], func(ref uint16) bool { return int(ref) >= len(x.sources) }) {
			d.Fail()
		}
		x.exact[h] = held
	}
}
