package match

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"mcpproxy/internal/flow/table"
)

// Save appends the index to b. It leaves out the streams, which contain text of arguments. The result has about as
// many bytes as the index.
func (x *Index) Save(b []byte) []byte {
	e := table.Encoder(b)
	e.Put(form, uint32(len(x.sources)))
	for i := range x.sources {
		s := &x.sources[i]
		table.PutAll(&e, uint64(int64(s.id)), s.origin)
		table.PutAll(&e, s.flags())
		table.PutAll(&e, uint32(int32(s.texts)), uint32(int32(s.secrets)))
	}
	x.grams.Save(&e)
	x.public.Save(&e)
	x.ends.Save(&e)
	x.exact.save(&e)
	x.values.Save(&e)
	return e
}

// save appends the texts, sorted by hash, so that a new text changes the bytes in one place only. Each text consists
// of a byte, the rest of its hash, and its sources. The byte holds the number of sources, and the number of bytes that
// the hash shares with the hash before it.
func (x exact) save(e *table.Encoder) {
	table.PutAll(e, uint32(len(x)))
	b := *e
	var before hash
	for _, h := range x.sorted() {
		shared := 0
		for h[shared] == before[shared] && shared < maxSharedBytes {
			shared++
		}
		held := x[h]
		b = append(b, held.n<<sharedBits|uint8(shared))
		b = append(b, h[shared:]...)
		for _, ref := range held.refs[:held.n] {
			b = binary.AppendUvarint(b, uint64(ref))
		}
		before = h
	}
	*e = b
}

// sorted returns the hashes in order. They are evenly distributed, so that after they are divided by their first bits,
// each part has only some of them, and sorting takes linear time.
func (x exact) sorted() []hash {
	shift := 32 - max(bits.Len(uint(len(x)))-2, 1)
	ends := make([]int, 1<<(32-shift)+1)
	part := func(h *hash) uint32 { return binary.BigEndian.Uint32(h[:]) >> shift }
	for h := range x {
		ends[part(&h)+1]++
	}
	for i := range ends[1:] {
		ends[i+1] += ends[i]
	}
	out, from := make([]hash, len(x)), 0
	for h := range x { // ends[i] is the beginning of part i, and grows to its end
		p := part(&h)
		out[ends[p]] = h
		ends[p]++
	}
	for _, end := range ends[:len(ends)-1] {
		slices.SortFunc(out[from:end], compareHashes)
		from = end
	}
	return out
}

const (
	sharedBits     = 4
	maxSharedBytes = 1<<sharedBits - 1
)

// compareHashes orders hashes by their bytes.
func compareHashes(a, b hash) int {
	return cmp.Or(
		cmp.Compare(binary.BigEndian.Uint64(a[:]), binary.BigEndian.Uint64(b[:])),
		cmp.Compare(binary.BigEndian.Uint64(a[8:]), binary.BigEndian.Uint64(b[8:])),
	)
}

func (s *source) flags() (bits uint8) {
	for i, set := range []bool{s.public, s.thin, s.gone} {
		if set {
			bits |= 1 << i
		}
	}
	return bits
}

// form is the version of the format. It increases if the meaning of the data changes.
const form = uint32(7)

// Load reads a saved index into an empty index. If the data is damaged, it returns an error and the index cannot be
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

// loadExact reads the texts.
func (x *Index) loadExact(d *table.Decoder) {
	var h hash
	for n := range d.Count(1 << 26) {
		before := h
		held := nextText(d, &h)
		if n > 0 && compareHashes(before, h) >= 0 {
			d.Fail()
		}
		if d.Err != nil {
			return // the number was wrong, because the data is damaged
		}
		if slices.ContainsFunc(held.refs[:held.n], func(ref uint16) bool { return int(ref) >= len(x.sources) }) {
			d.Fail()
		}
		x.exact[h] = held
	}
}

// nextText reads the text after the one with the hash h, and puts its hash into h.
func nextText(d *table.Decoder, h *hash) (held holders) {
	var head uint8
	d.Get(&head)
	d.Get(h[head&maxSharedBytes:])
	if held.n = head >> sharedBits; held.n > commonTexts {
		d.Fail()
		return holders{}
	}
	for i := range held.refs[:held.n] {
		held.refs[i] = d.Uvarint16()
	}
	return held
}
