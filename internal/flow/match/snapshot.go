package match

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Save writes the index, but for what streams remember of arguments. Equal
// indexes are written as equal bytes.
func (x *Index) Save(w io.Writer) error {
	e := encoder{w: w}
	e.put(form, uint32(len(x.sources)))
	for i := range x.sources {
		s := &x.sources[i]
		e.put(int64(s.id), s.origin, s.flags(), int32(s.texts), int32(s.secrets))
	}
	saveTable(&e, &x.grams)
	savePublic(&e, &x.public)
	saveSieve(&e, &x.ends)
	e.put(uint32(len(x.exact)))
	for _, h := range slices.SortedFunc(maps.Keys(x.exact), hash.compare) {
		held := x.exact[h]
		e.put(h, held.n, held.refs)
	}
	x.values.save(&e)
	return e.err
}

func (h hash) compare(other hash) int { return slices.Compare(h[:], other[:]) }

func (s *source) flags() (bits uint8) {
	for i, set := range []bool{s.public, s.thin, s.gone} {
		if set {
			bits |= 1 << i
		}
	}
	return bits
}

// encoder writes fixed-size values until something fails.
type encoder struct {
	w   io.Writer
	err error
}

func (e *encoder) put(values ...any) {
	for _, v := range values {
		if e.err == nil {
			e.err = binary.Write(e.w, binary.LittleEndian, v)
		}
	}
}

// form changes when what is written means something else.
const form = uint32(2)

// errDamaged says that what was read is no index.
var errDamaged = errors.New("the saved index is damaged")

// Load reads what Save wrote into an empty index. What is
// damaged is an error, and leaves the index unusable.
func (x *Index) Load(r io.Reader) error {
	d := decoder{r: r}
	var written uint32
	if d.get(&written); written != form {
		d.fail()
	}
	x.loadSources(&d)
	loadTable(&d, &x.grams)
	if !holdsOnly(&x.grams, func(ref uint16) bool { return int(ref) < len(x.sources) }) {
		d.fail()
	}
	loadPublic(&d, &x.public)
	loadSieve(&d, &x.ends)
	x.loadExact(&d)
	x.values.load(&d, len(x.sources))
	_, x.tokens = x.values.tokens.size()
	x.shards = x.values.shards.next
	if d.err != nil {
		return fmt.Errorf("reading a saved index: %w", d.err)
	}
	return nil
}

func (x *Index) loadSources(d *decoder) {
	for ref := range d.count(maxSources) {
		var s source
		var id int64
		var flags uint8
		var texts, secrets int32
		d.get(&id, &s.origin, &flags, &texts, &secrets)
		s.id, s.texts, s.secrets = int(id), int(texts), int(secrets)
		s.public, s.thin, s.gone = flags&1 != 0, flags&2 != 0, flags&4 != 0
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

func (x *Index) loadExact(d *decoder) {
	for range d.count(1 << 26) {
		if d.err != nil {
			return // the number was wrong
		}
		var h hash
		var held holders
		d.get(&h, &held.n, &held.refs)
		if held.n > commonTexts || slices.Max(held.refs[:]) > 0 && int(slices.Max(held.refs[:])) >= len(x.sources) {
			d.fail()
		}
		x.exact[h] = held
	}
}

// decoder reads fixed-size values until something fails; then it gives zeroes.
type decoder struct {
	r   io.Reader
	err error
}

func (d *decoder) fail() {
	if d.err == nil {
		d.err = errDamaged
	}
}

func (d *decoder) get(values ...any) {
	for _, v := range values {
		if d.err == nil {
			d.err = binary.Read(d.r, binary.LittleEndian, v)
		}
	}
}

// count reads a number of things, of which there are at most limit.
func (d *decoder) count(limit int) int {
	var n uint32
	d.get(&n)
	if d.err != nil || int(n) > limit {
		d.fail()
		return 0
	}
	return int(n)
}

// read reads n values, a piece at a time: a wrong count costs no memory.
func read[T any](d *decoder, n int) []T {
	const piece = 1 << 16
	var out []T
	for n > 0 && d.err == nil {
		part := make([]T, min(n, piece))
		d.get(part)
		out = append(out, part...)
		n -= len(part)
	}
	if d.err != nil {
		return nil
	}
	return out
}
