package match

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"unsafe"

	"mcpproxy/internal/flow/gram"
	"mcpproxy/internal/flow/table"
	"mcpproxy/internal/flow/value"
	"mcpproxy/internal/text"
)

// Index stores the data of one session's results as hashes, by which the data can be recognised but not read. It is
// not safe for concurrent use.
type Index struct {
	sources []source
	places  []int32 // scratch of a lookup, by source; 0 between lookups
	byID    map[int]uint16
	free    []uint16

	exact   exact
	ends    table.Sieve // the beginnings and ends of exact texts
	values  value.Values
	grams   table.Table[uint16] // winnowed k-grams with the sources that hold them
	public  table.Public
	streams streams
	scratch *scratch // set between work and rest
	used    int      // bytes of stored data
	tokens  int      // number of values
	shards  uint32
	loose   int // bytes of thinned and dropped data that are not freed yet
}

// New returns an empty index.
func New() *Index { return &Index{byID: map[int]uint16{}, exact: exact{}} }

// Add indexes the result of a call. It returns false if there is no room for another source.
func (x *Index) Add(doc *text.Document, o Options, s Source) bool {
	defer x.rest()
	ref, ok := x.place(source{id: s.ID, origin: x.originOf(s), public: s.Public})
	if !ok {
		return false
	}
	if s.Read != nil {
		x.learn(ref, s.Read.prints)
	} else {
		x.learn(ref, prints(doc, o))
	}
	w := gram.W
	if s.Public {
		w = sparse
	}
	for p := range sourcePieces(doc, o.MaxBytes, &x.work().letters) {
		x.index(p, ref, w)
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

// originOf returns a number that identifies the call that made a source's data.
func (x *Index) originOf(s Source) uint64 {
	if ref, ok := x.byID[s.Same]; ok && s.Same > 0 {
		return x.sources[ref].origin
	}
	return s.made()
}

// AddSecrets indexes only the secrets in the result of a call.
func (x *Index) AddSecrets(s Source) bool {
	ref, ok := x.place(source{id: s.ID, origin: s.made()})
	if ok {
		x.values.Add(ref, &text.Document{}, nil, 0, s.Secrets)
		x.charge(ref)
	}
	return ok
}

// Publish makes a text public: the user's own words, or the description of a tool. Secrets in it do not become
// public.
func (x *Index) Publish(doc *text.Document, o Options) {
	defer x.rest()
	for p := range sourcePieces(doc, o.MaxBytes, &x.work().letters) {
		x.publish(p.skeleton)
	}
	x.values.AddPublic(doc)
}

// place registers a source. ok is false if the index is full.
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

// made returns a hash of the call that made the source's data.
func (s *Source) made() uint64 {
	h := sha256.New()
	_, _ = h.Write(bytesOf(s.Origin))
	_, _ = h.Write(s.Arguments)
	return binary.LittleEndian.Uint64(h.Sum(nil))
}

// Find compares a document with the sources. It returns the strongest match of each source, and every secret. stream
// names the tool that receives the document. Pieces that one tool receives in several calls are compared as one text.
func (x *Index) Find(q *Query, stream string) []Hit {
	return x.find(q, x.streams.extend(stream+"\x00", slices.Clone(q.pieces)))
}

// FindAgain is Find for a document that Find has already compared with another index. It does not add the document to
// a stream a second time.
func (x *Index) FindAgain(q *Query) []Hit { return x.find(q, slices.Clip(q.pieces)) }

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

// shared adds hits for the sources that share text with the pieces.
func (x *Index) shared(q *Query, pieces []piece, hits []Hit) []Hit {
	pieces = x.work().rotated(pieces)
	var found []candidate
	for i := range pieces {
		found = x.fingerprinted(&pieces[i], q.options.MinLength, found)
	}
	return x.hits(found, hits)
}

// Resembling returns the sources that share text with a result. Secrets in a result do not count as sent.
func (x *Index) Resembling(q *Query) []Hit {
	defer x.rest()
	n := 0
	for i := range q.pieces {
		n += len(q.pieces[i].skeleton)
	}
	x.work().forget(n)
	return x.shared(q, slices.Clip(q.pieces), x.equals(q, nil))
}

// FindSecrets returns the secrets of the sources that a document contains. It leaves out secrets that an earlier
// index, compared with the same query, has found to be public.
func (x *Index) FindSecrets(q *Query) []Hit {
	return slices.DeleteFunc(x.valued(q, nil, q.open), func(h Hit) bool { return h.Category == "" })
}

// valued finds values of the sources: whole secrets and pieces of them, records, and numbers.
func (x *Index) valued(q *Query, hits []Hit, open func(value.Place) bool) []Hit {
	for _, h := range x.values.Find(q.read(), q.secrets, x.remains, open) {
		src := &x.sources[h.Ref]
		hit := Hit{
			Source:   src.id,
			Match:    h.Match,
			Bits:     h.Bits,
			Category: h.Category,
		}
		if h.Match == "secret" {
			hit.Bits = 0 // the match is certain
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

// mentions reports whether a single value is an address within other words, which may only mention the address. An
// address that is the whole text, or that follows an assignment, is data.
func (q *Query) mentions(h value.Hit) bool {
	at := h.Places[0]
	if h.Match != "value" || at.Reading < 0 {
		return false
	}
	t := q.readings[at.Reading].Text
	return value.IsMail(t[at.Start:at.End]) && at.End-at.Start < len(t) &&
		(at.Start == 0 || strings.IndexByte("=:", t[at.Start-1]) < 0)
}

// remains returns which data of a source is still stored.
func (x *Index) remains(ref uint16) value.Remains {
	switch s := &x.sources[ref]; {
	case s.gone:
		return value.NothingRemains
	case s.thin:
		return value.SecretsRemain
	}
	return value.AllRemains
}

// charge counts the memory of a new source.
func (x *Index) charge(ref uint16) {
	tokens := x.values.Count()
	s := &x.sources[ref]
	s.texts += (tokens - x.tokens) * tokenBytes
	s.secrets = sourceBytes + int(x.values.InPieces()-x.shards)*shardBytes
	x.tokens, x.shards = tokens, x.values.InPieces()
	x.used += s.texts + s.secrets
}

// Thin drops the texts of a source and keeps its secrets.
func (x *Index) Thin(id int) {
	if ref, ok := x.byID[id]; ok && !x.sources[ref].thin {
		s := &x.sources[ref]
		s.thin = true
		x.loosen(s.texts)
		s.texts = 0
	}
}

// Drop drops all data of a source.
func (x *Index) Drop(id int) {
	if ref, ok := x.byID[id]; ok {
		s := &x.sources[ref]
		s.gone = true
		delete(x.byID, id)
		x.loosen(s.texts + s.secrets)
	}
}

// loosen counts n bytes that can be freed. It frees them once there are enough.
func (x *Index) loosen(n int) {
	x.used -= n
	if x.loose += n; x.loose > 1<<16 && x.loose > x.used/2 {
		x.sweep()
	}
}

// sweep frees the memory of thinned and dropped data.
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
	if x.textless() { // no source has texts any more, so the public set is not needed
		x.ends, x.public = table.Sieve{}, table.Public{}
		x.values.ForgetPublic()
	}
}

// textless reports whether all sources have at most their secrets left.
func (x *Index) textless() bool {
	for ref := range x.sources {
		if s := &x.sources[ref]; !s.thin && !s.gone {
			return false
		}
	}
	return true
}

// Tidy frees the memory of dropped data.
func (x *Index) Tidy() {
	if x.loose > 0 {
		x.sweep()
	}
}

// The approximate memory of an entry, with its share of spare capacity. Only the ratio between sources matters,
// because Bytes measures the total.
const (
	gramBytes   = 10 // of a k-gram
	tokenBytes  = 12 // of a value
	shardBytes  = 7  // of a byte of a secret
	textBytes   = 40 // of a text in a Go map
	sourceBytes = 64
)

// Bytes returns the memory of the index. It does not count the memory of dropped data that will be freed later, which
// it estimates from the share of that data.
func (x *Index) Bytes() int {
	grams, _ := x.grams.Size()
	n := grams + len(x.exact)*textBytes + x.values.Bytes()
	if x.loose > 0 {
		n = int(int64(n) * int64(x.used) / int64(x.used+x.loose))
	}
	return n + x.SetBytes() + x.streams.bytes() + len(x.sources)*int(unsafe.Sizeof(source{})) + int(unsafe.Sizeof(*x))
}

// SetBytes returns the part of [Index.Bytes] that belongs to sets. A set has its own limit, and a single source cannot
// be removed from it.
func (x *Index) SetBytes() int { return x.ends.Bytes() + x.public.Bytes() + x.values.SetBytes() }
