package match

import (
	"encoding/binary"
	"slices"
	"strings"
	"unsafe"

	"mcpproxy/internal/flow/gram"
	"mcpproxy/internal/flow/table"
	"mcpproxy/internal/flow/value"
	"mcpproxy/internal/text"
)

// Index is what one session has met, in a form in which it can be recognised and
// not be read. It is not safe for concurrent use.
type Index struct {
	sources []source
	places  []int32 // by source, while a text is looked up; 0 between
	byID    map[int]uint16
	free    []uint16

	exact   exact
	ends    table.Sieve // of the beginnings and ends of exact texts
	values  value.Values
	grams   table.Table[uint16] // winnowed k-grams, by the sources that hold them
	public  table.Public
	streams streams
	scratch *scratch // while something is done; work takes it
	used    int      // bytes of what is kept
	tokens  int      // of the values that are counted
	shards  uint32
	loose   int // bytes of what was thinned and dropped and still takes room
}

// New returns an empty index.
func New() *Index { return &Index{byID: map[int]uint16{}, exact: exact{}} }

// Add indexes the result of a call. It reports whether there was room for one
// more source.
func (x *Index) Add(doc *text.Document, o Options, s Source) bool {
	defer x.rest()
	ref, ok := x.place(source{id: s.ID, origin: x.originOf(s), public: s.Public})
	if !ok {
		return false
	}
	x.learn(ref, prints(doc, o))
	w := gram.W
	if s.Public {
		w = sparse
	}
	for _, p := range sourcePieces(doc, o.MaxBytes) {
		x.index(&p, ref, w)
		if s.Public {
			x.publish(p.skeleton)
		}
	}
	if s.Public {
		x.values.AddPublic(doc)
	} else {
		x.values.Add(ref, doc, revealed(doc), o.MaxBytes, s.Secrets)
	}
	x.charge(ref)
	return true
}

// originOf identifies what made a source's data.
func (x *Index) originOf(s Source) uint64 {
	if ref, ok := x.byID[s.Same]; ok && s.Same > 0 {
		return x.sources[ref].origin
	}
	return nameOf(s.Origin)
}

// AddSecrets indexes the secrets in the result of a call, and nothing else.
func (x *Index) AddSecrets(s Source) bool {
	ref, ok := x.place(source{id: s.ID, origin: nameOf(s.Origin)})
	if ok {
		x.values.Add(ref, &text.Document{}, nil, 0, s.Secrets)
		x.charge(ref)
	}
	return ok
}

// Publish makes a text public: the user's own words, or what a tool says of
// itself. Secrets do not become public by it.
func (x *Index) Publish(doc *text.Document, o Options) {
	defer x.rest()
	for _, p := range sourcePieces(doc, o.MaxBytes) {
		x.publish(p.skeleton)
	}
	x.values.AddPublic(doc)
}

// place makes a source known. There may be no room.
func (x *Index) place(s source) (ref uint16, ok bool) {
	if len(x.free) == 0 && len(x.sources) == maxSources {
		x.sweep()
	}
	switch n := len(x.free); {
	case n > 0:
		ref = x.free[n-1]
		x.free = x.free[:n-1]
		x.sources[ref] = s
	case len(x.sources) == maxSources:
		return 0, false
	default:
		ref = uint16(len(x.sources))
		x.sources = append(x.sources, s)
		x.places = append(x.places, 0)
	}
	x.byID[s.id] = ref
	return ref, true
}

// nameOf is a name, shortened.
func nameOf(s string) uint64 {
	h := hashOf(s)
	return binary.LittleEndian.Uint64(h[:])
}

// Find says what a document has in common with the sources: of each the strongest
// agreement, and every secret. Stream names the tool that the document goes to:
// what it is given in pieces, call after call, is read as one.
func (x *Index) Find(q *Query, stream string) []Hit {
	return x.find(q, x.streams.extend(stream+"\x00", slices.Clone(q.pieces)))
}

// FindAgain is Find for a document that Find has seen on its way already: it
// joins no stream a second time.
func (x *Index) FindAgain(q *Query) []Hit { return x.find(q, slices.Clone(q.pieces)) }

func (x *Index) find(q *Query, pieces []piece) []Hit {
	defer x.rest()
	n := 0
	for i := range pieces {
		n += len(pieces[i].skeleton)
	}
	x.work().forget(n)
	hits := x.equals(q, x.valued(q, nil, func(p value.Place) bool { return x.published(q, p) }))
	return x.shared(q, pieces, hits)
}

// shared adds the sources of which pieces share text.
func (x *Index) shared(q *Query, pieces []piece, hits []Hit) []Hit {
	pieces = x.work().rotated(pieces)
	var found []candidate
	for i := range pieces {
		found = x.fingerprinted(&pieces[i], q.options.MinLength, found)
	}
	return x.hits(found, hits)
}

// Resembling says which sources share text with a result. Unlike a call, a result takes nothing
// out, and no secret counts as gone by it.
func (x *Index) Resembling(q *Query) []Hit {
	defer x.rest()
	n := 0
	for i := range q.pieces {
		n += len(q.pieces[i].skeleton)
	}
	x.work().forget(n)
	return x.shared(q, slices.Clone(q.pieces), x.equals(q, nil))
}

// FindSecrets says which secrets of the sources a document holds, but for those
// that an index which was asked before knows to be published.
func (x *Index) FindSecrets(q *Query) []Hit {
	return slices.DeleteFunc(x.valued(q, nil, q.open), func(h Hit) bool { return h.Category == "" })
}

// valued finds values of the sources: secrets whole and in pieces, records,
// numbers.
func (x *Index) valued(q *Query, hits []Hit, open func(value.Place) bool) []Hit {
	for _, h := range x.values.Find(q.readings, q.secrets, x.remains, open) {
		src := &x.sources[h.Ref]
		hit := Hit{
			Source:   src.id,
			Match:    h.Match,
			Bits:     h.Bits,
			Category: h.Category,
		}
		if h.Match == "secret" {
			hit.Bits = 0 // nothing is left to chance
		}
		for _, at := range h.Places {
			if at.Reading < 0 {
				continue
			}
			r := &q.readings[at.Reading]
			if len(hit.Spans) == 0 {
				hit.Decoded = disguises(r.Decoded)
				if h.Match == "secret" {
					hit.Value = r.Text[at.Start:at.End]
				}
			}
			hit.Spans = append(hit.Spans, q.spans(at)...)
			hit.Bytes += at.End - at.Start
		}
		if !q.mentions(h) {
			hits = append(hits, hit)
		}
	}
	return hits
}

// mentions reports whether a lone value is an address within other words: that may
// be no more than a mention. One that is all that is sent, or stands behind a sign
// of assignment, is data.
func (q *Query) mentions(h value.Hit) bool {
	at := h.Places[0]
	if h.Match != "value" || at.Reading < 0 {
		return false
	}
	t := q.readings[at.Reading].Text
	return value.IsMail(t[at.Start:at.End]) && at.End-at.Start < len(t) &&
		(at.Start == 0 || strings.IndexByte("=:", t[at.Start-1]) < 0)
}

// remains says what is kept of a source.
func (x *Index) remains(ref uint16) value.Remains {
	switch s := &x.sources[ref]; {
	case s.gone:
		return value.NothingRemains
	case s.thin:
		return value.SecretsRemain
	}
	return value.AllRemains
}

// charge counts what a new source takes.
func (x *Index) charge(ref uint16) {
	tokens := x.values.Count()
	s := &x.sources[ref]
	s.texts += (tokens - x.tokens) * tokenBytes
	s.secrets = sourceBytes + int(x.values.InPieces()-x.shards)*shardBytes
	x.tokens, x.shards = tokens, x.values.InPieces()
	x.used += s.texts + s.secrets
}

// Thin forgets the texts of a source and keeps its secrets.
func (x *Index) Thin(id int) {
	if ref, ok := x.byID[id]; ok && !x.sources[ref].thin {
		s := &x.sources[ref]
		s.thin = true
		x.loosen(s.texts)
		s.texts = 0
	}
}

// Drop forgets a source altogether.
func (x *Index) Drop(id int) {
	if ref, ok := x.byID[id]; ok {
		s := &x.sources[ref]
		s.gone = true
		delete(x.byID, id)
		x.loosen(s.texts + s.secrets)
	}
}

// loosen counts memory that can be freed, and frees it when it is worth the work.
func (x *Index) loosen(n int) {
	x.used -= n
	if x.loose += n; x.loose > 1<<16 && x.loose > x.used/2 {
		x.sweep()
	}
}

// sweep frees the memory of what was thinned and dropped.
func (x *Index) sweep() {
	whole := func(ref uint16) bool { return x.remains(ref) == value.AllRemains }
	x.grams.Retain(whole)
	x.exact.retain(whole)
	x.values.Sweep(x.remains)
	x.tokens = x.values.Count()
	for ref := range x.sources {
		if s := &x.sources[ref]; s.gone && s.id >= 0 {
			*s = source{id: -1, gone: true}
			x.free = append(x.free, uint16(ref))
		}
	}
	x.loose = 0
	if x.textless() { // nothing is left that could be taken for public
		x.ends, x.public = table.Sieve{}, table.Public{}
		x.values.ForgetPublic()
	}
}

// textless reports whether no source has more left than secrets.
func (x *Index) textless() bool {
	for ref := range x.sources {
		if s := &x.sources[ref]; !s.thin && !s.gone {
			return false
		}
	}
	return true
}

// Tidy frees the memory of what was forgotten.
func (x *Index) Tidy() {
	if x.loose > 0 {
		x.sweep()
	}
}

// What an entry adds to memory, about, with its share of free room. By these figures
// sources are compared with each other; what they take together is measured by Bytes.
const (
	gramBytes   = 10 // of a k-gram
	tokenBytes  = 12 // of a value
	shardBytes  = 7  // of a byte of a secret
	textBytes   = 40 // of a text in a Go map
	sourceBytes = 64
)

// Bytes is the memory that the index takes. What is forgotten and will be freed in time
// is left out, in proportion to what is kept.
func (x *Index) Bytes() int {
	grams, _ := x.grams.Size()
	n := grams + len(x.exact)*textBytes + x.values.Bytes()
	if x.loose > 0 {
		n = int(int64(n) * int64(x.used) / int64(x.used+x.loose))
	}
	return n + x.SetBytes() + x.streams.bytes() + len(x.sources)*int(unsafe.Sizeof(source{})) + int(unsafe.Sizeof(*x))
}

// SetBytes is how much of [Index.Bytes] goes to sets, from which no single source can be
// taken out. Each set has a bound of its own.
func (x *Index) SetBytes() int { return x.ends.Bytes() + x.public.Bytes() + x.values.SetBytes() }
